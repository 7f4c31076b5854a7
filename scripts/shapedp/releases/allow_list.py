"""What may lie in results/release/: names of files, and all that each file holds. Whatever is not listed is refused.

<statistic>.h5     the bytes that writing its declared fields gives, so there is room for nothing else
statement.json     meets its schema, in which every text is one of a list
statement.md       the text that the JSON gives
.ply .glb .png     the parts that hold geometry or pixels, and no comments
.csv               one header, then numbers, or a covariate and numbers
.tps .R            the landmarks of the release; the script that every release has
index.html         the page that the other files give, to the last byte

Everything but the first three is drawn from these three alone: drawn once more, it must be the same to the last byte.
"""

import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from shapedp import artifacts
from shapedp.errors import RefusedRelease
from shapedp.landmarks import writing
from shapedp.model import drawings
from shapedp.releases import allowed_pictures, may_be_stated, shape_model, statement_text

KINDS = {
    "mean_face.h5": artifacts.MEAN_FACE,
    "face_model.h5": artifacts.FACE_MODEL,
    "mean_shape.h5": artifacts.RELEASED_SHAPE,
    "shape_model.h5": artifacts.SHAPE_MODEL,
}
FILES = {
    "faces": {
        *("mean_face.h5", "mean_face.ply", "mean_face.glb", "noise.png"),
        *("face_model.h5", "face_model.ply", "face_model.glb"),
    },
    "shapes": {
        *("mean_shape.h5", "mean_shape.csv", "mean_shape.tps", "mean_shape.R"),
        *("shape_model.h5", "shape_model.csv", "shape_model.tps"),
    },
}
OF_MODELS = re.compile(
    r"(mode_\d+_(minus|plus)|effect_[A-Za-z0-9][A-Za-z0-9_-]{0,63}_(low|high))\.ply|(modes|effects)\.csv"
)
MODELS = {"face_model.h5", "shape_model.h5"}
PAGE = "index.html"
COMMON = {"preview.png", "statement.json", "statement.md", PAGE}
RECORDED = {*KINDS, "statement.json", "statement.md"}  # what the ledger holds a copy of; the rest is drawn from these
NOISE = "noise"  # fields that begin so are scaled to the bounds


def walk(release_root, page=None, draw=None):
    """Check results/release/<branch>/<name>/<file>, each of them; return the folders checked.

    page : folder -> text of the page that its other files give; without it a page is refused
    draw : draw(folder, branch, target) draws mesh, table and picture of the release in `folder` again, into `target`
    """
    root, checked = Path(release_root), []
    for branch in sorted(root.iterdir()):
        _refuse_unless(branch.is_dir() and branch.name in FILES, branch, "is no branch")
        for folder in sorted(branch.iterdir()):
            _refuse_unless(folder.is_dir() and _is_name(folder.name), folder, "is no release")
            check_folder(folder, branch.name, page)
            if draw is not None:
                check_drawings(folder, branch.name, draw)
            checked.append(folder)
    return checked


def check_folder(folder, branch, page=None):
    """Check all files of one release folder; RefusedRelease names the first that is not allowed, and why."""
    paths = sorted(Path(folder).iterdir())
    names = {path.name for path in paths}
    for path in paths:
        _refuse_unless(path.is_file() and not path.is_symlink(), path, "is not a plain file")
        named = path.name in FILES[branch] | COMMON or (names & MODELS and OF_MODELS.fullmatch(path.name))
        _refuse_unless(named, path, "is not on the list of files")
    _refuse_unless({"statement.json", "statement.md"} <= names, Path(folder), "has no statement")
    stated = check_statement(Path(folder))
    for path in sorted(paths, key=lambda one: one.name == PAGE):  # what a page is made of comes before it
        _check(path, stated, page)


def check_drawings(folder, branch, draw):
    """Refuse a file that is not what drawing the release once more gives."""
    with TemporaryDirectory() as again:
        draw(folder, branch, Path(again))
        for path in sorted(folder.iterdir()):
            if path.name not in RECORDED | {"index.html"}:
                drawn = Path(again) / path.name
                same = drawn.is_file() and drawn.read_bytes() == path.read_bytes()
                _refuse_unless(same, path, "is not what drawing its release gives")


def check_statement(folder):
    """The statement, after checking that it meets its schema, agrees with itself, and that the words follow from it."""
    path = folder / "statement.json"
    stated = may_be_stated.check(json.loads(path.read_text(encoding="utf-8"), parse_constant=_no_constant))
    holds = [condition["holds"] for condition in stated["conditions"]]
    _refuse_unless(stated["formally_private"] == all(holds), path, "states another verdict than its conditions give")
    private = stated["guarantee"]["kind"] != "none"
    _refuse_unless(stated["formally_private"] == private, path, "claims a guarantee that its conditions do not give")
    words = (folder / "statement.md").read_text(encoding="utf-8")
    _refuse_unless(words == statement_text.render(stated), folder / "statement.md", "differs from statement.json")
    return stated


def _check(path, stated, page):
    match path.suffix:
        case ".h5":
            check_artifact(path, stated)
        case ".png":
            allowed_pictures.png(path.read_bytes(), path)
        case ".ply":
            allowed_pictures.ply(path.read_bytes(), path)
        case ".glb":
            allowed_pictures.glb(path.read_bytes(), path)
        case ".csv":
            allowed_pictures.csv(path.read_bytes(), path)
        case ".tps":
            written = _landmarks(path.with_suffix(".h5"))
            _refuse_unless(path.read_text(encoding="utf-8") == written, path, "is not the landmarks of its release")
        case ".R":
            fixed = path.read_text(encoding="utf-8") == writing.R_SCRIPT
            _refuse_unless(fixed, path, "is not the script that every release has")
        case ".html":
            _refuse_unless(page is not None, path, "is a page, and how it is made of the other files was not given")
            exact = path.read_text(encoding="utf-8") == page(path.parent)
            _refuse_unless(exact, path, "is not the page that the other files give")


def _landmarks(release):
    """What the .tps file beside a release of shapes holds."""
    if release.name == shape_model.ARTIFACT:
        return drawings.tps(shape_model.read(release)[0])
    with artifacts.reader(release, artifacts.RELEASED_SHAPE) as source:
        return writing.tps(source["landmarks"], release.stem)


def check_artifact(path, stated):
    """Refuse an HDF5 file that holds more than its declared fields, other settings than the statement, or an input."""
    kind = KINDS[path.name]
    with artifacts.reader(path, kind) as source:
        fields = {name: source[name] for name in kind.fields}
        provenance = source.provenance
    _refuse_unless(not provenance["inputs"], path, "records the digest of an input")
    for settings in (json.loads(fields["settings"]), provenance["settings"]):
        _refuse_unless(settings in (stated["settings"], {}), path, "holds other settings than its statement")
    with TemporaryDirectory() as folder:
        again = Path(folder) / path.name
        with artifacts.writer(again, kind, provenance["settings"]) as out:
            out.set(**fields)
        _refuse_unless(again.read_bytes() == path.read_bytes(), path, "holds more than its declared fields")
    if any(bound["value"] is None for bound in stated["bounds"]):
        noise = [np.all(np.isnan(value)) for name, value in fields.items() if name.startswith(NOISE)]
        _refuse_unless(all(noise), path, "gives the size of noise that was scaled to the private data (write NaN)")


def _is_name(text):
    return text.replace("_", "").replace("-", "").isalnum() and text.isascii()


def _no_constant(text):
    raise RefusedRelease(f"statement.json holds {text}, which is no number")


def _refuse_unless(holds, path, words):
    if not holds:
        raise RefusedRelease(f"{path}: {words}; it may not be published. Remove it, or make the release again")
