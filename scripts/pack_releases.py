"""Check all that is to be published against the list of what may be, and pack it without times, owners or paths."""

import zipfile
from pathlib import Path

from shapedp.base.errors import RefusedRelease
from shapedp.base.runs.logs import log, logged
from shapedp.base.settings import registry
from shapedp.base.storage import files
from shapedp.laboratories import pooling
from shapedp.ledger.ledger_folder import Ledger
from shapedp.releases import allow_list
from shapedp.releases.figures import release_files
from shapedp.releases.viewer import release_page

NO_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip file can name


def pack_releases(release_root, archive_path, releases, privacy, mechanisms=(), study=None):
    """Pack the releases that may be published into one archive, once the whole release folder has been checked.

    releases : (branch, name) of those to pack; what is not packed is checked, too
    privacy : the settings of that section; mechanisms : (branch, word) that the settings name, so that statements of
    one's own mechanisms are known; study : the settings `faces.study`
    """
    root = Path(release_root)
    for branch, word in mechanisms:
        registry.read_traits(branch, word)
    if not releases:
        raise RefusedRelease(f"{root}: nothing to pack: the settings ask for no release that may be published")
    allow_list.refuse_links(root)
    folders = [root / branch / name for branch, name in releases]
    if bare := [str(folder) for folder in folders if not allow_list.check_statement(folder)["formally_private"]]:
        raise RefusedRelease(
            f"{', '.join(bare)}: not formally private; such a release is never packed. Take it out of the releases "
            "in the settings, or mark it `reproduction: true`, which keeps it out of the archive"
        )
    checked = allow_list.check_releases(root, release_page.render_page, release_files.draw)
    _refuse_unrecorded(root, releases, privacy, study)
    log.info("%d release(s) checked", len(checked))
    with files.atomic(archive_path) as partial, zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
        for branch, name in sorted(releases):
            for path in sorted((root / branch / name).iterdir()):
                archive.writestr(zipfile.ZipInfo(str(path.relative_to(root)), NO_DATE), path.read_bytes())


def _refuse_unrecorded(root, releases, privacy, study):
    """Refuse a release to be packed that no record vouches for: whoever edits a released number could redraw the rest.

    Ledgers record releases, the letters of laboratories those made together, and its sources a pooled one.
    """
    ledger = Ledger(privacy["ledger"])
    for branch, name in releases:
        folder = root / branch / name
        stated = allow_list.check_statement(folder)
        if "sources" in stated:
            pooling.check_pooled(root.parent / pooling.RECORDS / branch / f"{name}.json", folder)
        elif "laboratories" in stated:
            # What signs letters is an extra of its own, which nobody needs who packs releases of their own.
            from shapedp.laboratories import contributing, joint

            joint.check_letters(contributing.find_first_round(study, root.parent / contributing.LETTERS.name), folder)
        else:
            with ledger.open_book(privacy["population"][branch]) as book:
                allow_list.check_recorded(folder, book)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        params, archive = snakemake.params, snakemake.output.archive
        pack_releases(params.root, archive, params.releases, params.privacy, params.mechanisms, params.study)
