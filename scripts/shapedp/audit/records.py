"""Take neighbouring cohorts through every step, as the rules run them: nothing but the noised numbers may move.

Two cohorts differ in one record: in what an adversary chose it to be (`audit_release_command`; of differences within a
person it is one of their two), or in its bytes within a frame that both share (`audit_hostile_files`).
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from shapedp.audit import hostile_files, outside_view
from shapedp.base import artifacts
from shapedp.base.runs.logs import log, logged, report_progress
from shapedp.base.settings import read_default
from shapedp.base.storage import files
from shapedp.landmarks.cohort import read_shapes
from shapedp.landmarks.shapes import center_shapes, difference_shapes, mean_shape
from shapedp.people import samples
from shapedp.releases import kinds, making
from shapedp.releases.shape_mechanisms import MECHANISMS
from shapedp.surfaces import scans
from shapedp.surfaces.chain import step

SCRIPTS = Path(artifacts.__file__).resolve().parents[2]
# In memory, since there are many small files, none of which is kept.
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
# Of hostile files, where somebody asks for the audit; the bench takes as many as its table says.
COHORTS = 200
SHAPES, IN_SPACE = ("shaped", "gaussian", "knorm", "laplace", "kng", "pointwise_laplace"), ("shaped", "knorm")
SLIDING = {"semilandmarks": [[1, 2, 3], [4, 5, 6]], "sliding": "bending_energy"}
# Branch: center, mechanisms, their budget, what else its settings and its entries say.
LANDMARK_BRANCHES = {
    "shapes": ("demo", SHAPES, 1.0, {}, {}),
    # About the public mean, what is no nearer than that is refused: the budget is larger.
    "space": ("reference_set", IN_SPACE, 4.0, SLIDING, {"shrink": True}),
}
# Mechanism: what its bounds come from.
CURVES = {
    "shaped": "variation",
    **dict.fromkeys(("matched_joint", "pointwise"), "reference_set"),
    **dict.fromkeys(("matched", "rkhs"), "numbers"),
}
# Drawn in floating point, so that it makes no claim and is released as a reproduction alone.
NO_CLAIM = ("kng",)
# With as much it asks first, of twenty people, how far they lie.
BUDGETS = {"shaped": 2.0}
FACES = {
    **{key: read_default(f"faces.{key}") for key in ("kernel", "persons")},
    "bounds": read_default("faces.bounds") | {"tau": [0.1, 0.1, 0.1], "reference_set": "built_in"},
    "curves": {"count": 2, "samples": 8, "spacing": "arc"},
    "variation": read_default("faces.variation") | {"directions": 10, "harmonics": 2},
}
PRIVACY = read_default("privacy") | {
    "population": {"shapes": "audit", "faces": "audit"},
    "cap": {"shapes": {"mu_total": 9.0}, "faces": {"mu_total": 14.0}},
    "tuned_on": "public",
    "sources": dict.fromkeys(("settings", "center", "radius", "template", "reference_set", "bounds", "tau"), "demo"),
}
EVERYBODY = {"membership": "public", "sizes": {}}
GROUP, PRIVATE_GROUP = {"group": "a"}, {"membership": "private", "sizes": {"a": 6}}


def _shaped_entry(kind, mu, **settings):
    """Return a release, as an entry of `releases`."""
    return {"name": kind, "kind": kind, "mechanism": "shaped", "budget": {"mu_total": mu}, **settings}


def _audited_entries(branch, are_differences):
    """Return the entries of `releases` that the audit makes of a branch: differences within a person, or others."""
    audited_kinds = [kind for kind in kinds.KINDS if kind.branch == branch and kind.is_difference == are_differences]
    return [
        {"name": kind.name, "kind": kind.name, "mechanism": "shaped", **kind.audited}
        | ({"times": list(outside_view.TIMES)} if kind.two_times else {})
        for kind in audited_kinds
        if kind.audited
    ]


SHEET_COVARIATES = {"age": {"range": [20, 60]}, "sex": {"levels": ["women", "men"]}}
# Of landmarks they are the same.
DIFFERENCES = _audited_entries("faces", True)


def _write_table(columns, rows, table_path, words, most=None):
    """Write an audit's table, and stop with an error if a row's last cell says that what an outsider sees has moved."""
    files.write_table(table_path, [columns, *rows])
    if leaks := [f"{branch}: {record} ({difference})" for branch, record, *_, difference in rows if difference]:
        summary = f"{words.format(len(leaks))} what an outsider sees: {'; '.join(leaks[:most])}"
        sys.exit(f"audit: {summary}; see {table_path}")


def _refuse_blind(view, cohort):
    """Fail where a cohort was not released: an audit that sees nothing proves nothing."""
    if view["exit status"] or not view["statements"]:
        sys.exit(f"audit: {cohort} not released: an audit that sees nothing")


def _run_in_shell(call, folder):
    """Run a call of this module in a process of its own, as a rule would; return the exit status that outsiders see."""
    command = [sys.executable, "-c", f"from shapedp.audit import records as one; one.{call}"]
    environment = {**os.environ, "PYTHONPATH": str(SCRIPTS)}
    process = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    log.info("%s", process.stderr.decode(errors="replace")[-2000:])
    return process.returncode


def _view_folder(status, folder):
    """Return what an outsider sees of the folder of a run."""
    return outside_view.view_run(status, folder / "results" / "release", folder / "ledger")


def _release_landmarks(folder, source, entries, settings, sheet=None, people=None, groups=EVERYBODY):
    """Release a cohort of landmarks as the rules would, from its file on, for outsiders to look at.

    Entries that are differences take rows of their own.
    """
    landmarks, shapes, releases = folder / "landmarks.h5", folder / "shapes.h5", folder / "results/release/shapes"
    reference_set = settings["reference_set"] if settings["center"] == "reference_set" else None
    center = {"center": settings["center"], "reference_set": reference_set}
    corrections = {key: settings[key] for key in ("pairs", "semilandmarks", "sliding") if key in settings}
    privacy = {**PRIVACY, "groups": groups, "ledger": folder / "ledger"}
    read_shapes(source, landmarks, **center, sheet=sheet, people=people)
    if entries != DIFFERENCES:
        center_shapes(landmarks, shapes, **center, persons=settings["persons"], **corrections)
    for entry in entries:
        rows = shapes
        if entry in DIFFERENCES:
            rows = folder / f"{entry['name']}.h5"
            difference_shapes(landmarks, rows, entry, **center, **corrections)
        making.release_shapes(rows, landmarks, releases / entry["name"], entry, settings, privacy)


def _release_face(folder, stack, limits, entry, people, faces=FACES, cells=(), groups=EVERYBODY):
    """Release one entry of a cohort of faces as the rule would, for outsiders to look at.

    limits : path of bounds or variation
    """
    paths, output = (stack, folder / "template.h5", limits), folder / "results/release/faces" / entry["name"]
    privacy = {**PRIVACY, "groups": groups, "ledger": folder / "ledger"}
    making.release_faces(paths, output, entry, faces, privacy, people, True, cells)


def audit_release_command(table_path):
    """Write a table of one row a chosen record, and fail where what an outsider sees has moved."""
    _write_table(("branch", "chosen", "exit_status", "moved"), list(compare_records()), table_path, "a record moves")


def compare_records(most=None):
    """Yield, for each record that an adversary may choose, what it moves of what an outsider sees: a row of the audit.

    It is (branch, chosen record, exit status, what moved beside the ordinary record). most : records a branch, or None
    for all
    """
    space, faces = outside_view.landmark_records("space"), outside_view.curve_records()
    branches = {
        "shapes": outside_view.landmark_records("shapes"),
        "space": space,
        "faces": faces,
        "space_twice": space | dict.fromkeys(outside_view.CELLS, space[outside_view.ORDINARY]),
        "faces_twice": faces,
    }
    for branch, records in branches.items():
        named_records = list(records.items())[: None if most is None else most + 1]
        views = {
            name: _view_cohort(branch, name, record)
            for name, record in report_progress(named_records, len(named_records), f"audit of {branch}")
        }
        ordinary = views.pop(outside_view.ORDINARY)
        _refuse_blind(ordinary, f"the {branch} of the ordinary cohort are")
        for name, view in views.items():
            yield branch, name, view["exit status"], ", ".join(outside_view.find_differences(ordinary, view))


def _view_cohort(branch, name, record):
    """Return what an outsider sees when the command runs on the cohort with this record, in a process of its own."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        # An age, or years between two scans.
        cell = outside_view.CELLS.get(name, "30" if branch == "faces" else "2")
        call = f"command_{branch}(one.Path())"
        if branch in LANDMARK_BRANCHES:
            outside_view.write_landmarks(folder / "cohort.tps", branch, record)
            call = f"command_landmark_branch(one.Path(), {branch!r})"
        elif branch == "space_twice":
            outside_view.write_two_times(folder, record, cell)
        elif branch == "faces_twice":
            (first, second), ok = outside_view.curves_at_two_times(record)
            np.savez(folder / "cohort.npz", before=first, after=second, ok=ok, cell=cell)
        else:
            curves, ok = outside_view.cohort_curves(record)
            np.savez(folder / "cohort.npz", curves=curves, ok=ok, cell=cell)
        return _view_folder(_run_in_shell(call, folder), folder)


def command_landmark_branch(folder, branch):
    """Release from a landmark file each kind of statistic of a branch, for the audit that no record shows in them.

    `_view_cohort` runs it for each record that an adversary may choose.

    In space some landmarks slide, and releases are shrunk.
    """
    center, mechanisms, budget, sliding, entry_settings = LANDMARK_BRANCHES[branch]
    outside_view.write_public(folder / "public.tps", branch)
    settings = {"radius": 0.2, "contour_modes": 10, "center": center, "persons": "refuse", **sliding}
    settings["reference_set"] = str(folder / "public.tps")
    entries = [
        {"name": name, "mechanism": name, "budget": {MECHANISMS[name].budgets[0]: budget}, **entry_settings}
        | ({"reproduction": True} if name in NO_CLAIM else {})
        for name in mechanisms
    ]
    with logged(folder / "log"):
        _release_landmarks(folder, folder / "cohort.tps", [*entries, *_audited_entries("shapes", False)], settings)
        mean_shape(folder / "shapes.h5", folder / "mean.h5")


def command_space_twice(folder):
    """Release differences within each person, of landmarks in space, for the audit that no record shows in them.

    It is from the landmark file and its sheet.
    """
    outside_view.write_public(folder / "public.tps", "space")
    settings = {"radius": 0.2, "contour_modes": 0, "center": "reference_set", "persons": "average"}
    settings |= {"pairs": [[1, 2], [3, 4], [5, 6]], "reference_set": str(folder / "public.tps")}
    with logged(folder / "log"):
        _release_landmarks(folder, folder / "cohort.tps", DIFFERENCES, settings, folder / "sheet.csv")


def command_faces_twice(folder):
    """Release faces' differences within each person, so that the audit sees whether one chosen record shows in them.

    It is from the curves of each scan; `_view_cohort` runs it.
    """
    from shapedp.surfaces.chain import differences

    template, cohort = folder / "template.h5", np.load(folder / "cohort.npz")
    with logged(folder / "log"):
        _write_template(template, outside_view.symmetric_template())
        all_ok = np.ones(outside_view.PUBLIC, int)
        public = _write_scans(folder, "public", template, outside_view.public_scans(), all_ok, "2")
        times, cell = (cohort["before"], cohort["after"]), str(cohort["cell"])
        private = _write_scans(folder, "person", template, times, cohort["ok"], cell)
        for entry in DIFFERENCES:
            stack, variation = folder / f"{entry['name']}.h5", folder / f"{entry['name']}_variation.h5"
            differences.stack_rows(private[0], template, stack, private[1], entry)
            batches, people = public
            differences.learn_rows(batches, template, variation, people, entry, FACES["variation"], "built_in")
            _release_face(folder, stack, variation, entry, len(cohort["ok"]), FACES | {"persons": "average"})


def _write_scans(folder, name, template, times, ok, cell):
    """Write the artifacts of people's scans at two times, from which a change is released; return (batches, samples).

    ok : whether each person's second scan can be used; cell : the last person's years between the two
    """
    paths, samples_listed = [], []
    for time, faces in zip(outside_view.TIMES, times, strict=True):
        paths.append(folder / f"{name}_{time}.h5")
        with artifacts.writer(paths[-1], artifacts.FACE_CURVES, inputs=[template]) as out:
            usable = ok if time == outside_view.TIMES[1] else np.ones_like(ok)
            for at, (curves, is_usable) in enumerate(zip(faces, usable, strict=True)):
                scan = f"{name}{at:02d}_{time}"
                years = cell if at == len(faces) - 1 else "2"
                samples_listed.append((scan, f"{name}{at:02d}", "", time, (("years", years),)))
                if is_usable:
                    out.write(scan, curves=curves)
                else:
                    out.reject(scan, "register_surfaces", "gate", "not like a face")
    return paths, samples_listed


def command_faces(folder):
    """Release each kind of statistic of faces, from the stacked curves on, for the audit that no record shows in them.

    `_view_cohort` runs it for each record that an adversary may choose.
    """
    from shapedp.surfaces.chain import cohort as shared

    curves, template, public = folder / "curves.h5", folder / "template.h5", folder / "public.h5"
    cohort, public_curves = np.load(folder / "cohort.npz"), outside_view.public_curves()
    limits = {name: folder / f"{name}.h5" for name in ("reference_set", "variation")}
    people = len(cohort["ok"])
    cells = [(f"person{index:02d}", {"age": str(20 + index)}) for index in range(people)]
    cells[-1][1]["age"] = str(cohort["cell"])
    with logged(folder / "log"):
        _write_template(template, outside_view.curve_template())
        _write_curves(curves, template, cohort["curves"], cohort["ok"])
        _write_curves(public, template, public_curves, np.ones(len(public_curves), int))
        shared.bound_curves(public, template, limits["reference_set"], FACES["bounds"], "reference_set", "template")
        shared.learn_variation(public, template, limits["variation"], FACES["variation"], "built_in")
        for name, bounds_source in CURVES.items():
            entry = {"name": name, "mechanism": name, "budget": {"mu_total": BUDGETS.get(name, 1.0)}}
            _release_face(folder, curves, limits.get(bounds_source), entry, people)
        for entry in _audited_entries("faces", False):
            _release_face(folder, curves, limits["variation"], entry, people, cells=cells)


def _write_template(path, curves):
    """Write the public template that the audit's faces are beside, as the chain would."""
    with artifacts.writer(path, artifacts.TEMPLATE) as out:
        surface, public = np.zeros((4, 8, 3)), {"scale": 150.0, "extent": 1.0, "public": 1, "source": "built_in"}
        forms = dict.fromkeys(("f", "cloud_f"), surface) | artifacts.no_people(surface.shape[:2])
        places = {"cloud_places": np.zeros((4, 8, 2))}
        out.set(**forms, **places, curves=curves, radii=[0.5, 1.0], **public)


def _write_curves(path, template, curves, ok, ids=None, groups=None):
    """Write the stack of people's curves that the audit releases from, as the chain would; ok : whose can be used."""
    ids, groups = ids or [f"person{index:02d}" for index in range(len(ok))], groups or [""] * len(ok)
    with artifacts.writer(path, artifacts.CURVES, inputs=[template]) as out:
        made_with = artifacts.header(template)[2]
        out.set(curves=curves, ok=ok, ids=ids, groups=groups, radii=[0.5, 1.0], template=made_with)


def audit_hostile_files(table_path):
    """Write a table of one row a cohort whose chosen record has faults in its bytes, and fail where something moved."""
    columns = ("reader", "faults", "statistic", "status", "moved")
    _write_table(columns, list(compare_files(COHORTS)), table_path, "{} files move", most=9)


CASES = tuple(
    [
        (form.name, name)
        for form in hostile_files.LANDMARK_FORMS
        for name in (("gaussian", "knorm", "shaped", "pointwise_laplace") if form.dimensions == 2 else IN_SPACE)
    ]
    + [("landmark sheet", name) for name in ("gaussian", "knorm", "shaped", "model")]
    + [(reader, name) for reader in ("sample sheet", "scan") for name in ("matched_joint", "rkhs")]
)


def compare_files(cohorts, shell=False):
    """Yield what hostile bytes of one record move of what an outsider sees, a row for each generated cohort.

    It is (reader, faults, statistic, status, what moved beside the sound cohort).

    Parameters
    ----------
    cohorts : int
        How many are generated.
    shell : bool
        Whether each runs in a process of its own, as the rule does.
    """
    sound_views = {}
    for seed in report_progress(range(cohorts), cohorts, "audit of files"):
        case = CASES[seed % len(CASES)]
        if case not in sound_views:
            sound_views[case] = view_faults(case, (), 0, shell)
            _refuse_blind(sound_views[case], f"{case} of the sound cohort is")
        names = hostile_files.draw_faults(seed)
        view = view_faults(case, names, seed, shell)
        moved = ", ".join(outside_view.find_differences(sound_views[case], view))
        yield case[0], " and ".join(names), case[1], view["exit status"], moved


def view_faults(case, names, seed, shell=False):
    """Return what an outsider sees of a cohort whose chosen record has these faults.

    The status may name what stopped the steps.

    Parameters
    ----------
    case : (str, str)
        Reader and statistic.
    names : tuple of str
        Of `hostile_files.FAULTS`.
    seed : int
        Of the places where they strike.
    shell : bool
        As of `compare_files`.
    """
    with tempfile.TemporaryDirectory(dir=MEMORY) as scratch:
        folder, status = Path(scratch), 0
        command = command_scans if case[0] in ("scan", "sample sheet") else command_landmarks
        if shell:
            status = _run_in_shell(f"{command.__name__}(one.Path(), *{case!r}, {names!r}, {seed})", folder)
        else:
            try:
                reader, statistic = case
                command(folder, reader, statistic, names, seed)
            except Exception as error:
                log.info("%s %s %d: %s", case, names, seed, error)
                status = type(error).__name__
        return _view_folder(status, folder)


def command_landmarks(folder, reader, statistic, names, seed):
    """Release shapes of a cohort with one hostile landmark record, for the audit that outsiders see nothing of it.

    The faults are in the landmark file, or in the sheet beside a sound one. `view_faults` runs it, for its audit to
    compare with the release of a sound cohort.
    """
    forms, in_sheet = {form.name: form for form in hostile_files.LANDMARK_FORMS}, reader == "landmark sheet"
    form = hostile_files.LANDMARK_FORMS[0] if in_sheet else forms[reader]
    source, public, sheet = folder / "cohort", folder / "public.npz", folder / "sheet.csv" if in_sheet else None
    source.mkdir()
    for name, content in form.files(() if in_sheet else names, seed).items():
        (source / name).write_bytes(content)
    np.savez(public, X=hostile_files.public_landmarks(form.dimensions))
    if in_sheet:
        sheet.write_bytes(hostile_files.write_sheet(reader, names, seed))
    settings = {"radius": 0.3, "contour_modes": 0, "center": "reference_set", "persons": "average"}
    settings["reference_set"] = str(public)
    entry = _shaped_entry("shape_model", 8.0, name="model", modes=1, covariates=SHEET_COVARIATES)
    if statistic != "model":
        entry = {"name": statistic, "mechanism": statistic, "budget": {MECHANISMS[statistic].budgets[0]: 4.0}}
        entry |= {"worth_it_anyway": True, **(GROUP if in_sheet else {})}
    _release_landmarks(folder, source, [entry], settings, sheet, hostile_files.PEOPLE, PRIVATE_GROUP)


def command_scans(folder, reader, statistic, names, seed):
    """Release faces of a cohort with one hostile scan or row, for the audit that outsiders see nothing of it.

    `view_faults` runs it, for its audit to compare with the release of a sound cohort. Each scan is read as the chain's
    first step reads it; the curves follow from whether it could be read.
    """
    from shapedp.surfaces.meshing import scan_mesh

    scan_files = hostile_files.make_scan_files()
    form = list(scan_files)[seed % len(scan_files)]
    chosen_bytes = hostile_files.apply_faults(
        scan_files[form], names if reader == "scan" else (), np.random.default_rng(seed)
    )
    for at in range(hostile_files.PEOPLE):
        (folder / f"f{at}.ply").write_bytes(chosen_bytes if at == hostile_files.CHOSEN else scan_files[form])
    (folder / "samples.csv").write_bytes(
        hostile_files.write_sheet("sample sheet", names if reader != "scan" else (), seed)
    )
    members = samples.find(str(folder / "samples.csv"), "refuse")

    def mesh(path):
        scan = scans.read(path)
        return scan_mesh.mesh_scan(scan.points, scan.triangles)

    chosen_member = members[hostile_files.CHOSEN]
    outcome = step.run_step(chosen_member.id, "mesh_faces", lambda: mesh(chosen_member.path))
    ok = np.ones(len(members), dtype=int)
    ok[hostile_files.CHOSEN] = not isinstance(outcome, step.Refusal)
    curves = 0.3 * np.random.default_rng(3).standard_normal((len(members), 2, 3, 8))
    template, stack = folder / "template.h5", folder / "curves.h5"
    _write_template(template, curves[0])
    _write_curves(
        stack, template, curves, ok, [member.person for member in members], [member.group for member in members]
    )
    entry = {"name": statistic, "mechanism": statistic, "budget": {"mu_total": 1.0}}
    entry |= GROUP if reader == "sample sheet" else {}
    _release_face(folder, stack, None, entry, len(members), groups=PRIVATE_GROUP)
