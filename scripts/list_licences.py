"""List the licences of all pinned packages, and of what pages carry of others."""

from shapedp.app.cli import doctor
from shapedp.base.runs.logs import logged
from shapedp.base.storage import files

if __name__ == "__main__":
    with logged(snakemake.log[0]):
        rows = doctor.HEADER, *doctor.list_licences(snakemake.input.lock), *doctor.list_vendored_licences()
        files.write_table(snakemake.output.table, rows)
