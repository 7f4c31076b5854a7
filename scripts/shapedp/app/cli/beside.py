"""What is made beside a release from it alone, after it was stored: its folder never changes.

All of it is post-processing: no record is read and nothing is spent.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from shapedp.app.cli import models
from shapedp.app.cli.assessing import ALIKE
from shapedp.app.cli.other_tools import released_file
from shapedp.base import artifacts
from shapedp.base.errors import ArtifactError, ConfigError
from shapedp.base.storage import files
from shapedp.releases import allow_list, kinds
from shapedp.releases.model import anova, compared, norms, released_model
from shapedp.releases.viewer import board_page
from shapedp.surfaces.human_face.distances import MEASURES, Measures

STATEMENT = "statement.json"
NORMS, ANOVA = "measures.csv", "anova.csv"
OF_FACES = tuple(one.artifact_name for one in kinds.KINDS if one.branch == "faces" and not one.is_difference)
OF_MODELS = artifacts.FACE_MODEL.name, artifacts.SHAPE_MODEL.name
COUNTED = (
    "errors count noise for privacy and chance in who took part, not how far two registrations of one person differ; "
    "how landmarks go together is that of public people"
)


def board(release: Path, output: Path) -> Iterator[str]:
    """Write the sheet for whoever must say yes; return lines that say what was written.

    Parameters
    ----------
    release : Path
        The release's folder.
    output : Path
        A page outside any release's folder.
    """
    if output.suffix != ".html":
        raise ConfigError(f"{output}: a sheet is a page; give a file that ends in .html")
    refuse_inside_release(output.parent, output)
    stated = allow_list.check_statement(stated_folder(release))
    files.write_text(output, board_page.page_of(stated))
    count = len(board_page.questions(stated))
    yield f"{output}: {count} questions answered from {release / STATEMENT}; print it on one page. Not legal advice"


def stated_folder(release: Path) -> Path:
    """Return the folder of a release, refused where it holds no statement."""
    if not (release / STATEMENT).is_file():
        raise ConfigError(f"{release}: holds no {STATEMENT}; give the folder of a release")
    return release


def refuse_inside_release(folder: Path, output: Path) -> None:
    """Refuse to write into a release's folder, which stays as it was stored.

    Parameters
    ----------
    folder : Path
        Where files would be put.
    output : Path
        What was asked for, for the message.
    """
    if (folder / STATEMENT).exists():
        raise ConfigError(f"{output}: lies in a release's folder, which never changes; give a place outside it")


def tables(release: Path, output: Path, template: Path) -> Iterator[str]:
    """Write the tables that follow from a release; return lines that say what they hold.

    Parameters
    ----------
    release : Path
        A release's folder, or its .h5 file; of differences there are no tables.
    output : Path
        A folder outside any release's.
    template : Path
        The public template of the run that made it, which says where the landmarks lie.
    """
    refuse_inside_release(output, output)
    path = released_file(release)
    kind = artifacts.header(path)[0]
    if kind not in {*OF_FACES, *OF_MODELS}:
        raise ArtifactError(
            f"{path}: holds '{kind}', of which there are no tables; give one of {', '.join([*OF_FACES, *OF_MODELS])}"
        )
    written, shown = {}, models.shown_by(path)
    if not shown.is_face and kind not in OF_MODELS:
        raise ConfigError(
            f"{path}: its tables hold distances between landmarks of faces, and it shows a {shown.word}; name points "
            "in faces.marks: `shapedp assess` sets the distances between them beside a model"
        )
    if kind in OF_FACES and shown.is_face:
        written[NORMS] = _norms(path, kind, template)
    if kind in OF_MODELS and (model := released_model.read(path)[0]).covariates:
        found = anova.analyse(model)
        told = list(anova.sentences(found, shown.word if model.radii is not None else "shape"))
        written[ANOVA] = list(anova.table(found)), told
    if not written:
        record = "shapes" if kind == artifacts.SHAPE_MODEL.name else shown.plural
        raise ConfigError(
            f"{path}: a model of {record} without covariates has no table; release one with `covariates:`"
        )
    for name, (lines, _) in written.items():
        files.write_text(output / name, "\n".join(lines) + "\n")
    for name, (lines, told) in written.items():
        yield f"{output / name}: {len(lines) - 1} rows; post-processing of a release, which spends nothing"
        yield from told


def _norms(path, kind, template):
    """(lines of the norm table, sentences about it)."""
    of_release = kinds.find_artifact(kind)
    if of_release.has_own_tables:
        released = of_release.part("released").read(path)
        return released.measures_table(), [_carried(released.measures)]
    if not template.is_file():
        raise ConfigError(
            f"--template {template}: no such file, and it says where landmarks lie; name the template.h5 of the run "
            "that made the release"
        )
    if kind == artifacts.MEAN_FACE.name:
        mean = compared.mean_face(path)
        measures = _measures(template, mean.mean.shape)
        rows = [({}, norms.of_mean(mean, measures))]
        chance = "; chance is not counted, since this release holds nothing of it" * (mean.sampling is None)
        return list(norms.table(rows, measures)), [_carried(measures), COUNTED + chance]
    model, _ = released_model.read(path)
    measures = _measures(template, model.reference.shape, model.reference)
    rows = [(words, norms.of_model(model, measures, z)) for words, z in norms.levels(model)]
    return list(norms.table(rows, measures)), [_carried(measures), COUNTED]


def _carried(measures):
    return f"{len(measures.names)} of {len(MEASURES)} named distances and angles; the template carries no others"


def _measures(template, shape, reference=None):
    """The Measures on a template; reference (J, 3, m) mm : the release's own, where it holds one, which must be it."""
    with artifacts.reader(template, artifacts.TEMPLATE) as source:
        curves, scale = source["curves"], float(source["scale"])
        same = curves.shape == shape
        if same and reference is not None:
            same = np.abs(curves * scale - reference).max() <= ALIKE * scale
        if not same:
            raise ArtifactError(
                f"{template}: is not the template that the release was made with; name that run's template.h5"
            )
        return Measures.of_template(source)
