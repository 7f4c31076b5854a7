"""List each face with its status, the reason if it was rejected, and its figures."""

from pathlib import Path

from shapedp.runs.logs import logged
from shapedp.storage import files


def tabulate_quality(batch_paths, table_path):
    """The rows of all batches below one header, in the order of the cohort, no more than a batch in memory."""
    with files.atomic(table_path) as partial, partial.open("w", encoding="utf-8", newline="\n") as table:
        for index, path in enumerate(batch_paths):
            header, rows = Path(path).read_text(encoding="utf-8").split("\n", maxsplit=1)
            table.write(rows if index else f"{header}\n{rows}")


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        tabulate_quality(snakemake.input.tables, snakemake.output.table)
