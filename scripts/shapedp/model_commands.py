"""What a released face model gives: faces drawn from it, mean faces at chosen covariates, two models compared.

All of it follows from releases alone: post-processing, which costs no privacy and tells nothing more of anybody.
"""

from pathlib import Path

import numpy as np

from shapedp.errors import ArtifactError, ConfigError
from shapedp.model import groups, surface
from shapedp.releases import face_model
from shapedp.storage import files
from shapedp.surfaces import curve_mesh, mesh_files

NOTE = "post-processing of a release: it costs no privacy, and shows nobody"


def model_of(release):
    """The surface.FaceModel of a release's folder or file."""
    path = Path(release)
    return face_model.read(path / face_model.ARTIFACT if path.is_dir() else path)[0]


def sample(release, count, output, seed=None):
    """Write `count` faces drawn from the modes that stand above the noise, as points in mm; lines that say what."""
    model = model_of(release)
    faces = model.sample(count, np.random.default_rng(seed))
    vertices = np.stack([curve_mesh.mesh(one, model.radii)[0] for one in faces]).astype(np.float32)
    triangles = curve_mesh.triangles(faces.shape[1], faces.shape[3])
    _arrays(output, vertices=vertices, triangles=triangles, note=NOTE)
    yield f"{output}: {count} faces, vertices in mm, from {model.shown} modes; {NOTE}"


def predict(release, given, output):
    """Write the mean face at covariates {name: value} as a surface; lines that say how sure it is."""
    model = model_of(release)
    known = [one.name for one in model.covariates]
    if unknown := sorted(set(given) - set(known)):
        raise ConfigError(f"{release}: has no covariate {', '.join(unknown)}; known: {', '.join(known) or 'none'}")
    z = model.z(given)
    _surface(output, model, model.at(z))
    noise, sampling = (_rms(covariance(z)) for covariance in (model.noise_covariance, model.sampling_covariance))
    both = np.hypot(noise, sampling)
    yield f"{output}: the mean face at {_words(model, given)}; {NOTE}"
    yield (
        f"band, rms at a point: {both:.2g} mm (noise for privacy {noise:.2g} mm, chance in who took part "
        f"{sampling:.2g} mm); 95% of points lie within about {1.96 * both / np.sqrt(3):.2g} mm along each axis"
    )


def compare(one, other, output):
    """Write a table of where two models' mean faces differ beyond noise and chance; lines that say how much."""
    first, second = model_of(one), model_of(other)
    if first.effects.shape[1:] != second.effects.shape[1:]:
        raise ArtifactError(f"{other}: has other curves than {one}; compare releases made with the same settings")
    found, points = compared(first, second)
    header = "x_mm,y_mm,z_mm,difference_mm,p_value,exceeds,detectable_mm"
    table = np.column_stack([points, found.distance, found.p_values, found.exceeds, found.detectable])
    rows = [",".join(f"{value:.6g}" for value in row) for row in table]
    files.write_text(output, "\n".join([header, *rows]) + "\n")
    yield f"{output}: one row a point of {one}; {NOTE}"
    yield (
        f"difference of the means: {np.sqrt(np.mean(found.distance**2)):.2g} mm rms, {found.distance.max():.2g} mm at "
        f"most; {np.mean(found.exceeds):.0%} of the points exceed noise and chance at a false discovery rate of "
        f"{groups.RATE:.0%}"
    )
    yield f"power: a shift of {np.median(found.detectable):.2g} mm (median over the points) is found 8 times in 10"


def compared(first, second):
    """(groups.Comparison of the mean faces, (N, 3) points of the first), over all points of the curves."""
    covariance = first.covariance(first.average) + second.covariance(second.average)
    points = np.moveaxis(first.mean, 1, 2).reshape(-1, 3)
    difference = np.moveaxis(second.mean - first.mean, 1, 2).reshape(-1, 3)
    return groups.compare(difference, covariance.reshape(-1, 3, 3)), points


def _rms(covariance):
    return float(np.sqrt(np.mean(surface.band(covariance) ** 2)))


def _words(model, given):
    rest = [one.name for one in model.covariates if one.name not in given]
    told = [f"{name} = {value}" for name, value in given.items()] + [f"{name} as on average" for name in rest]
    return ", ".join(told) or "everybody's average"


def _surface(output, model, curves):
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
