"""A depth camera before a face or a head: a range image with the noise, the steps and the holes of such a camera.

The camera looks along -z from DISTANCE_MM before the nose. Depth is read from how far a pattern is shifted between two
places, so both its noise and its steps grow with the square of the distance; neighbouring pixels share part of their
noise; at edges, where the depth jumps between pixels or the surface turns away, nothing is measured.
"""

import numpy as np
from scipy.ndimage import gaussian_filter

DISTANCE_MM = 450.0, 800.0  # uniform: of the nose tip from the camera
PIXEL_RAD = 1 / 300  # between the directions of two pixels: 1.5 to 2.7 mm on a face
NOISE = 4.7e-6  # of the depth, / mm: 1 mm at 460 mm, 3 mm at 800 mm
SHARED = 0.5  # of the noise's variance lies in neighbouring pixels alike, over SHARED_PIXELS
SHARED_PIXELS = 1.5
STEP = 3.0e-6  # of the depth, / mm: .6 to 1.9 mm
EDGE_MM = 15.0  # a jump of depth between neighbours that makes a hole
GRAZING = 0.12  # cosine between the surface and the line of sight below which nothing comes back
SUPERSAMPLES = 3  # points of the surface a pixel and side


def seen(vertices, triangles, nose_tip, rng):
    """Points (n, 3) in mm that a depth camera gives of a surface whose face looks along +z; nose_tip (3,)."""
    distance = rng.uniform(*DISTANCE_MM)
    camera = nose_tip + np.array([0.0, 0.0, distance])
    depth = _image(vertices - camera, triangles)
    sigma = NOISE * np.where(np.isfinite(depth), depth, 0.0) ** 2
    shared = gaussian_filter(rng.standard_normal(depth.shape), SHARED_PIXELS)
    shared /= np.sqrt((gaussian_filter(np.eye(1, 31, 15)[0], SHARED_PIXELS) ** 2).sum() ** 2)
    noise = np.sqrt(SHARED) * shared + np.sqrt(1 - SHARED) * rng.standard_normal(depth.shape)
    measured = np.isfinite(depth) & ~_edges(depth)
    step = STEP * depth**2
    with np.errstate(invalid="ignore"):
        depth = np.round((depth + sigma * noise) / step) * step
    row, column = np.nonzero(measured)
    x, y = (column - depth.shape[1] / 2) * PIXEL_RAD, (depth.shape[0] / 2 - row) * PIXEL_RAD
    return camera + depth[row, column, None] * np.column_stack([x, y, -np.ones(len(x))])


def _image(points, triangles):
    """(rows, columns) mean depth of what a pixel sees first, inf where it sees nothing; points about the camera."""
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
    pixel, depth, steep = (np.concatenate(one) for one in (pixels, depths, steep))
    foremost = np.full(4 * half * half, np.inf)
    np.minimum.at(foremost, pixel, depth)
    first = depth < foremost[pixel] + EDGE_MM
    total, seen, grazed = (np.bincount(pixel[first], a, 4 * half * half) for a in (depth[first], None, steep[first]))
    with np.errstate(invalid="ignore"):
        image = np.where(grazed < 0.5 * seen, total / seen, np.inf)
    return image.reshape(2 * half, 2 * half)


def _edges(depth):
    """Pixels beside a jump of depth, or beside nothing."""
    filled = np.where(np.isfinite(depth), depth, 1e9)
    jump = np.zeros(depth.shape, dtype=bool)
    for axis in (0, 1):
        apart = np.abs(np.diff(filled, axis=axis)) > EDGE_MM
        jump |= np.pad(apart, [(1, 0) if a == axis else (0, 0) for a in (0, 1)])
        jump |= np.pad(apart, [(0, 1) if a == axis else (0, 0) for a in (0, 1)])
    return jump
