"""The front half of the face branch: scans -> mesh -> disk -> polar grid, on clouds, faces and a known map.

The memory is that of the whole chain, read before the large meshes of the growth.
"""

import resource
from dataclasses import dataclass

from benchmarks import disk_maps, fuzz_reading, populations, scans_to_grids

POPULATIONS = ("ict", "demo")
SEEDS = "scans_to_grids.SEED of clouds"


@dataclass(frozen=True)
class Size:
    """How many of each; rings : of the meshes of the analytic surface, by size."""

    clouds: int
    faces: int
    moved: int
    posed: int
    fuzzed: int
    rings: dict


FULL = Size(100, 20, 100, 200, 20_000, disk_maps.RINGS)
TINY = Size(2, 1, 1, 4, 40, {"7k": 12})


def run(population, size):
    """Rows (case, measure, value, unit)."""
    model = populations.FACES[population]()
    yield from scans_to_grids.cloud_rows(model, size.clouds)
    yield from disk_maps.face_rows(model, f"{population}_face", size.faces)
    yield "peak", "memory_mb", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "MB"
    yield from scans_to_grids.pose_rows(model, size.moved)
    yield from scans_to_grids.nose_rows(model, size.posed)
    yield from disk_maps.analytic_rows(size.rings)
    inputs, escaped = fuzz_reading.fuzz(size.fuzzed)
    yield "fuzz", "inputs", inputs, ""
    yield "fuzz", "escaped_exceptions", escaped, ""
