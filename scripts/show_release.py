"""Draw a release; write its page, forms and sheet, from it alone; refused if it holds what must stay private."""

from pathlib import Path

from shapedp.base.runs.logs import log, logged
from shapedp.base.storage import files
from shapedp.releases import allow_list
from shapedp.releases.figures import release_files
from shapedp.releases.statement import forms
from shapedp.releases.viewer import board_page, release_page


def show_release(folder):
    """Make every file that follows from a release, the page last."""
    folder = Path(folder)
    release_files.draw(folder, folder.parent.name, folder)
    stated = allow_list.check_statement(folder)
    for name, text in forms.write_forms(stated, folder.name).items():
        files.write_text(folder / name, text)
    files.write_text(folder / board_page.BOARD, board_page.render_page(stated))
    if lacking := forms.list_missing(stated):
        log.info("%s is not written: it lacks %s", forms.REGISTRY, ", ".join(lacking))
    files.write_text(folder / release_page.PAGE, release_page.render_page(folder))
    allow_list.check_folder(folder, folder.parent.name, release_page.render_page)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        show_release(snakemake.params.folder)
