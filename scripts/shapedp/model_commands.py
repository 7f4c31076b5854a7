"""What a released model gives: faces or shapes drawn from it, means at chosen covariates, two models compared.

All of it follows from releases alone: post-processing, which costs no privacy and tells nothing more of anybody.
"""

import io
from pathlib import Path

import numpy as np
from PIL import Image

from shapedp.errors import ArtifactError, ConfigError
from shapedp.figures import noise_map, render
from shapedp.landmarks import writing
from shapedp.model import groups, surface
from shapedp.model.shapes import as_landmarks
from shapedp.page import comparisons
from shapedp.releases import face_model, shape_model
from shapedp.storage import files
from shapedp.surfaces import curve_mesh, mesh_files

READERS = {face_model.ARTIFACT: face_model.read, shape_model.ARTIFACT: shape_model.read}
VIEWS = ("front", "three-quarter")
MAP = "mm between the mean faces, where more than noise and chance; 0 elsewhere"
NOTE = "post-processing of a release: it costs no privacy, and shows nobody"


def model_of(release):
    """The surface.Released of a release's folder or file."""
    path = Path(release)
    if path.is_dir():
        path = next((path / one for one in READERS if (path / one).is_file()), path / face_model.ARTIFACT)
    return READERS.get(path.name, face_model.read)(path)[0]


def sample(release, count, output, seed=None):
    """Write `count` faces or shapes drawn from the modes that stand above the noise; lines that say what."""
    model = model_of(release)
    drawn = model.sample(count, np.random.default_rng(seed))
    if model.radii is None:
        _arrays(output, landmarks=as_landmarks(drawn).astype(np.float32), note=NOTE)
        yield f"{output}: {count} shapes, landmarks of size 1, from {model.shown} modes; {NOTE}"
        return
    vertices = np.stack([curve_mesh.mesh(one, model.radii)[0] for one in drawn]).astype(np.float32)
    triangles = curve_mesh.triangles(drawn.shape[1], drawn.shape[3])
    _arrays(output, vertices=vertices, triangles=triangles, note=NOTE)
    yield f"{output}: {count} faces, vertices in mm, from {model.shown} modes; {NOTE}"


def predict(release, given, output):
    """Write the mean at covariates {name: value} as a surface or as landmarks; lines that say how sure it is."""
    model = model_of(release)
    known = [one.name for one in model.covariates]
    if unknown := sorted(set(given) - set(known)):
        raise ConfigError(f"{release}: has no covariate {', '.join(unknown)}; known: {', '.join(known) or 'none'}")
    z = model.z(given)
    _drawn(output, model, model.at(z))
    noise, sampling = (
        model.length(surface.band(covariance(z)) ** 2)
        for covariance in (model.noise_covariance, model.sampling_covariance)
    )
    both = np.hypot(noise, sampling)
    record, over = ("shape", "as a whole") if model.radii is None else ("face", "rms at a point")
    yield f"{output}: the mean {record} at {_words(model, given)}; {NOTE}"
    yield (
        f"band, {over}: {both:.2g} {model.unit} (noise for privacy {noise:.2g} {model.unit}, chance in who took part "
        f"{sampling:.2g} {model.unit})"
    )
    if model.radii is not None:
        yield f"95% of points lie within about {1.96 * both / np.sqrt(3):.2g} mm along each axis"


def compare(one, other, output):
    """Write where two models' means differ beyond noise and chance; lines that say how much.

    output : a page (.html) with a map of the face, or a table of the points
    """
    first, second = model_of(one), model_of(other)
    if first.effects.shape[1:] != second.effects.shape[1:]:
        raise ArtifactError(f"{other}: has other curves than {one}; compare releases made with the same settings")
    found, points = compared(first, second)
    lines = list(told(found, first, second))
    if Path(output).suffix == ".html":
        names = [Path(path).name for path in (one, other)]
        files.write_text(output, comparisons.page(names, picture(first, found), MAP, lines, groups.RATE))
    else:
        files.write_text(output, table(found, points, first.unit))
    yield f"{output}: where {other} differs from {one}; {NOTE}"
    yield from lines


def picture(model, found):
    """PNG bytes: the face, coloured by how far the means differ where that exceeds noise and chance."""
    if model.radii is None:
        raise ConfigError("a page shows where faces differ; of shapes, write a table: --output compared.csv")
    differ = np.where(found.exceeds, found.distance, 0.0).reshape(model.mean.shape[0], -1)
    vertices, triangles = curve_mesh.mesh(model.mean, model.radii)
    colours, most = noise_map.colours(curve_mesh.at_vertices(differ))
    cameras = [render.fitted_camera([vertices], view) for view in VIEWS]
    views = [render.render(vertices, triangles, camera, colours=colours) for camera in cameras]
    made = io.BytesIO()
    Image.fromarray(noise_map.over_scale(np.hstack(views), most, MAP)).save(made, format="png")
    return made.getvalue()


def table(found, points, unit):
    """Text of the table of a comparison, one row a point."""
    header = ",".join([*(f"{axis}_{unit}" for axis in "xyz"[: points.shape[1]]), f"difference_{unit}"])
    columns = np.column_stack([points, found.distance, found.p_values, found.exceeds, found.detectable])
    rows = [",".join(f"{value:.6g}" for value in row) for row in columns]
    return "\n".join([f"{header},p_value,exceeds,detectable_{unit}", *rows]) + "\n"


def told(found, first, second):
    """Lines about a comparison: how large, how much of it is sure, what would be found and with how many people."""
    unit = first.unit
    yield (
        f"difference of the means: {np.sqrt(np.mean(found.distance**2)):.2g} {unit} rms, {found.distance.max():.2g} "
        f"{unit} at most; {np.mean(found.exceeds):.0%} of the points exceed noise and chance at a false discovery rate "
        f"of {groups.RATE:.0%}"
    )
    yield f"power: a shift of {np.median(found.detectable):.2g} {unit} (median over the points) is found 8 times in 10"
    if first.radii is not None:
        fields = [model.covariances(model.average) for model in (first, second)]
        people = groups.people_needed(fields, [first.people, second.people], groups.SHIFT, groups.SHARE)
        yield f"{groups.words(people)}, with noise as here"


def compared(first, second):
    """(groups.Comparison of the means, (N, d) points of the first), over all points of the curves."""
    covariance = first.covariance(first.average) + second.covariance(second.average)
    d = covariance.shape[-1]
    points = np.moveaxis(first.mean, 1, 2).reshape(-1, d)
    difference = np.moveaxis(second.mean - first.mean, 1, 2).reshape(-1, d)
    return groups.compare(difference, covariance.reshape(-1, d, d)), points


def _words(model, given):
    rest = [one.name for one in model.covariates if one.name not in given]
    told = [f"{name} = {value}" for name, value in given.items()] + [f"{name} as on average" for name in rest]
    return ", ".join(told) or "everybody's average"


def _drawn(output, model, curves):
    if model.radii is None:
        landmarks = as_landmarks(curves)
        tps = Path(output).suffix == ".tps"
        files.write_text(output, writing.tps(landmarks, Path(output).stem) if tps else writing.csv(landmarks))
        return
    with files.atomic(output) as partial:
        partial.write_bytes(mesh_files.encode(*curve_mesh.mesh(curves, model.radii), Path(output).suffix))


def _arrays(output, **arrays):
    with files.atomic(output) as partial, partial.open("wb") as stream:
        np.savez(stream, **arrays)


def pairs(arguments):
    """{name: value} of further options such as `--age 40 --sex=f`."""
    words = [part for one in arguments for part in (one.split("=", 1) if one.startswith("--") else [one])]
    if len(words) % 2 or not all(name.startswith("--") for name in words[::2]):
        raise ConfigError(f"covariates are given as --name value, found {' '.join(arguments)}")
    return {name[2:]: value for name, value in zip(words[::2], words[1::2], strict=True)}
