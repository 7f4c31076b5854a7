"""How an HDF5 file is declared: its fields with units and meaning, and sizes that must agree."""

from dataclasses import dataclass

from shapedp.errors import ArtifactError


@dataclass(frozen=True)
class Field:
    """One array: dtype, symbolic shape, unit and meaning. `()` is a single number or text."""

    dtype: str
    shape: tuple
    unit: str
    meaning: str


@dataclass(frozen=True)
class Kind:
    """One sort of file. `records` says whether its fields stand once in each record's group or once in the file.

    released : it is published, and so says nothing about the machine that made it
    """

    name: str
    version: int
    meaning: str
    records: bool
    fields: dict
    released: bool = False


RADIAL_CURVES = Field("f8", ("J", 3, "m"), "1 (unit area)", "x, y, z along each radial curve at theta_k = 2 pi k/m")


def match(shape, symbols, sizes, name):
    """Bind symbolic sizes to numbers; the same symbol must mean the same number throughout a record."""
    same = len(shape) == len(symbols) and all(
        size == (sizes.setdefault(symbol, size) if isinstance(symbol, str) else symbol)
        for size, symbol in zip(shape, symbols, strict=True)
    )
    if not same:
        raise ArtifactError(f"field '{name}' has shape {shape}, declared as {symbols} with {sizes}")
