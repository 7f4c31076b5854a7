"""Write the page of a release (viewer, statement, charts, settings) and its forms, from the release alone."""

from pathlib import Path

from shapedp.page import release_page
from shapedp.releases import allow_list
from shapedp.runs.logs import log, logged
from shapedp.statement import forms
from shapedp.storage import files


def write_release_page(page_path):
    """One self-contained HTML file, and with it the bundle is whole: refused if it holds what may not be published."""
    folder = Path(page_path).parent
    stated = allow_list.check_statement(folder)
    for name, text in forms.files(stated, folder.name).items():
        files.write_text(folder / name, text)
    if lacking := forms.missing(stated):
        log.info("%s is not written: it lacks %s", forms.REGISTRY, ", ".join(lacking))
    files.write_text(page_path, release_page.page_of(folder))
    allow_list.check_folder(folder, folder.parent.name, release_page.page_of)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        write_release_page(snakemake.output.page)
