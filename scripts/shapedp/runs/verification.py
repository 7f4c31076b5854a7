"""Compare an artifact with what was computed again: byte for byte, or within tolerances where the software differs.

With the same versions on the same kind of processor every byte must agree. Otherwise sums are rounded differently, so
the numbers may differ by TOLERANCE of the largest of a field; a triangulation may then also choose another diagonal,
so of meshes and disk maps only those with the same triangles are compared, and the surfaces decide.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from shapedp import artifacts
from shapedp.errors import ArtifactError

COLUMNS = ("artifact", "status", "largest_difference", "words")
GOOD = ("identical", "within tolerance", "not comparable")
TOLERANCE = 1e-6  # of a field's largest value; the largest seen between BLAS kernels stands in workflow/report/scale.md
TRIANGULATED = ("mesh", "disk_map", "disk")


@dataclass(frozen=True)
class Finding:
    """What the comparison of one artifact found; `difference` is relative to the largest value of the field."""

    artifact: str
    status: str
    difference: float = 0.0
    words: str = ""

    @property
    def row(self):
        """The finding as a line of a table."""
        return "\t".join([self.artifact, self.status, f"{self.difference:.3g}", self.words])


def compare(kept, again, kind):
    """The Finding on an artifact `kept` and the one made `again` from the same inputs."""
    name = str(kept)
    try:
        artifacts.check(kept, kind)
        if Path(kept).read_bytes() == Path(again).read_bytes():
            return Finding(name, "identical")
        with artifacts.reader(kept, kind) as old, artifacts.reader(again, kind) as new:
            return _judge(name, old, new)
    except ArtifactError as error:
        return Finding(name, "damaged", np.inf, " ".join(str(error).split()))


def _judge(name, old, new):
    if old.provenance["settings"] != new.provenance["settings"]:
        return Finding(name, "differs", np.inf, "made with other settings; run snakemake again")
    software = _changed(old.provenance.get("made_with", {}), new.provenance["made_with"])
    difference, where = max(_differences(old, new), default=(0.0, "provenance"))
    if not software:
        return Finding(name, "differs", difference, f"{where}, though versions and processor are the same")
    software = ", ".join(software)
    if difference <= TOLERANCE:
        return Finding(name, "within tolerance", difference, f"other software ({software})")
    if old.kind.name in TRIANGULATED and difference == np.inf:
        return Finding(name, "not comparable", difference, f"{where}; other software ({software})")
    return Finding(name, "differs", difference, f"{where}, more than other software explains ({software})")


def _changed(old, new):
    return [f"{key} {old.get(key)} -> {new.get(key)}" for key in sorted({*old, *new}) if old.get(key) != new.get(key)]


def _differences(old, new):
    """(relative difference, where) of each field; infinite where the values cannot be compared."""
    if not old.kind.records:
        yield from _of_fields(old.kind, old, new, "")
        return
    before, after = ({record.name: record for record in source} for source in (old, new))
    for name in sorted(before.keys() ^ after.keys()):
        yield np.inf, f"record '{name}' is in one of them only"
    for name in sorted(before.keys() & after.keys()):
        if before[name].rejected or after[name].rejected:
            if (before[name].code, before[name].reason) != (after[name].code, after[name].reason):
                yield np.inf, f"record '{name}' was rejected otherwise"
        else:
            yield from _of_fields(old.kind, before[name], after[name], f" of '{name}'")


def _of_fields(kind, before, after, whose):
    for field, declared in kind.fields.items():
        a, b = np.asarray(before[field]), np.asarray(after[field])
        if declared.dtype[0] in "fc" and a.shape == b.shape:
            yield _relative(a, b), f"field '{field}'{whose}"
        elif not np.array_equal(a, b):
            yield np.inf, f"field '{field}'{whose}"


def _relative(a, b):
    if np.array_equal(a, b, equal_nan=True):
        return 0.0
    apart = np.max(np.abs(a - b))
    return float(apart / np.max(np.abs(a))) if np.isfinite(apart) and np.any(a) else np.inf
