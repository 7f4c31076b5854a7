"""Make tables, or the statement of a release, readable within the workflow's report."""

from pathlib import Path

from shapedp.page import view
from shapedp.runs.logs import logged
from shapedp.storage import files


def show_in_report(paths, page_paths):
    """One HTML page a table (.tsv) or a text in Markdown."""
    for path, page in zip(map(Path, paths), page_paths, strict=True):
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".md":
            shown = view.words_page(f"Statement of {path.parent.name}", text)
        else:
            shown = view.table_page(Path(page).stem.replace("_", " "), text.splitlines())
        files.write_text(page, shown)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        show_in_report(snakemake.params.shown, snakemake.output)
