"""Scans of demo faces, as a laboratory's scanners would leave them: several formats and samplings, posed, noisy, some
with holes; and a few files that no one can use.

Everything about face i of a population depends on (seed, i) alone, so a longer list begins with the shorter one.

A depth camera looks along -z from DISTANCE_MM before the nose. Depth is read from how far a pattern is shifted between
two places, so both its noise and its steps grow with the square of the distance; neighbouring pixels share part of
their noise; at edges, where the depth jumps between pixels or the surface turns away, nothing is measured.
"""

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy

from shapedp.base import writers
from shapedp.people import names
from shapedp.surfaces.human_face.demo import heads, people

# Of a face, and of a whole head.
POINTS, AROUND = 7150, 20_000
# Taken in turn.
KINDS = ("surface", "range", "vertices")
LARGEST_TURN = np.deg2rad(20)
NOISE_MM = 0.1
# Of a mm, what scanners write.
DECIMALS = 3
# Of the keys of what is drawn, the first of those of a second visit.
SECOND = 2
# So many of the scans have a hole.
HOLE_SHARE = 0.3
HOLE_MM = (5.0, 11.0)  # its radius
# Holes stay this far from the nose tip.
NOSE_MM = 30.0

# Of the nose tip from the camera, drawn uniformly.
DISTANCE_MM = 450.0, 800.0
# Between the directions of two pixels: 1.5 to 2.7 mm on a face.
PIXEL_RAD = 1 / 300
# Of the depth, / mm: 1 mm at 460 mm, 3 mm at 800 mm.
DEPTH_NOISE = 4.7e-6
# This share of the noise's variance lies in neighbouring pixels alike, over SHARED_PIXELS.
SHARED = 0.5
SHARED_PIXELS = 1.5
# Of the depth, / mm: .6 to 1.9 mm.
DEPTH_STEP = 3.0e-6
# A jump of depth between neighbours that makes a hole.
EDGE_MM = 15.0
# The cosine between the surface and the line of sight below which nothing comes back.
GRAZING = 0.12
# Points of the surface a pixel and side.
SUPERSAMPLES = 3


@dataclass(frozen=True)
class Truth:
    """Who was scanned and how the head was held: a scanned point is rotation @ p + translation, mm."""

    population: object  # of `people`
    person: people.Person
    rotation: np.ndarray
    translation: np.ndarray
    kind: str

    @property
    def vertices(self):
        """Return the face as it stood before the scanner, (n, 3) in mm; in correspondence with every other face."""
        return self.population.vertices(self.person) @ self.rotation.T + self.translation

    @property
    def nose_tip(self):
        """Return where the nose tip stood before the scanner, (3,) in mm."""
        return self.vertices[self.population.nose_tip]


def truth(seed, index, word="formula", later=None):
    """Return the Truth of drawn face `index`, which its simulated scan is a noisy view of and errors are measured
    against.

    later : years after which the person is scanned again, changed; None: the first scan
    """
    rng, population = _generator(seed, index, 0), people.named(word)
    person = population.person(rng)
    if later is not None:
        rng = _generator(seed, index, SECOND)
        person = population.later(person, later, rng)
    axis = rng.standard_normal(3)
    turn = scipy.spatial.transform.Rotation.from_rotvec(axis / np.linalg.norm(axis) * rng.uniform(0, LARGEST_TURN))
    return Truth(population, person, turn.as_matrix(), rng.uniform(-60, 60, 3), KINDS[index % len(KINDS)])


def scan(seed, index, word="formula", camera="scanner", later=None):
    """Return the points (n, 3) in mm, about 7,150, that a simulated scanner gives for face `index`, with noise and
    holes.

    camera : scanner | depth (a depth camera, head and shoulders) | around (the whole head from all sides); later : as
    for `truth`
    """
    drawn, rng = truth(seed, index, word, later), _generator(seed, index, 1 if later is None else SECOND + 1)
    if camera != "scanner":
        population = drawn.population
        points, triangles = heads.bust(
            population.vertices(drawn.person), population.triangles, population.nose_tip, rng
        )
        points = points @ drawn.rotation.T + drawn.translation
        if camera == "depth":
            return np.round(depth_image(points, triangles, points[population.nose_tip], rng), DECIMALS)
        points = evenly(points, triangles, AROUND, rng)
        return np.round(points + NOISE_MM * rng.standard_normal(points.shape), DECIMALS)
    vertices, triangles = drawn.vertices, drawn.population.triangles
    if drawn.kind == "surface":
        points = evenly(vertices, triangles, POINTS, rng)
    elif drawn.kind == "range":  # a range image along z with about POINTS pixels
        cell = np.sqrt(np.prod(np.ptp(vertices[:, :2], axis=0)) * np.pi / 4 / POINTS)
        points = first_seen(evenly(vertices, triangles, 6 * POINTS, rng), cell)
    else:  # all but a few of the mesh's own vertices, in random order
        points = vertices[rng.permutation(len(vertices))[: int(len(vertices) * rng.uniform(0.94, 1.0))]]
    if rng.random() < HOLE_SHARE:  # the points outside a ball about one of them
        far = np.flatnonzero(np.linalg.norm(points - drawn.nose_tip, axis=1) > NOSE_MM)
        center = points[far[int(rng.random() * len(far))]]
        points = points[np.linalg.norm(points - center, axis=1) > rng.uniform(low=HOLE_MM[0], high=HOLE_MM[1])]
    return np.round(points + NOISE_MM * rng.standard_normal(points.shape), DECIMALS)


def make_scans(folder, count, seed, bad=0, nose_columns=False, word="formula", camera="scanner", later=None):
    """Write a cohort to try the workflow on: `count` scans, `bad` useless files and their `samples.tsv`; return the
    sheet.

    nose_columns : also give the true nose tips, as if marked by hand; word : the population's name
    camera : as for `scan`; later : years after which everybody is scanned a second time, or None
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    rows = [{"id": name, "path": file} for name, file in names.list_scans(count, bad)]
    visits = [(index, row, None) for index, row in enumerate(rows[:count])]
    if later is not None:
        for row in rows:
            row |= {"person": row["id"], "time": names.VISITS[0]}
        for index, row, _ in visits[:count]:
            name, file = names.name_second((row["id"], row["path"]))
            visits.append((index, row | {"id": name, "path": file, "time": names.VISITS[1]}, later))
    for index, row, years in visits:
        writers.write_scan(folder / row["path"], scan(seed, index, word, camera, years))
        drawn = truth(seed, index, word, years)
        if nose_columns:
            row |= {f"nose_{axis}": f"{value:.3f}" for axis, value in zip("xyz", drawn.nose_tip, strict=True)}
        row |= drawn.person.cells()
    for index, row in enumerate(rows[count:]):
        path, fault, points = folder / row["path"], names.choose_fault(index), scan(seed, 0, word)
        if fault == "two_heads":
            points = np.vstack([points, points + np.array([260.0, 0.0, 0.0])])
        writers.write_scan(path, points)
        if fault != "two_heads":  # nothing in it, or cut off in the middle
            path.write_bytes(path.read_bytes()[: 0 if fault == "empty" else path.stat().st_size * 3 // 5])
    rows += [row for _, row, _ in visits[count:]]
    with (folder / "samples.tsv").open("w", newline="", encoding="utf-8") as file:
        columns = ["id", "path", *list((rows or [{}])[0])[2:]]
        table = csv.DictWriter(file, columns, restval="", delimiter="\t", lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    return folder / "samples.tsv"


def _generator(seed, *key):
    """Return the random generator of one key, so that a person is drawn the same whatever else is drawn."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


def evenly(vertices, triangles, count, rng):
    """Return `count` random points (count, 3) of a surface as a scanner spreads them, one in each of as many equal
    areas.
    """
    corners = vertices[triangles]
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    steps, cumulated = (np.arange(count) + rng.random(count)) / count, np.cumsum(areas)
    chosen_corners = corners[np.minimum(np.searchsorted(cumulated, steps * cumulated[-1]), len(areas) - 1)]
    u, v = np.sqrt(rng.random(count)), rng.random(count)
    return np.einsum("ik,ikd->id", np.stack([1 - u, u * (1 - v), u * v], axis=1), chosen_corners)


def first_seen(points, cell):
    """Return the points that a range scanner sees of points (n, 3): of each square of side `cell` over x, y that of
    largest z.
    """
    column, row = np.floor((points[:, :2] - points[:, :2].min(axis=0)) / cell).astype(int).T
    pixel = row * (column.max() + 1) + column
    order = np.lexsort((-points[:, 2], pixel))
    return points[order[np.diff(pixel[order], prepend=-1) > 0]]


def depth_image(vertices, triangles, nose_tip, rng):
    """Return points (n, 3) in mm that a simulated depth camera gives of a bust whose face looks along +z; nose_tip
    (3,).
    """
    distance = rng.uniform(low=DISTANCE_MM[0], high=DISTANCE_MM[1])
    camera = nose_tip + np.array([0.0, 0.0, distance])
    depth = _image(vertices - camera, triangles)
    sigma = DEPTH_NOISE * np.where(np.isfinite(depth), depth, 0.0) ** 2
    shared = scipy.ndimage.gaussian_filter(rng.standard_normal(depth.shape), SHARED_PIXELS)
    shared /= np.sqrt((scipy.ndimage.gaussian_filter(np.eye(1, 31, 15)[0], SHARED_PIXELS) ** 2).sum() ** 2)
    noise = np.sqrt(SHARED) * shared + np.sqrt(1 - SHARED) * rng.standard_normal(depth.shape)
    filled, measured = np.where(np.isfinite(depth), depth, 1e9), np.isfinite(depth)
    for axis in (0, 1):  # what lies beside a jump of depth, or beside nothing, is not measured
        apart = np.abs(np.diff(filled, axis=axis)) > EDGE_MM
        for ends in ((1, 0), (0, 1)):
            measured &= ~np.pad(apart, [ends if a == axis else (0, 0) for a in (0, 1)])
    step = DEPTH_STEP * depth**2
    with np.errstate(invalid="ignore"):
        depth = np.round((depth + sigma * noise) / step) * step
    row, column = np.nonzero(measured)
    x, y = (column - depth.shape[1] / 2) * PIXEL_RAD, (depth.shape[0] / 2 - row) * PIXEL_RAD
    return camera + depth[row, column, None] * np.column_stack([x, y, -np.ones(len(x))])


def _image(points, triangles):
    """Return (rows, columns), the exact depths that an invented depth camera sees of a demo face, before its noise.

    It is what each pixel sees first, inf where it sees nothing.

    points : (n, 3) about the camera
    """
    corners = points[triangles]
    middle = corners.mean(axis=1)
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    cosine = -np.einsum("ik,ik->i", normal, middle)
    cosine /= np.maximum(np.linalg.norm(normal, axis=1) * np.linalg.norm(middle, axis=1), 1e-300)
    rays = points[:, :2] / -points[:, 2:]
    half = int(np.ceil(np.abs(rays).max() / PIXEL_RAD)) + 2
    edge = np.linalg.norm(rays[triangles] - rays[np.roll(triangles, 1, axis=1)], axis=2).max(axis=1)
    splits = np.clip(np.ceil(SUPERSAMPLES * edge / PIXEL_RAD), 1, 60).astype(int)
    pixels, depths, steep = [], [], []
    for count in np.unique(splits):
        i, j = (a.ravel() for a in np.meshgrid(np.arange(count + 1), np.arange(count + 1)))
        i, j = i[i + j <= count], j[i + j <= count]
        weights = np.column_stack([i, j, count - i - j]) / count
        part = np.flatnonzero(splits == count)
        spread = np.einsum("wk,tkc->twc", weights, corners[part]).reshape(-1, 3)
        depth = -spread[:, 2]
        column = np.floor(spread[:, 0] / depth / PIXEL_RAD + half + 0.5).astype(int)
        row = np.floor(half + 0.5 - spread[:, 1] / depth / PIXEL_RAD).astype(int)
        pixels.append(row * 2 * half + column)
        depths.append(depth)
        steep.append(np.repeat(cosine[part] < GRAZING, len(weights)))
    pixel, depth, steep = (np.concatenate(parts) for parts in (pixels, depths, steep))
    foremost = np.full(4 * half * half, np.inf)
    np.minimum.at(foremost, pixel, depth)
    first = depth < foremost[pixel] + EDGE_MM
    total, seen_count, grazed_count = (
        np.bincount(pixel[first], a, 4 * half * half) for a in (depth[first], None, steep[first])
    )
    with np.errstate(invalid="ignore"):
        image = np.where(grazed_count < 0.5 * seen_count, total / seen_count, np.inf)
    return image.reshape(2 * half, 2 * half)
