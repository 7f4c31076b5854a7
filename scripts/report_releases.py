"""Write one page about all releases, from the release folder alone."""

from pathlib import Path

from shapedp.page import release_page
from shapedp.runs.logs import logged
from shapedp.storage import files


def report_releases(folders, page_path):
    """folders : of the releases to show"""
    files.write_text(page_path, release_page.overview([Path(folder) for folder in folders]))


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        report_releases(snakemake.params.releases, snakemake.output.page)
