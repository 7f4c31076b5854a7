"""Collect what verification found in one table, and fail in words if anything is not what it should be."""

from pathlib import Path

from shapedp.errors import ArtifactError
from shapedp.runs import verification
from shapedp.runs.logs import log, logged
from shapedp.storage import files

SHOWN = 5  # faulty artifacts that the message lists


def verify(part_paths, table_path):
    """The table is written before anything is complained about; the parts go, so that the next run looks again."""
    rows = [line for path in part_paths for line in Path(path).read_text(encoding="utf-8").splitlines()]
    files.write_text(table_path, "\n".join(["\t".join(verification.COLUMNS), *rows]) + "\n")
    for path in part_paths:
        Path(path).unlink()
    bad = [row.split("\t") for row in rows if row.split("\t")[1] not in verification.GOOD]
    log.info("%d artifacts compared, %d at fault", len(rows), len(bad))
    if bad:
        shown = "; ".join(f"{name} {status}: {words}" for name, status, _, words in bad[:SHOWN])
        raise ArtifactError(
            f"{len(bad)} of {len(rows)} artifacts are not what their inputs give, see {table_path}: {shown}. "
            "Delete them and run snakemake again; if they differ once more, please report it"
        )


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        verify(snakemake.input.parts, snakemake.params.table)
