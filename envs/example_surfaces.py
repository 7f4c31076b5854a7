"""Write tiles of terrain as scans: the sample of a survey that comes with matplotlib, of which no network is needed.

FOLDER/public holds tiles that stand for published ones, FOLDER/scans those that stand for what nobody may share. Each
was surveyed in axes of its own: turned about the vertical and shifted. Lengths are in metres.
"""

import argparse
from pathlib import Path

import matplotlib.cbook
import numpy as np
import scipy

from shapedp.base import writers

METRES = 111_320.0  # of a degree along a meridian
SIDE, STEPS = 2_400.0, 33  # metres of a tile's side, and points along it
TURN, SHIFT, SEED = 20.0, 0.1, 2026  # degrees and shares of the side by which surveys differ


def ground():
    """(heights by places (n, 2) in metres, width, height of the whole) of the sample."""
    with matplotlib.cbook.get_sample_data("jacksboro_fault_dem.npz") as sample:
        heights = sample["elevation"].astype(float)[::-1]
        dx, dy, south = (float(sample[name]) for name in ("dx", "dy", "ymin"))
    east = np.arange(heights.shape[1]) * dx * METRES * np.cos(np.radians(south))
    north = np.arange(heights.shape[0]) * dy * METRES
    return scipy.interpolate.RegularGridInterpolator((north, east), heights), east[-1], north[-1]


def tile(height, middle, rng):
    """(points (n, 3), triangles (t, 3)) of the square of ground about a place, in the axes of its survey."""
    steps = np.linspace(-0.5, 0.5, STEPS) * SIDE
    x, y = (one.ravel() for one in np.meshgrid(steps, steps))
    inner = (np.abs(x) < 0.49 * SIDE) & (np.abs(y) < 0.49 * SIDE)
    x[inner] += rng.uniform(-0.3, 0.3, inner.sum()) * (steps[1] - steps[0])
    y[inner] += rng.uniform(-0.3, 0.3, inner.sum()) * (steps[1] - steps[0])
    points = np.column_stack([x, y, height(np.column_stack([y + middle[1], x + middle[0]]))])
    triangles = scipy.spatial.Delaunay(points[:, :2]).simplices
    a, b, c = (points[triangles[:, k], :2] for k in range(3))
    area = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
    triangles = np.where((area > 0)[:, None], triangles, triangles[:, ::-1])[np.abs(area) > 1.0]
    angle = np.radians(TURN) * rng.uniform(-1, 1)
    turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    return points @ turn.T + np.append(SHIFT * SIDE * rng.uniform(-1, 1, 2), 0), triangles.astype(np.int32)


def write(folder, public, own):
    """Write so many tiles into FOLDER/public and FOLDER/scans."""
    height, width, depth = ground()
    rng = np.random.default_rng(SEED)
    for kind, count in (("public", public), ("scans", own)):
        (folder / kind).mkdir(parents=True, exist_ok=True)
        for number in range(1, count + 1):
            middle = rng.uniform(SIDE, [width - SIDE, depth - SIDE])
            mesh = writers.encode_surface(*tile(height, middle, rng), ".ply")
            (folder / kind / f"tile_{kind}_{number:02d}.ply").write_bytes(mesh)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--public", type=int, default=16, help="tiles that stand for published ones")
    parser.add_argument("--own", type=int, default=40, help="tiles that stand for what nobody may share")
    asked = parser.parse_args()
    write(asked.folder, asked.public, asked.own)
