"""Make the statement of a release readable within the workflow's report."""

from pathlib import Path

from shapedp.page import reports
from shapedp.runs.logs import logged
from shapedp.storage import files


def show_statement(words_path, page_path):
    """The statement's Markdown as HTML."""
    title = f"Statement of {Path(words_path).parent.name}"
    files.write_text(page_path, reports.words_page(title, Path(words_path).read_text(encoding="utf-8")))


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        show_statement(snakemake.params.words, snakemake.output.page)
