"""List the licences of all pinned packages, and of what pages carry of others."""

from shapedp.cli import doctor
from shapedp.runs.logs import logged
from shapedp.storage import files


def list_licences(lock_path, table_path):
    """One row a pin of the lock, as the installed packages state it themselves, and one a file; no network is asked."""
    rows = [doctor.HEADER, *doctor.table(lock_path), *doctor.carried()]
    files.write_text(table_path, "".join("\t".join(row) + "\n" for row in rows))


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        list_licences(snakemake.input.lock, snakemake.output.table)
