"""A large scan takes its bytes and its points, and hardly more beside them."""

import tracemalloc

import numpy as np
import pytest

from shapedp.surfaces import scans

POINTS = np.random.default_rng(0).uniform(-100, 100, (400_000, 3))
HEADER = (
    "ply\nformat binary_little_endian 1.0\nelement vertex 400000\n"
    "property float x\nproperty float y\nproperty float z\nend_header\n"
)


def as_npy(path):
    np.save(path, POINTS)


def as_ply(path):
    path.write_bytes(HEADER.encode() + POINTS.astype("<f4").tobytes())


@pytest.mark.parametrize(("name", "write"), [("cloud.npy", as_npy), ("cloud.ply", as_ply)])
def test_reading_holds_the_bytes_and_the_points_and_little_else(tmp_path, name, write):
    path = tmp_path / name
    write(path)
    tracemalloc.start()
    scan = scans.read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(scan.points) == len(POINTS)
    assert peak < 1.1 * (path.stat().st_size + POINTS.nbytes) + 4 * 2**20  # a block at a time


def test_a_table_is_read_into_the_points_themselves(tmp_path):
    path = tmp_path / "cloud.xyz"
    row = b"%.3f %.3f %.3f\n"
    path.write_bytes(b"".join(row % tuple(point) for point in POINTS[:300_000].tolist()))
    tracemalloc.start()
    scan = scans.read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(scan.points) == 300_000
    assert peak < path.stat().st_size + scan.points.nbytes + 48 * 2**20  # the words of a block
