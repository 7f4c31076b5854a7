"""Run the release command on neighbouring cohorts with chosen records: nothing but the noised numbers may move.

Of changes and asymmetries the chosen record is one of the two of a person.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from shapedp import artifacts
from shapedp.audit import outside_view
from shapedp.runs.logs import log, logged, progress
from shapedp.storage import files

SCRIPTS = Path(artifacts.__file__).resolve().parents[2]
COLUMNS = ("branch", "chosen", "exit_status", "moved")
SHAPES = {
    "shaped": "mu_total",
    "knorm": "epsilon",
    "gaussian": "mu_total",
    "laplace": "epsilon",
    "kng": "epsilon",
    "pointwise_laplace": "epsilon",
}
IN_SPACE = {"shaped": "mu_total", "knorm": "epsilon"}
SLIDING = {"semilandmarks": [[1, 2, 3], [4, 5, 6]], "sliding": "bending_energy"}
AMOUNTS = {"demo": 1.0, "reference_set": 4.0}  # of each release; about the public mean, what is no nearer is refused
CURVES = {  # mechanism: what its bounds come from
    "shaped": "variation",
    "matched_joint": "reference_set",
    "matched": "numbers",
    "rkhs": "numbers",
    "pointwise": "reference_set",
}
NO_CLAIM = ("kng",)  # drawn in floating point
BUDGETS = {"shaped": 2.0}  # of twenty people it asks first how far they lie
MODEL = {
    **{"name": "model", "kind": "face_model", "mechanism": "shaped", "budget": {"mu_total": 8.0}, "modes": 2},
    "covariates": {"age": {"range": [20, 60]}},
}
GROWTH = {**MODEL, "name": "growth", "kind": "growth", "covariates": {"age": {"spline": [20, 40, 60]}}}
del GROWTH["modes"]
SHAPE_MODEL = {
    **{"name": "model", "kind": "shape_model", "mechanism": "shaped", "budget": {"mu_total": 3.0}, "modes": 2},
    "covariates": {"log_size": {"range": [-1, 1]}},
}
SYMMETRY = {"pairs": [[1, 2], [3, 4], [5, 6]]}
DIFFERENCES = [
    {**one, "name": one["kind"], "mechanism": "shaped", "budget": {"mu_total": 3.0}, "worth_it_anyway": True}
    for one in (
        {"kind": "mean_change", "times": list(outside_view.TIMES), "per": {"years": [1, 5]}},
        {"kind": "asymmetry"},
    )
]
FACES = {
    "kernel": {"rho": 1.0, "alpha": 1.0, "phi": [0.01, 0.01, 0.005]},
    "bounds": {"tau": [0.1, 0.1, 0.1], "reference_set": "built_in", "quantile": 0.95, "margin": 1.2},
    "curves": {"count": 2, "samples": 8, "spacing": "arc"},
    "persons": "refuse",
    "variation": {
        "directions": 10,
        "harmonics": 2,
        "quantile": 0.95,
        "assumed_mean_shift": 0.35,
        "assumed_shift_outside_modes": 1.2,
    },
}
PRIVACY = {
    "population": {"shapes": "audit", "faces": "audit"},
    "cap": {"shapes": {"mu_total": 9.0}, "faces": {"mu_total": 14.0}},
    "groups": {"membership": "public", "sizes": {}},
    "seed": None,
    "tuned_on": "public",
    "sources": dict.fromkeys(("settings", "center", "radius", "template", "reference_set", "bounds", "tau"), "demo"),
    "statement": {},
}


def audit_release_command(table_path):
    """One row a chosen record; the job fails if one of them moves what an outsider sees."""
    rows = list(compared())
    files.write_text(table_path, "".join("\t".join(map(str, row)) + "\n" for row in [COLUMNS, *rows]))
    if broken := [f"{branch}: {name} ({moved})" for branch, name, _, moved in rows if moved]:
        sys.exit(f"audit: a record moves what an outsider sees: {'; '.join(broken)}; see {table_path}")


def compared(most=None):
    """(branch, chosen record, exit status, what moved beside the ordinary record) of each; `most` records a branch."""
    branches = {
        "shapes": outside_view.outline_records(),
        "space": outside_view.space_records(),
        "faces": outside_view.curve_records(),
        "space_twice": outside_view.space_records() | dict.fromkeys(outside_view.CELLS, outside_view.space_ordinary()),
        "faces_twice": outside_view.curve_records(),
    }
    for branch, records in branches.items():
        taken = list(records.items())[: None if most is None else most + 1]
        views = {
            name: _view(branch, name, record) for name, record in progress(taken, len(taken), f"audit of {branch}")
        }
        ordinary = views.pop(outside_view.ORDINARY)
        if ordinary["exit status"] or not ordinary["statements"]:
            sys.exit(f"audit: the {branch} of the ordinary cohort are not released: an audit that sees nothing")
        for name, view in views.items():
            yield branch, name, view["exit status"], ", ".join(outside_view.moved(ordinary, view))


def _view(branch, name, record):
    """What is seen when the command runs on the cohort with this record, in a folder and a process of its own."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        if branch == "shapes":
            outside_view.write_outlines(folder / "cohort.tps", record)
        elif branch == "space":
            outside_view.write_space(folder / "cohort.tps", record)
        elif branch == "space_twice":
            outside_view.write_two_times(folder, record, outside_view.CELLS.get(name, "2"))
        elif branch == "faces_twice":
            (first, second), ok = outside_view.of_two_scans(record)
            cell = outside_view.CELLS.get(name, "2")
            np.savez(folder / "cohort.npz", before=first, after=second, ok=ok, cell=cell)
        else:
            curves, ok = outside_view.curves_of(record)
            np.savez(folder / "cohort.npz", curves=curves, ok=ok, cell=outside_view.CELLS.get(name, "30"))
        code = f"import audit_release_command as one; one.command_{branch}('.')"
        surroundings = {**os.environ, "PYTHONPATH": str(SCRIPTS)}
        call = [sys.executable, "-c", code]
        done = subprocess.run(call, cwd=folder, env=surroundings, capture_output=True, check=False)
        log.info("%s", done.stderr.decode(errors="replace")[-2000:])
        return outside_view.view(done.returncode, folder / "results" / "release", folder / "ledger")


def command_shapes(folder):
    """The shape branch from the landmark file to its releases, each step as its rule runs it."""
    outside_view.write_public_outlines(Path(folder) / "public.tps")
    _command_landmarks(Path(folder), "demo", None, SHAPES, {}, {})


def command_space(folder):
    """The same of landmarks in space, some of which slide; the releases are shrunk."""
    public = Path(folder) / "public.tps"
    outside_view.write_public_space(public)
    _command_landmarks(Path(folder), "reference_set", public, IN_SPACE, SLIDING, {"shrink": True})


def _command_landmarks(folder, center, reference_set, mechanisms, sliding, done):
    import center_shapes
    import read_shapes
    import release_shapes

    landmarks, shapes = folder / "landmarks.h5", folder / "shapes.h5"
    with logged(folder / "log"):
        read_shapes.read_shapes(folder / "cohort.tps", landmarks, center, reference_set)
        center_shapes.center_shapes(landmarks, shapes, center, reference_set, **sliding)
        center_shapes.mean_shape(shapes, folder / "mean.h5")
        settings = {"radius": 0.2, "contour_modes": 10, "center": center, "persons": "refuse", **sliding}
        settings["reference_set"] = str(folder / "public.tps")
        releases = folder / "results" / "release" / "shapes"
        asked = settings, _privacy(folder)
        for name, budget in mechanisms.items():
            entry = {"name": name, "mechanism": name, "budget": {budget: AMOUNTS[center]}, **done}
            entry |= {"reproduction": True} if name in NO_CLAIM else {}
            release_shapes.release_shapes(shapes, landmarks, releases / name, entry, *asked)
        output = releases / SHAPE_MODEL["name"]
        release_shapes.release_shapes(shapes, landmarks, output, SHAPE_MODEL, *asked)


def command_space_twice(folder):
    """A change and an asymmetry of landmarks in space, from the landmark file and its sheet."""
    import center_shapes
    import read_shapes
    import release_shapes

    folder = Path(folder)
    landmarks, public = folder / "landmarks.h5", folder / "public.tps"
    outside_view.write_public_space(public)
    with logged(folder / "log"):
        read_shapes.read_shapes(folder / "cohort.tps", landmarks, "reference_set", public, folder / "sheet.csv")
        settings = {"radius": 0.2, "contour_modes": 0, "center": "reference_set", "persons": "average", **SYMMETRY}
        settings["reference_set"] = str(public)
        for entry in DIFFERENCES:
            rows, output = folder / f"{entry['name']}.h5", folder / "results" / "release" / "shapes" / entry["name"]
            center_shapes.difference_shapes(landmarks, rows, entry, "reference_set", public, **SYMMETRY)
            release_shapes.release_shapes(rows, landmarks, output, entry, settings, _privacy(folder))


def command_faces_twice(folder):
    """A change and an asymmetry of faces, from the curves of each scan."""
    import release_faces
    from shapedp.chain import differences

    folder = Path(folder)
    template, cohort = folder / "template.h5", np.load(folder / "cohort.npz")
    with logged(folder / "log"):
        _write_template(template, outside_view.symmetric_template())
        whole = np.ones(outside_view.PUBLIC, int)
        public = _write_scans(folder, "public", template, outside_view.public_scans(), whole, "2")
        times, cell = (cohort["before"], cohort["after"]), str(cohort["cell"])
        private = _write_scans(folder, "person", template, times, cohort["ok"], cell)
        for entry in DIFFERENCES:
            name = entry["name"]
            stack, variation = folder / f"{name}.h5", folder / f"{name}_variation.h5"
            differences.stack_rows(private[0], template, stack, private[1], entry)
            asked = entry, FACES["variation"], "built_in"
            differences.learn_rows(public[0], template, variation, public[1], *asked)
            paths, output = (stack, template, variation), folder / "results" / "release" / "faces" / name
            given = entry, FACES | {"persons": "average"}, _privacy(folder), len(cohort["ok"]), True
            release_faces.release_faces(paths, output, *given)


def _write_scans(folder, name, template, times, ok, cell):
    """(batches, samples) of people's curves at two times; ok : of the second; cell : the last person's years."""
    paths, listed = [], []
    for time, faces in zip(outside_view.TIMES, times, strict=True):
        paths.append(folder / f"{name}_{time}.h5")
        with artifacts.writer(paths[-1], artifacts.FACE_CURVES, inputs=[template]) as out:
            usable = ok if time == outside_view.TIMES[1] else np.ones_like(ok)
            for at, (curves, good) in enumerate(zip(faces, usable, strict=True)):
                scan = f"{name}{at:02d}_{time}"
                years = cell if at == len(faces) - 1 else "2"
                listed.append((scan, f"{name}{at:02d}", "", time, (("years", years),)))
                if good:
                    out.write(scan, curves=curves)
                else:
                    out.reject(scan, "register_surfaces", "gate", "not like a face")
    return paths, listed


def command_faces(folder):
    """The face branch from the stacked curves to its releases."""
    import release_faces

    folder = Path(folder)
    curves, template = folder / "curves.h5", folder / "template.h5"
    cohort = np.load(folder / "cohort.npz")
    with logged(folder / "log"):
        _write_template(template)
        _write_curves(curves, template, cohort["curves"], cohort["ok"])
        limits, people = _write_public_limits(folder, template), len(cohort["ok"])
        releases = folder / "results" / "release" / "faces"
        for name, limited in CURVES.items():
            entry = {"name": name, "mechanism": name, "budget": {"mu_total": BUDGETS.get(name, 1.0)}}
            paths, output = (curves, template, limits.get(limited)), releases / name
            release_faces.release_faces(paths, output, entry, FACES, _privacy(folder), people, True)
        paths, output = (curves, template, limits["variation"]), releases / MODEL["name"]
        cells = [(f"person{index:02d}", {"age": str(20 + index)}) for index in range(people - 1)]
        cells.append((f"person{people - 1:02d}", {"age": str(cohort["cell"])}))
        release_faces.release_faces(paths, output, MODEL, FACES, _privacy(folder), people, True, cells)
        output = releases / GROWTH["name"]
        release_faces.release_faces(paths, output, GROWTH, FACES, _privacy(folder), people, True, cells)


def _write_public_limits(folder, template):
    """{where the bounds come from: file} of what is learned from the public faces."""
    from shapedp.chain import cohort

    public = outside_view.public_curves()
    _write_curves(folder / "public.h5", template, public, np.ones(len(public), int))
    limits = {name: folder / f"{name}.h5" for name in ("reference_set", "variation")}
    given = folder / "public.h5", template
    cohort.bound_curves(*given, limits["reference_set"], FACES["bounds"], "reference_set", "template")
    cohort.learn_variation(*given, limits["variation"], FACES["variation"], "built_in")
    return limits


def _write_template(path, curves=None):
    with artifacts.writer(path, artifacts.TEMPLATE) as out:
        curves = outside_view.curve_template() if curves is None else curves
        surface, public = np.zeros((4, 8, 3)), {"scale": 150.0, "extent": 1.0, "public": 1, "source": "built_in"}
        forms = dict.fromkeys(("f", "cloud_f"), surface) | artifacts.no_people(surface.shape[:2])
        places = {"cloud_places": np.zeros((4, 8, 2))}
        out.set(**forms, **places, curves=curves, radii=[0.5, 1.0], **public)


def _write_curves(path, template, curves, ok):
    with artifacts.writer(path, artifacts.CURVES, inputs=[template]) as out:
        out.set(
            curves=curves,
            ok=ok,
            ids=[f"person{index:02d}" for index in range(len(ok))],
            groups=[""] * len(ok),
            radii=[0.5, 1.0],
            template=artifacts.header(template)[2],
        )


def _privacy(folder):
    return {**PRIVACY, "ledger": folder / "ledger"}


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        audit_release_command(snakemake.output.table)
