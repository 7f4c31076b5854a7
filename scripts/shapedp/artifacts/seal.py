"""The first 512 bytes of an artifact (HDF5's user block): its kind, version and the BLAKE2b digest of all that follows.

So a truncated, damaged or foreign file is recognised before the HDF5 library sees it.
"""

from pathlib import Path

from shapedp.errors import ArtifactError
from shapedp.storage import files

HEADER_BYTES = 512
SIGNATURE = "shapedp artifact"


def header(path):
    """(kind, version, digest) as the first bytes of a file declare them."""
    path = Path(path)
    if not path.is_file():
        raise ArtifactError(f"{path}: no such file; the rule that makes it has not run")
    with path.open("rb") as stream:
        lines = stream.read(HEADER_BYTES).rstrip(b"\0").decode("ascii", "replace").split("\n")
    words = lines[0].removeprefix(SIGNATURE).split()
    if not lines[0].startswith(SIGNATURE) or len(words) != 2 or len(lines) < 2 or not words[1].isdecimal():
        raise ArtifactError(f"{path}: not an artifact of shapedp (it does not begin with '{SIGNATURE}')")
    return words[0], int(words[1]), lines[1]


def check(path, kind):
    """Refuse a file of another kind or version, or one that is truncated or damaged."""
    name, version, digest = header(path)
    if name != kind.name:
        raise ArtifactError(f"{path}: holds '{name}', expected '{kind.name}'; delete it and run snakemake again")
    if version != kind.version:
        raise ArtifactError(
            f"{path}: version {version} of '{name}', this shapedp reads version {kind.version}; "
            "delete it and run snakemake again, or read it with the shapedp that wrote it"
        )
    if files.digest(path, HEADER_BYTES) != digest:
        raise ArtifactError(f"{path}: truncated or damaged (digest does not match); delete it and run snakemake again")


def seal(path, kind):
    """Write the block into the room that was left for it."""
    digest = files.digest(path, HEADER_BYTES)
    with path.open("r+b") as stream:
        stream.write(f"{SIGNATURE} {kind.name} {kind.version}\n{digest}\n".encode("ascii"))
