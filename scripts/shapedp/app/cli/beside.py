"""What is made beside a release from it alone, after it was stored: its folder never changes.

All of it is post-processing: no record is read and nothing is spent.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from shapedp.app.cli import models
from shapedp.app.cli.assessing import ALIKE
from shapedp.app.cli.other_tools import find_released_file
from shapedp.base import artifacts, writers
from shapedp.base.errors import ArtifactError, ConfigError
from shapedp.base.settings.subjects import FACES
from shapedp.base.storage import files
from shapedp.releases import allow_list, kinds
from shapedp.releases.model import anova, at_landmarks, compared, mean_at_landmarks, norms, panel, released_model
from shapedp.releases.model.shapes import as_landmarks
from shapedp.releases.viewer import board_page, tables_page
from shapedp.releases.viewer.view import put_in_words_of_subject
from shapedp.surfaces import curve_mesh
from shapedp.surfaces.subjects.catalogues import make_measures

STATEMENT = "statement.json"
FACE_KINDS = tuple(
    released_kind.artifact_name
    for released_kind in kinds.KINDS
    if released_kind.branch == "faces" and not released_kind.is_difference
)
MODEL_KINDS = artifacts.FACE_MODEL.name, artifacts.SHAPE_MODEL.name
TABLE_KINDS = *FACE_KINDS, *MODEL_KINDS, artifacts.RELEASED_SHAPE.name
ERRORS_COUNTED = (
    "errors count noise for privacy and chance in who took part, not how far two registrations of one face differ"
)
PUBLIC_CORRELATION = "how landmarks go together is that of public people"


def write_board_sheet(release: Path, output: Path) -> Iterator[str]:
    """Write the page that answers an ethics board's questions about a release; yield a line that says so.

    Parameters
    ----------
    release : Path
        The release's folder.
    output : Path
        A page outside any release's folder.
    """
    if output.suffix != ".html":
        raise ConfigError(f"{output}: the sheet is written as a web page; give a name that ends in .html")
    # Whatever is put into a stored release would make it another one than its digests name.
    refuse_inside_release(output.parent, output)
    statement = allow_list.check_statement(require_statement(release))
    files.write_text(output, board_page.render_page(statement))
    count = len(board_page.list_questions(statement))
    yield f"{output}: {count} questions answered from {release / STATEMENT}; print it on one page. Not legal advice"


def require_statement(release: Path) -> Path:
    """Return the folder of a release, refused where no statement tells what a sheet for the ethics board would say."""
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


def write_tables(release: Path, output: Path, template: Path) -> Iterator[str]:
    """Write the tables that laboratories publish with a released mean or model; return lines that say what they hold.

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
    path = find_released_file(release)
    kind = artifacts.header(path)[0]
    if kind not in TABLE_KINDS:
        raise ArtifactError(
            f"{path}: holds '{kind}', for which no tables can be made; give one of "
            f"{', '.join(dict.fromkeys(TABLE_KINDS))}"
        )
    subject = models.read_subject(path)
    has_landmarks = path.with_name(mean_at_landmarks.FILE).is_file()
    if not subject.is_face and kind in FACE_KINDS and kind not in MODEL_KINDS and not has_landmarks:
        raise ConfigError(
            f"{path}: tables hold distances between landmarks of faces, and this release shows a {subject.word}; "
            "name points in faces.landmarks before the run, and its tables hold the distances between them"
        )
    texts, sentences = (
        _tabulate_model(path, subject, template)
        if kind in MODEL_KINDS
        else _tabulate_curves(path, kind, subject, template)
    )
    for name, text in texts.items():
        files.write_text(output / name, text)
    yield f"{output}: {', '.join(texts)}; post-processing of a release, which spends nothing"
    yield from sentences


def _tabulate_model(path, subject, template):
    """Return ({name: text}, sentences) of a model's tables, for `shapedp tables` to write and to print."""
    model, settings = released_model.read(path)
    sentences, measures, at_points = [], None, at_landmarks.beside_model(path, model)
    if model.radii is None and (at_points := at_landmarks.beside_shapes(path, model, settings)) is not None:
        measures = at_points.measures
        sentences.append(_describe_links(measures))
    if model.radii is not None and (subject.is_face or at_points):
        measures = at_points.measures if at_points else _read_measures(template, model.reference.shape, model.reference)
        sentences += [
            _describe_measures(measures),
            ERRORS_COUNTED if at_points else f"{ERRORS_COUNTED}; {PUBLIC_CORRELATION}",
        ]
    if model.covariates:
        sentences += anova.sentences(anova.analyse(model), subject.word if model.radii is not None else "shape")
    texts = tables_page.render_tables(model, path.parent.name, measures, at_points)
    if not subject.is_face:
        texts[tables_page.PAGE] = put_in_words_of_subject(subject, texts[tables_page.PAGE])
    return texts, sentences


def _tabulate_curves(path, kind, subject, template):
    """Return ({name: text}, sentences) of the tables of a mean or another release without modes.

    `shapedp tables` writes and prints them.
    """
    mean_and_known = mean_at_landmarks.beside_mean(path)
    if mean_and_known is not None:
        mean, known = mean_and_known
        texts = tables_page.render_mean_tables(mean, known, path.parent.name)
        if not subject.is_face:
            texts[tables_page.PAGE] = put_in_words_of_subject(subject, texts[tables_page.PAGE])
        if mean.radii is None:
            return texts, [_describe_links(known.measures)]
        return texts, [_describe_measures(known.measures), ERRORS_COUNTED]
    if kind == artifacts.RELEASED_SHAPE.name:
        raise ArtifactError(
            f"{path}: no distances can be given for this release, since its landmarks are an outline, or its "
            "center or its noise is not public, or no drawn.h5 of mechanism `shaped` lies beside it"
        )
    kind_class = kinds.find_artifact(kind)
    if kind_class.has_own_tables:
        released = kind_class.part("released").read(path)
        return {tables_page.NORMS: "\n".join(released.measures_table()) + "\n"}, [_describe_measures(released.measures)]
    mean = compared.mean_face(path)
    measures = _read_measures(template, mean.mean.shape)
    lines = norms.table([({}, norms.from_mean(mean, measures))], measures)
    chance = "; chance is not counted, since this release says nothing about it" * (mean.sampling is None)
    sentences = [_describe_measures(measures), f"{ERRORS_COUNTED}; {PUBLIC_CORRELATION}{chance}"]
    return {tables_page.NORMS: "\n".join(lines) + "\n"}, sentences


def _describe_measures(measures):
    """Return a sentence that tells the user how many of the named distances and angles the template carries."""
    others = "; the template carries no others" * (len(measures.names) < len(measures.ends_of))
    of_faces = f". {tables_page.describe_coverage(measures)}" * tables_page.is_of_faces(measures)
    return f"{len(measures.names)} of {len(measures.ends_of)} named distances and angles{others}{of_faces}"


def _describe_links(measures):
    """Return a sentence on which distances between landmarks there are."""
    which = "those that the settings name or link, or of their shortest tree"
    return f"{len(measures.names)} distances between landmarks: {which}"


def _read_measures(template, shape, reference=None):
    """Return the Measures on a template that the user names for tables of an older release, refused if it is another.

    reference (J, 3, m) mm : the release's own, where it holds one, which must be that of the template
    """
    if not template.is_file():
        raise ConfigError(
            f"--template {template}: no such file; name the template.h5 of the run that made the release, which "
            "says where landmarks lie"
        )
    with artifacts.reader(template, artifacts.TEMPLATE) as source:
        curves, scale = source["curves"], float(source["scale"])
        same = curves.shape == shape
        if same and reference is not None:
            same = np.abs(curves * scale - reference).max() <= ALIKE * scale
        if not same:
            raise ArtifactError(
                f"{template}: is not the template that the release was made with; name that run's template.h5"
            )
        return make_measures(source, FACES)


def write_size_panel(release: Path, sizes: int, by: str | None, output: Path) -> Iterator[str]:
    """Write the forms of a size panel, by which things are made in few sizes; return lines that say whom each serves.

    Beside them lies panel.csv.

    Parameters
    ----------
    release : Path
        A released model: its folder, or its .h5 file.
    sizes : int
        How many forms.
    by : str or None
        Two measures with a comma between them; None for the two widest modes.
    output : Path
        A folder outside any release's.
    """
    refuse_inside_release(output, output)
    path = find_released_file(release)
    if artifacts.header(path)[0] not in MODEL_KINDS:
        raise ArtifactError(
            f"{path}: is not a model; give a released model, since a panel is made from people's "
            "spread, which nothing else holds"
        )
    names = tuple(part.strip() for part in by.split(",")) if by else None
    if names is not None and len(set(names)) != 2:
        raise ConfigError(f"--by {by}: give two measures with a comma between them, such as face_height,biocular_width")
    model = released_model.read(path)[0]
    at_points = at_landmarks.beside_model(path, model)
    forms = panel.make_panel(model, sizes, names, at_points)
    measures = at_points.measures if at_points is not None else None
    columns = [name.replace(" ", "_") for name in measures.names] if measures is not None else []
    lines = [",".join(["form", "share_of_people", "first_axis_sd", "second_axis_sd", *columns])]
    for form in forms:
        if model.radii is None:
            files.write_text(output / f"{form.name}.csv", writers.format_csv(as_landmarks(form.curves)))
        else:
            vertices, triangles = curve_mesh.mesh(form.curves, model.radii)
            for ending in (".ply", ".glb"):
                files.write_bytes(output / f"{form.name}{ending}", writers.encode_surface(vertices, triangles, ending))
        values = [form.share, *form.place, *(measures.values(form.curves) if measures is not None else [])]
        lines.append(",".join([form.name, *(f"{value:.5g}" for value in values)]))
    files.write_text(output / "panel.csv", "\n".join(lines) + "\n")
    plane = " and ".join(names).replace("_", " ") if names else "the two widest modes"
    yield f"{output}: {len(forms)} forms in the plane of {plane}; post-processing of a release, which spends nothing"
    for form in forms:
        yield f"{form.name}: serves {form.share:.0%} of people"
    if model.shown < 2:
        yield f"{model.shown} of the modes stand above the noise, so the forms are mostly noise"
