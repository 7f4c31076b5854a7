"""The front half of the face branch: scans -> mesh -> disk -> polar grid, on clouds, faces and a known map.

Faces and clouds are those of the ICT model; without the shared data only the analytic map and the fuzz are run. The
memory is that of the whole chain, read before the large meshes of the growth.
"""

import resource

import disk_maps
import fuzz_reading
import scan_clouds
import scans_to_grids

CLOUDS, FACES, MOVED, POSED, FUZZED = 100, 20, 100, 200, 20_000


def run():
    """Rows (case, measure, value, unit)."""
    model = scan_clouds.model()
    rows = []
    if model is not None:
        rows += scans_to_grids.cloud_rows(model, CLOUDS)
        rows += disk_maps.face_rows(model, FACES)
        rows.append(("peak", "memory_mb", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "MB"))
        rows += scans_to_grids.pose_rows(model, MOVED)
        rows += scans_to_grids.nose_rows(model, POSED)
    return [*rows, *disk_maps.analytic_rows(), *_fuzz_rows()]


def _fuzz_rows():
    inputs, escaped = fuzz_reading.fuzz(FUZZED)
    return [("fuzz", "inputs", inputs, ""), ("fuzz", "escaped_exceptions", escaped, "")]
