"""What a face costs at two resolutions of its curves: processor time of the whole chain, and disk, a demo scan each."""

import tempfile
import time
from pathlib import Path

import make_curves
from shapedp.base import artifacts
from shapedp.base.settings import checks
from shapedp.surfaces.chain import cohort, steps
from shapedp.surfaces.human_face.demo import scans

SHAPES = (23, 80), (64, 240)  # the paper's, and the shipped one


def rows(count):
    """Rows of a bench."""
    for curves, samples in SHAPES:
        seconds, disk = costs((curves, samples), count)
        yield f"face_{curves}x{samples}", "cpu_s_per_face", seconds, "s"
        yield f"face_{curves}x{samples}", "disk_mb_per_face", disk, "MB"


def costs(shape, count):
    """(s, MB) a face with curves of shape (J, m), of `count` scans; one before them compiles the loops."""
    faces = checks.load()["faces"]
    faces["curves"] = {**faces["curves"], "count": shape[0], "samples": shape[1]}
    settings = {key: faces[key] for key in steps.SETTINGS}
    with tempfile.TemporaryDirectory() as folder:
        template, out = Path(folder) / "template.h5", Path(folder) / "curves.h5"
        cohort.prepare_template(None, template, faces, False)
        scans.make_scans(Path(folder), count, seed=9, bad=0)
        samples = [(path.stem, path, None) for path in sorted(Path(folder).iterdir()) if path.stem.startswith("face")]
        for part in (samples[:1], samples):
            start = time.process_time()
            make_curves.make_curves(
                part, template, out, Path(folder) / "quality.tsv", Path(folder) / "look.h5", settings
            )
            spent = time.process_time() - start
        if any(face.rejected for face in artifacts.records(out, artifacts.FACE_CURVES)):
            raise ValueError("a face did not come through the chain, so that its cost is not known")
        return spent / count, out.stat().st_size / count / 1e6
