"""One face or specimen beside a release with a norm, on the user's machine: the chain, a map of z, and a page."""

import datetime
import json
from collections.abc import Iterator, Mapping
from html import escape
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from shapedp import landmarks
from shapedp.app.cli import models
from shapedp.app.cli.other_tools import find_released_file
from shapedp.base import artifacts
from shapedp.base.errors import ArtifactError, ConfigError
from shapedp.base.settings import subjects
from shapedp.base.storage import files
from shapedp.landmarks import sheet
from shapedp.landmarks.shapes import describe_slip
from shapedp.ledger.restoring import STATEMENT
from shapedp.privacy.manifolds import landmark_shapes
from shapedp.releases.figures import face_means, render, shading
from shapedp.releases.figures import shapes as figures
from shapedp.releases.model import assessment, at_landmarks, released_model
from shapedp.releases.model.covariates import SIZE
from shapedp.releases.model.shapes import as_landmarks
from shapedp.releases.statement import statement_text
from shapedp.releases.viewer import view
from shapedp.surfaces import curve_mesh
from shapedp.surfaces.chain import step, steps
from shapedp.surfaces.chain.cohort import find_template_kind
from shapedp.surfaces.subjects.catalogues import make_measures

# Standard deviations at the ends of the colours.
MOST = 4.0
SCALE = "standard deviations inward (blue) or outward (red) of the norm"
# Centile below which, and as far from 100 above which, a distance counts as unusual.
LOW = 3.0
# Of a statement's guarantee.
COSTS = "mu", "epsilon"
# Of the template's area: two machines agree about a template within that.
ALIKE = 1e-9


def assess(
    scan: Path, model: Path, template: Path, faces: Mapping[str, Any], covariates: Mapping[str, Any], output: Path
) -> Iterator[str]:
    """Write how unusual one face is, as z.png, face.ply, distances.csv and index.html; yield lines on what was found.

    Parameters
    ----------
    scan : path
        Of one face.
    model : path
        A release of which `predict` gives means: its folder or file.
    template : path
        The public template's artifact of the run that made the model.
    faces : mapping
        The settings of that name of that run.
    covariates : mapping
        {name: value} of the person.
    output : path
        A folder of one's own, which holds a person's face.
    """
    released = models.read_model(model, with_norm=True)
    declared = released.covariates
    _check_output_and_covariates(output, model, covariates, declared)
    curves = run_chain(scan, template, faces, released)
    assessment_found = assessment.assess(curves, released, covariates)
    shown = subjects.from_settings(faces)
    with artifacts.reader(template, find_template_kind(faces)) as source:
        measures = make_measures(source, shown)
    at_points = at_landmarks.beside_model(find_released_file(model), released)
    rows = assessment.measure(curves, released, covariates, measures, at_points)
    lines = [
        shown.in_words(line)
        for line in (*assessment.words(assessment_found, covariates, declared), *_list_unusual(rows))
    ]
    vertices, triangles = curve_mesh.mesh(curves, released.radii)
    colours = face_means.colour_both_ways(curve_mesh.at_vertices(assessment_found.z) / MOST)
    # Late: it takes a second of start.
    import trimesh

    painted = np.round(255 * colours).astype(np.uint8)
    surface = trimesh.Trimesh(vertices, triangles, vertex_colors=painted, process=False)
    seen = np.hstack([lit(colours, shading.EVEN) for lit in render.prepare_looks(vertices, triangles)])
    written = {
        "z.png": models.encode_png(face_means.put_over_scale(seen, MOST, SCALE, least=-1.0)),
        "face.ply": surface.export(file_type="ply"),
        "distances.csv": "\n".join([*assessment.table(rows), ""]).encode(),
    }
    numbers = [[f"{x:.1f}" for x in (measure.value, measure.mean, measure.sd, measure.centile)] for measure in rows]
    units = [shown.in_words(measure.unit) for measure in rows]
    cells = [(measure.name, unit, *texts) for measure, unit, texts in zip(rows, units, numbers, strict=True)]
    page = {name: _put_in_words(shown, text) for name, text in FACE.items()}
    yield _write_page(output, written, page | {"subject": _describe_subject(scan, model)}, lines, cells)
    yield from lines


def assess_landmarks(
    specimen: Path, model: Path, covariates: Mapping[str, Any], output: Path, side: str = ""
) -> Iterator[str]:
    """Write how unusual one specimen is, as z.png, landmarks.csv and index.html; yield lines on what was found.

    The covariate log_size is the specimen's own where it is not given.

    Parameters
    ----------
    specimen : path
        A landmark file of one specimen.
    model : path
        A released model of shapes: its folder or file.
    covariates : mapping
        {name: value} of the specimen.
    output : path
        A folder of one's own.
    side : str
        `right` is mirrored, as the sheet has it.
    """
    released, stated = released_model.read(find_released_file(model))
    _check_output_and_covariates(output, model, covariates, released.covariates)
    center, left_out = as_landmarks(released.reference), stated.get("leave_out", ())
    specimen_points = _read_specimen(specimen, left_out, center.shape, side)
    numbers = [number for number in range(1, len(specimen_points) + len(left_out) + 1) if number not in left_out]
    _, slipped = describe_slip(landmark_shapes.slip(center, landmark_shapes.unit(specimen_points[None])[0][0]), numbers)
    if any(number.name == SIZE for number in released.covariates):
        covariates = {SIZE: f"{landmark_shapes.log_sizes(specimen_points[None])[0]:.6g}", **covariates}
    curves = assessment.prepare_specimen(specimen_points, released, stated)
    z_map = assessment.assess(curves, released, covariates)
    lines = [*assessment.words(z_map, covariates, released.covariates)]
    if slipped:
        other = "is it of a left side?" if side == "right" else "if it is of a right side, give --side right"
        lines.insert(0, f"notice: {slipped}{f'; {other}' * ('mirror' in slipped)}")
    mean, shape = as_landmarks(released.at(released.z(covariates))), as_landmarks(curves)
    picture = BytesIO()
    look = figures.choose_look(stated, center)
    figures.draw_beside_norm(mean, shape, z_map.z[0], MOST, look).savefig(picture, format="png", dpi=200)
    numbers = enumerate(zip(z_map.away[0], z_map.z[0], strict=True), start=1)
    rows = [(f"{at}", f"{off:.4g}", f"{z:.3g}") for at, (off, z) in numbers]
    table = ["landmark,away_of_size,z", *map(",".join, rows), ""]
    written = {"z.png": picture.getvalue(), "landmarks.csv": "\n".join(table).encode()}
    yield _write_page(output, written, SPECIMEN | {"subject": _describe_subject(specimen, model)}, lines, rows)
    yield from lines


def is_shape_model(model: Path) -> bool:
    """Return whether a release is a model of landmark shapes; what has no norm is refused."""
    return models.read_model(model, with_norm=True).radii is None


def _check_output_and_covariates(output, model, covariates, declared):
    """Refuse an output among releases, since no person may be published, and covariates that the release lacks."""
    # What lies among releases is packed and published; a person's face must never be.
    if "release" in output.resolve().parts:
        words = "lies among the releases; name another folder, since the result shows one person"
        raise ConfigError(f"--output {output}: {words}")
    if unknown := sorted(set(covariates) - {covariate.name for covariate in declared}):
        raise ConfigError(
            f"{model}: has no covariate {', '.join(unknown)}; it has "
            f"{', '.join(covariate.name for covariate in declared) or 'none'}"
        )


def _describe_subject(scan, model):
    """Return the heading sentence of an assessment's page: who is set beside which release, and when.

    The release is described as its statement has that.
    """
    folder = model if model.is_dir() else model.parent
    sentence, statement = f"{Path(scan).name} beside the release {folder.resolve().name}", folder / STATEMENT
    if statement.is_file():
        stated = json.loads(statement.read_text(encoding="utf-8"))
        caption = statement_text.caption(stated)
        strength = ", ".join(
            f"{name} = {stated['guarantee'][name]:.4g}" for name in COSTS if name in stated["guarantee"]
        )
        sentence += (
            f", released on {stated['date']}: {caption[0].lower()}{caption[1:]}; {strength or 'not formally private'}"
        )
    return f"{sentence}. Assessed on {datetime.date.today()}."


def _read_specimen(path, leave_out, shape, side):
    """Return the landmarks (k, d) of a file's one specimen, as the release that it is set beside takes them.

    Those that the release is without are left out, and a right side is mirrored.
    """
    specimen_file = landmarks.read(path)
    if len(specimen_file.shapes) != 1:
        raise ConfigError(
            f"{path}: holds {len(specimen_file.shapes)} specimens, and only one can be assessed at a time; save it "
            "in a file of its own"
        )
    sides = sheet.Sheet([""], [side], [""], [True], {})
    points = landmarks.drop_landmarks(sides.mirror_and_drop(specimen_file.shapes), leave_out, path.name)[0]
    if points.shape != shape:
        raise ConfigError(
            f"{path}: {len(points)} landmarks of {points.shape[1]} coordinates, where the model has {shape[0]} of "
            f"{shape[1]}; give the same landmarks as the model's, in the same order"
        )
    missing = (np.flatnonzero(np.isnan(specimen_file.shapes[0]).any(axis=1)) + 1).tolist()
    if missing := [number for number in missing if number not in leave_out]:
        raise ConfigError(
            f"{path}: landmark {missing[0]} is missing; only a specimen with all its landmarks can be assessed"
        )
    return points


# What of the page depends on what is assessed.
FACE = {
    "record": "face",
    "explained": "At each point the distance from the mean face along its normal is divided by how far people lie "
    "there, with what noise for privacy and chance in who took part leave unsure.",
    "table": "Distances and angles",
    "columns": ("measure", "unit", "this face", "mean of the norm", "standard deviation", "centile"),
    "note": "Between landmarks that the public template carries. Faces are brought to the template's size, so lengths "
    "are in its mm. Centiles are those of a normal distribution with the norm's mean and spread.",
    "words": SCALE,
}
SPECIMEN = {
    "record": "shape",
    "explained": "Each landmark's distance from the mean shape is set beside how far people lie there in that "
    "direction, with what noise for privacy and chance in who took part leave unsure.",
    "table": "Landmarks",
    "columns": ("landmark", "distance (share of the size)", "standard deviations"),
    "note": "Numbered as in the release. Shapes are turned to the public center and have size 1.",
    "words": "the specimen (points) over the mean (grey): standard deviations of each landmark",
}


def _put_in_words(subject, text):
    """Return a text of the page, or several, written of faces, in the words of the subject that is assessed."""
    return subject.in_words(text) if isinstance(text, str) else tuple(subject.in_words(sentence) for sentence in text)


def _write_page(output, contents, page, lines, rows):
    """Write the files {name: bytes} of an assessment and the page about them, with a table of rows of texts.

    Return a line that names them.
    """
    # The folder shows a person.
    output.mkdir(parents=True, exist_ok=True, mode=0o700)
    for name, content in contents.items():
        files.write_bytes(output / name, content)
    escaped = [[escape(text) for text in row] for row in rows]
    text = view.make_document(
        "assessed.html",
        picture=view.encode_picture(contents["z.png"]),
        lines="\n".join(f"<li>{escape(cell)}</li>" for cell in lines),
        columns="".join(f'<th scope="col">{escape(cell)}</th>' for cell in page["columns"]),
        rows="\n".join(
            f'<tr><th scope="row">{first}</th>{"".join(f"<td>{text}</td>" for text in others)}</tr>'
            for first, *others in escaped
        ),
        **{name: escape(page[name]) for name in ("record", "explained", "table", "note", "words", "subject")},
    )
    files.write_text(output / "index.html", text)
    return f"{output}: {', '.join(contents)} and index.html, of one person: keep them as you keep the scan"


def _list_unusual(rows):
    """Yield which distances and angles are unusual, outside the 3rd to 97th centile, for a clinician to look at first.

    There is nothing where the template carries none.
    """
    if not rows:
        return
    unusual = [row for row in rows if not LOW <= row.centile <= 100 - LOW]
    descriptions = [f"{row.name} ({row.value:.3g} {row.unit}, centile {row.centile:.1f})" for row in unusual]
    yield (
        f"of {len(rows)} distances and angles {len(descriptions)} lie outside the 3rd to 97th centile, about "
        f"{0.06 * len(rows):.1f} do in a usual face{': ' if descriptions else ''}{'; '.join(descriptions)}"
    )


def run_chain(scan: Path, template: Path, faces: Mapping[str, Any], released: Any) -> np.ndarray:
    """Return the curves (J, 3, m) of a new scan, in mm of the model's template, to be set beside the norm."""
    with artifacts.reader(template, artifacts.TEMPLATE) as source:
        scale, curves = float(source["scale"]), source["curves"]
    if curves.shape != released.reference.shape or np.abs(curves * scale - released.reference).max() > ALIKE * scale:
        raise ArtifactError(
            f"{template}: is not the template that the model was made with; name that run's template.h5"
        )
    chain_settings = step.ChainSettings(faces, template)
    step.refuse_other_settings(chain_settings)
    (face,) = step.walk([step.Scan("face", str(scan))], steps.STEPS, chain_settings)
    if face.refusal:
        raise ArtifactError(f"{scan}: cannot be assessed: {face.refusal.reason}")
    return face.records[steps.CURVES.makes]["curves"] * scale
