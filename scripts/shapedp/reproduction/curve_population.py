"""A population of demo faces and their radial curves, in known correspondence; nobody's data.

All demo faces stand on one mesh and are linear in their weights, so one disk map, the mean face's, serves them all:
face i is the same linear combination of fields on the disk, its curves are read off without a registration, and a
person takes a millisecond instead of half a second. Size, position and rotation are removed as in the chain, on the
mesh: unit area, area-weighted centroid at 0, and the rotation onto the template. What registration adds to the errors
is therefore not in these experiments; `curve_chain` measures it on a few faces.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

from shapedp.base.settings import read_default
from shapedp.privacy.curves import bounds
from shapedp.surfaces import curve_mesh, polar
from shapedp.surfaces.disk_map import conformal
from shapedp.surfaces.registration import srnf
from shapedp.surfaces.subjects.formula import faces as demo

PEOPLE_SEED = 2024
# People and seed of the public population that bounds come from; its people are not those of PEOPLE_SEED.
REFERENCE = 40, 1863
QUANTILE, MARGIN = (read_default(f"faces.bounds.{key}") for key in ("quantile", "margin"))
RINGS, ANGLES = 96, 256
CURVES, SAMPLES = 23, 80  # the paper's J and m
RADII = np.arange(1, CURVES + 1) / CURVES
AT_ONCE = 25


@dataclass(frozen=True)
class Model:
    """vertices (K + 1, v, 3) in mm, curves (K + 1, J, 3, m) of the mean face and the fields; weights (v,) of the
    rotation: the mean face's area around each vertex.
    """

    vertices: np.ndarray
    curves: np.ndarray
    weights: np.ndarray


@dataclass(frozen=True)
class Population:
    """curves (n, J, 3, m); of the mesh's vertices (v, 3): their mean, their smallest and largest values, and the mean
    after clamping to the limits asked for (None without).
    """

    curves: np.ndarray
    mean: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    clamped_mean: np.ndarray | None


@cache
def surfaces():
    """Return (K + 1, R, T, 3) surfaces, in mm, of which demo people's are made: the mean face and its fields.

    They are on the polar grid of the mean face's disk map.
    """
    vertices, triangles = _make_vertices(), demo.triangles()
    z = disk_map(vertices[0])
    return np.stack([polar.sample(field, triangles, z, RINGS, ANGLES) for field in vertices])


def disk_map(vertices):
    """Return (v,) the disk map of a face, the nose tip at 0."""
    triangles = demo.triangles()
    return conformal.move_to_center(conformal.disk_map(vertices, triangles), triangles, demo.NOSE_TIP)


def surface(number):
    """Return (R, T, 3) the surface of one person, mm."""
    return np.tensordot(np.append(1, _draw_weights(PEOPLE_SEED, number)), surfaces(), 1)


def vertices(number):
    """Return (v, 3) the mesh of one person, mm."""
    return demo.face(_draw_weights(PEOPLE_SEED, number))


@cache
def model():
    """Return the demo face model (Model), whose people stand in for the faces paper's data, with curves at its radii.

    The model's faces are in correspondence; the paper's radii are equally spaced.
    """
    curves = np.stack([curve_mesh.extract(f, RADII, SAMPLES) for f in surfaces()])
    vertices = _make_vertices()
    weights = np.zeros(vertices.shape[1])
    np.add.at(weights, demo.triangles(), measure_areas(vertices[0])[:, None] / 3)
    return Model(vertices, curves, weights)


@cache
def template():
    """Return the public mean face that demo people are turned to: vertices (v, 3) and curves (J, 3, m).

    It is of unit area about 0.
    """
    face_model = model()
    area, centroid = _measure_size(face_model.vertices[:1])
    root = np.sqrt(area[0])
    return (face_model.vertices[0] - centroid[0]) / root, (face_model.curves[0] - centroid[0][:, None]) / root


@cache
def population(count, seed=PEOPLE_SEED, limits=None):
    """Return `count` demo faces for experiments, each of (seed, i) alone, so that anybody makes the same.

    limits : (count, seed) of the reference whose vertices' range, widened, clamps theirs
    """
    parts = [_make_people(range(i, min(i + AT_ONCE, count)), seed, limits) for i in range(0, count, AT_ONCE)]
    sums, low, high, clamped, curves = zip(*parts, strict=True)
    clamped_mean = None if limits is None else np.sum(clamped, axis=0) / count
    return Population(
        curves=np.concatenate(curves),
        mean=np.sum(sums, axis=0) / count,
        lower=np.min(low, axis=0),
        upper=np.max(high, axis=0),
        clamped_mean=clamped_mean,
    )


def widen_range(people):
    """Return (lower, upper) (v, 3) of a population's vertices, widened by MARGIN about their middle."""
    middle, half = (people.lower + people.upper) / 2, (people.upper - people.lower) / 2 * MARGIN
    return middle - half, middle + half


@cache
def learn_bounds(version, count):
    """Return (bounds.Bounds, center (J, 3, m) or None) to clip people to, as published or as corrected.

    published : the largest norms in the data, nothing subtracted (not private). corrected : quantiles of the public
    reference set with a margin, around the public template.
    """
    if version == "published":
        curves, center = population(count).curves, None
        settings = {"quantile": 1.0, "margin": 1.0, "source": "the data themselves", "public": False}
    else:
        reference_count, reference_seed = REFERENCE
        curves, center = population(reference_count, reference_seed).curves, template()[1]
        settings = {"quantile": QUANTILE, "margin": MARGIN, "source": "a public reference set", "public": True}
    subtracted = np.zeros(curves.shape[1:]) if center is None else center
    return bounds.from_population(lambda a, b: curves[a:b], len(curves), subtracted, **settings), center


def _make_vertices():
    mean = demo.template()
    return np.stack([mean, *(demo.face(row) - mean for row in np.eye(len(demo.names())))])


def _draw_weights(seed, number):
    return demo.random_weights(np.random.default_rng(np.random.SeedSequence([seed, number])))


def _make_people(numbers, seed, limits):
    """Return sums and ranges of these people's vertices, and their curves: a part of `population`, to save memory.

    They are (sum, least, largest, sum after clamping, curves).
    """
    face_model = model()
    # One by one: a product of several people's weights rounds by how many they are, on some processors.
    weights = [np.append(1, _draw_weights(seed, i)) for i in numbers]
    vertices, curves = (
        np.stack([np.tensordot(row, fields, 1) for row in weights])
        for fields in (face_model.vertices, face_model.curves)
    )
    area, centroid = _measure_size(vertices)
    root = np.sqrt(area)[:, None, None]
    vertices = (vertices - centroid[:, None]) / root
    # Kabsch: R with det R = 1 that minimises sum_v weights_v |R x_v - template_v|^2
    turn = srnf.best_rotation(np.einsum("v,vi,bvj->bij", face_model.weights, template()[0], vertices))
    vertices = np.einsum("bij,bvj->bvi", turn, vertices)
    curves = np.einsum("bij,bkjm->bkim", turn, (curves - centroid[:, None, :, None]) / root[..., None])
    clamped = None
    if limits is not None:
        reference_count, reference_seed = limits
        lower, upper = widen_range(population(reference_count, reference_seed))
        clamped = np.clip(vertices, lower, upper).sum(axis=0)
    return vertices.sum(axis=0), vertices.min(axis=0), vertices.max(axis=0), clamped, curves


def _measure_size(vertices):
    """Return areas (b,) and area-weighted centroids (b, 3) of faces (b, v, 3), to bring them to unit area about 0."""
    triangle_areas = measure_areas(vertices)
    total = triangle_areas.sum(axis=1)
    middles = vertices[:, demo.triangles()].mean(axis=2)
    return total, np.einsum("bt,btc->bc", triangle_areas, middles) / total[:, None]


def measure_areas(vertices):
    """Return (..., t) areas of the triangles of faces (..., v, 3)."""
    a, b, c = np.moveaxis(vertices[..., demo.triangles(), :], -2, 0)
    return np.linalg.norm(np.cross(b - a, c - a), axis=-1) / 2
