"""List the licences of all pinned packages, and of what pages carry of others."""

from shapedp.runs import licences
from shapedp.runs.logs import logged
from shapedp.storage import files


def list_licences(lock_path, table_path):
    """One row a pin of the lock, as the installed packages state it themselves, and one a file; no network is asked."""
    rows = [licences.HEADER, *licences.table(lock_path), *licences.carried()]
    files.write_text(table_path, "".join("\t".join(row) + "\n" for row in rows))


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        list_licences(snakemake.input.lock, snakemake.output.table)
