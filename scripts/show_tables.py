"""Make the tables of a run readable within the workflow's report. Private."""

from pathlib import Path

from shapedp.page import reports
from shapedp.runs.logs import logged
from shapedp.storage import files


def show_tables(table_paths, page_paths):
    """One HTML page a table."""
    for table, page in zip(table_paths, page_paths, strict=True):
        title = Path(page).stem.replace("_", " ")
        files.write_text(page, reports.table_page(title, Path(table).read_text(encoding="utf-8").splitlines()))


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        show_tables(snakemake.input.tables, snakemake.output)
