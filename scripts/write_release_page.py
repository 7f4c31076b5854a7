"""Write the page of a release: viewer, statement, charts, settings, in one file; it follows from the release alone."""

from pathlib import Path

from shapedp.page import build
from shapedp.releases import allow_list
from shapedp.runs.logs import logged
from shapedp.storage import files


def write_release_page(page_path):
    """One self-contained HTML file, and with it the bundle is whole: refused if it holds what may not be published."""
    folder = Path(page_path).parent
    files.write_text(page_path, build.page_of(folder))
    allow_list.check_folder(folder, folder.parent.name, build.page_of)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        write_release_page(snakemake.output.page)
