"""One face beside a released model, on the user's machine: the chain, the map of z, and a page that holds both."""

import base64
import io
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
from PIL import Image

from shapedp import __version__, artifacts
from shapedp.chain import step, steps
from shapedp.cli import models
from shapedp.errors import ArtifactError, ConfigError
from shapedp.figures import face_means, render
from shapedp.model import assessment
from shapedp.model.distances import Measures
from shapedp.page.view import asset
from shapedp.storage import files
from shapedp.surfaces import curve_mesh

VIEWS = ("front", "three-quarter")
MOST = 4.0  # standard deviations at the ends of the colours
SCALE = "standard deviations inward (blue) or outward (red) of the norm"
LOW = 3.0  # centile
ALIKE = 1e-9  # of the template's area


def assess(
    scan: Path, model: Path, template: Path, faces: Mapping[str, Any], given: Mapping[str, Any], output: Path
) -> Iterator[str]:
    """Write z.png, face.ply, distances.csv and index.html of one scan into `output`; lines that say what was found.

    faces : the settings of that name of the run that made the model; given : {covariate: value}
    """
    released = models.model_of(model)
    _refuse_release(output)
    if unknown := sorted(set(given) - {one.name for one in released.covariates}):
        raise ConfigError(f"{model}: has no covariate {', '.join(unknown)}")
    curves = chained(scan, template, faces, released)
    found = assessment.assess(curves, released, given)
    with artifacts.reader(template, artifacts.TEMPLATE) as source:
        measures = Measures.of_template(source)
    rows = assessment.measured(curves, released, given, measures)
    lines = [*assessment.words(found, given), *_unusual(rows)]
    vertices, triangles = curve_mesh.mesh(curves, released.radii)
    colours = face_means.both_ways(curve_mesh.at_vertices(found.z) / MOST)
    cameras = [render.fitted_camera([vertices], view) for view in VIEWS]
    seen = np.hstack([render.render(vertices, triangles, camera, colours=colours) for camera in cameras])
    picture = io.BytesIO()
    Image.fromarray(face_means.over_inward_scale(seen, MOST, SCALE)).save(picture, format="png")
    output.mkdir(parents=True, exist_ok=True, mode=0o700)
    page = Template(asset("assessed.html")).substitute(
        version=__version__,
        style=asset("page.css"),
        picture="data:image/png;base64," + base64.b64encode(picture.getvalue()).decode("ascii"),
        words=escape(SCALE),
        lines="\n".join(f"<li>{escape(one)}</li>" for one in lines),
        rows="\n".join(map(_row, rows)),
    )
    for name, content in (("z.png", picture.getvalue()), ("face.ply", _coloured(vertices, triangles, colours))):
        with files.atomic(output / name) as partial:
            partial.write_bytes(content)
    files.write_text(output / "distances.csv", "\n".join(assessment.table(rows)) + "\n")
    files.write_text(output / "index.html", page)
    yield f"{output}: z.png, face.ply, distances.csv and index.html, of one person: keep them as you keep the scan"
    yield from lines


def _unusual(rows):
    """Which distances and angles lie outside the 3rd to 97th centile; nothing where the template carries none."""
    if not rows:
        return
    out = [f"{one.name} ({one.value:.3g} {one.unit}, centile {one.centile:.1f})" for one in rows if _far(one)]
    yield (
        f"of {len(rows)} distances and angles {len(out)} lie outside the 3rd to 97th centile, about "
        f"{0.06 * len(rows):.1f} do in a usual face{': ' if out else ''}{'; '.join(out)}"
    )


def _far(one):
    return not LOW <= one.centile <= 100 - LOW


def _row(one):
    numbers = (f"{one.value:.1f}", f"{one.mean:.1f}", f"{one.sd:.1f}", f"{one.centile:.1f}")
    cells = "".join(f"<td>{text}</td>" for text in (one.unit, *numbers))
    return f'<tr><th scope="row">{escape(one.name)}</th>{cells}</tr>'


def chained(scan: Path, template: Path, faces: Mapping[str, Any], released: Any) -> np.ndarray:
    """(J, 3, m) in mm of the model's template: the scan taken through the chain."""
    with artifacts.reader(template, artifacts.TEMPLATE) as source:
        scale, curves = float(source["scale"]), source["curves"]
    if curves.shape != released.reference.shape or np.abs(curves * scale - released.reference).max() > ALIKE * scale:
        raise ArtifactError(
            f"{template}: is not the template that the model was made with; name that run's template.h5"
        )
    (walked,) = step.walk([step.Scan("face", str(scan))], steps.STEPS, step.Given(faces, template))
    if walked.refusal:
        raise ArtifactError(f"{scan}: cannot be assessed: {walked.refusal.reason}")
    return walked.records[steps.CURVES.makes]["curves"] * scale


def _refuse_release(output):
    """No page of a release shows an assessed person."""
    if "release" in output.resolve().parts:
        raise ConfigError(
            f"--output {output}: lies where releases lie; name a folder of your own for one person's face"
        )


def _coloured(vertices, triangles, colours):
    import trimesh  # late: a second of start

    shown = np.round(255 * colours).astype(np.uint8)
    return trimesh.Trimesh(vertices, triangles, vertex_colors=shown, process=False).export(file_type="ply")
