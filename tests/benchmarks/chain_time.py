"""Processor time a face of the whole chain in this checkout over that of an older commit's, the same scans by turns.

Each checkout runs in processes of its own: python chain_time.py CHECKOUT SCANS FOLDER TEMPLATE prints seconds a face of
scans meshed, mapped, registered and written: to the formula model's template, 64 x 240, extent null, no review page; or
to the built-in one, cropped neutral faces of the demo's people, with the settings that each checkout brings.
"""

import importlib
import inspect
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

BEFORE = "SHAPEDP_BENCH_BEFORE"  # the folder of a git worktree of the older commit, with an environment in .venv
TURNS = 5
HERE = Path(__file__).resolve().parents[2]
FACES = {
    "template_as": "scan",
    "center": "nose",
    "mesh": {"largest_hole": 0.02, "refused_hole": 0.08},
    "extent": {"radius": None},
    "surface": {"rings": 96, "angles": 256},
    "curves": {"count": 64, "samples": 240, "spacing": "arc"},
    "registration": {"levels": 3, "basis": 300, "regularisation": 0.1, "search": "auto"},
    "gates": {"energy": 0.17, "jacobian": 0.2, "missing": 0.2},
    "expression": "as_scanned",
}
# {template: (case, word of the people who are scanned)}
CASES = {"formula": ("chain", "formula"), "built_in": ("chain_built_in", "demo")}
MODULES = "shapedp.surfaces.chain.cohort", "shapedp.base.settings.checks"
OLD_MODULES = "shapedp.chain.cohort", "shapedp.settings.checks"
SHAPING = "template_as", "center", "mesh", "surface", "extent", "curves"


def rows(count):
    """Rows of the bench: the median ratio of TURNS turns over `count` scans; none without an older checkout."""
    before = os.environ.get(BEFORE)
    if not (count and before):
        print(f"    chain time_ratio: {BEFORE} names no older checkout")
        return
    from shapedp.surfaces.human_face.demo import scans

    both = {"old": Path(before).resolve(), "new": HERE}
    for template, (case, people) in CASES.items():
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            scans.make_scans(folder / "scans", count, seed=9, word=people)
            times = np.array(
                [
                    [_seconds(root, folder / "scans", folder / key, template) for key, root in both.items()]
                    for _ in range(TURNS)
                ]
            )
        yield case, "time_ratio", float(np.median(times[:, 1] / times[:, 0])), "1"
        yield case, "seconds_before", float(np.median(times[:, 0])), "s"
        yield case, "seconds_now", float(np.median(times[:, 1])), "s"


def _seconds(root, scans, folder, template):
    folder.mkdir(exist_ok=True)
    python = root / ".venv/bin/python"
    done = subprocess.run(
        [str(python), __file__, str(root), str(scans), str(folder), template],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    return float(done.stdout.split()[-1])


def _run(root, scans, folder, template):
    """Seconds a face in a checkout, after the first two have loaded what is compiled."""
    sys.path[:0] = [f"{root}/scripts"]
    import make_curves

    is_old = (Path(root) / "scripts/shapedp/chain").is_dir()
    cohort, checks = (importlib.import_module(name) for name in (OLD_MODULES if is_old else MODULES))
    shipped = checks.load()["faces"]
    if template == "formula":
        settings = {key: _of_today(one, shipped.get(key)) for key, one in FACES.items()}
    else:
        settings = shipped
    settings = settings | {"template": template}
    cohort.prepare_template(None, folder / "template.h5", {key: settings[key] for key in ("template", *SHAPING)}, False)
    samples = sorted((path.stem, str(path), None) for path in scans.iterdir() if path.suffix != ".tsv")
    outputs = {"curves_path": "curves/1.h5", "table_path": "quality/1.tsv", "look_path": "look/1.h5"}
    taken = inspect.signature(make_curves.make_curves).parameters
    paths = {name: folder / path for name, path in outputs.items() if name in taken}
    for part in (samples[:2], samples):
        start = time.process_time()
        make_curves.make_curves(samples=part, template_path=folder / "template.h5", settings=settings, **paths)
    return (time.process_time() - start) / len(samples)


def _of_today(section, known):
    """The section of the older commit's settings, without keys that went, with those that came."""
    if not isinstance(known, dict):
        return section
    return {key: section.get(key, value) for key, value in known.items()}


if __name__ == "__main__":
    print(_run(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4]))
