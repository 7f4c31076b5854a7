"""Draw a release; write its page, forms and sheet, from it alone; refused if it holds what must stay private."""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from shapedp.base.errors import RefusedRelease
from shapedp.base.runs.logs import log, logged
from shapedp.base.storage import files
from shapedp.releases import allow_list
from shapedp.releases.figures import release_files
from shapedp.releases.statement import forms
from shapedp.releases.viewer import board_page, release_page


def show_release(folder):
    """Make every file that is shown beside a release and follows from it, its page last.

    All of them are made and checked beside it: where anything is refused, what is shown stays as it is.
    """
    folder = Path(folder)
    allow_list.check_names(folder, folder.parent.name)
    with TemporaryDirectory() as temporary:
        twin = Path(temporary) / folder.parent.name / folder.name
        shutil.copytree(folder, twin)
        try:
            names = _make_files(twin)
        except RefusedRelease as error:
            raise RefusedRelease(str(error).replace(str(twin), str(folder))) from error
        for name in names:
            files.write_bytes(folder / name, (twin / name).read_bytes())


def _make_files(folder):
    """Make and check every file that follows from a release; return their names, the page last."""
    recorded = {path.name for path in folder.iterdir() if path.name in allow_list.RECORDED}
    release_files.draw(folder, folder.parent.name, folder)
    stated = allow_list.check_statement(folder)
    for name, text in forms.write_forms(stated, folder.name).items():
        files.write_text(folder / name, text)
    files.write_text(folder / board_page.BOARD, board_page.render_page(stated))
    if lacking := forms.list_missing(stated):
        log.info("%s is not written: it lacks %s", forms.REGISTRY, ", ".join(lacking))
    files.write_text(folder / release_page.PAGE, release_page.render_page(folder))
    allow_list.check_folder(folder, folder.parent.name, release_page.render_page)
    new_files = {path.name for path in folder.iterdir()} - recorded
    return sorted(new_files, key=lambda name: name == release_page.PAGE)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        show_release(snakemake.params.folder)
