"""Check all that is to be published against the list of what may be, and pack it without times, owners or paths."""

import zipfile
from pathlib import Path

import draw_face_model
import draw_mean_face
import draw_mean_shape
import draw_shape_model
from shapedp.errors import RefusedRelease
from shapedp.page import build
from shapedp.releases import allow_list, face_model, shape_model
from shapedp.runs.logs import log, logged
from shapedp.storage import files

NO_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip file can name


def pack_releases(release_root, archive_path, releases):
    """releases : (branch, name) of those to pack; all that lies in the release folder is checked, packed or not."""
    root = Path(release_root)
    if not releases:
        raise RefusedRelease(f"{root}: nothing to pack: the settings ask for no release that may be published")
    _refuse_unprotected([root / branch / name for branch, name in releases])
    checked = allow_list.walk(root, build.page_of, draw)
    log.info("%d release(s) checked", len(checked))
    with files.atomic(archive_path) as partial, zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
        for branch, name in sorted(releases):
            for path in sorted((root / branch / name).iterdir()):
                archive.writestr(zipfile.ZipInfo(str(path.relative_to(root)), NO_DATE), path.read_bytes())


def _refuse_unprotected(folders):
    """Refuse to pack what gives nobody a guarantee."""
    bare = [str(one) for one in folders if not allow_list.check_statement(one)["formally_private"]]
    if bare:
        raise RefusedRelease(
            f"{', '.join(bare)}: not formally private; such a release is never packed. Take it out of the releases in "
            "the settings, or mark it `reproduction: true`, which leaves it at home"
        )


def draw(folder, branch, target):
    """Draw a release again, from what the ledger holds of it."""
    picture = target / "preview.png"
    if (folder / shape_model.ARTIFACT).is_file():
        draw_shape_model.draw_shape_model(folder / shape_model.ARTIFACT, target)
    elif branch == "shapes":
        draw_mean_shape.draw_mean_shape(folder / "mean_shape.h5", target / "mean_shape.csv", picture)
    elif (folder / face_model.ARTIFACT).is_file():
        draw_face_model.draw_face_model(folder / face_model.ARTIFACT, target)
    else:
        meshes = f"{target}/mean_face.ply", f"{target}/mean_face.glb"
        draw_mean_face.draw_mean_face(folder / "mean_face.h5", *meshes, picture, target / "noise.png")


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        pack_releases(snakemake.params.root, snakemake.output.archive, snakemake.params.releases)
