"""Take files of neighbouring cohorts that share a frame through every step: nothing that an outsider sees may move."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from shapedp import artifacts
from shapedp.audit import hostile_files, outside_view
from shapedp.chain import step
from shapedp.errors import ShapedpError
from shapedp.readers import samples, scans
from shapedp.runs.logs import log, logged, progress
from shapedp.storage import files

SCRIPTS = Path(artifacts.__file__).resolve().parents[2]
COLUMNS = ("reader", "faults", "statistic", "status", "moved")
COHORTS = 200  # of an audit that somebody asks for; the bench takes as many as its table says
PLANE = {"gaussian": "mu_total", "knorm": "epsilon", "shaped": "mu_total", "pointwise_laplace": "epsilon"}
SPACE = {"knorm": "epsilon", "shaped": "mu_total"}
GROUP = {"group": "a"}
SECTION = {"radius": 0.3, "contour_modes": 0, "center": "reference_set", "persons": "average"}
MODEL = {
    **{"name": "model", "kind": "shape_model", "mechanism": "shaped", "budget": {"mu_total": 8.0}, "modes": 1},
    "covariates": {"age": {"range": [20, 60]}, "sex": {"levels": ["women", "men"]}},
}
FACES = {
    "kernel": {"rho": 1.0, "alpha": 1.0, "phi": [0.01, 0.01, 0.005]},
    "bounds": {"tau": [0.1, 0.1, 0.1], "source": "public"},
    "curves": {"count": 2, "samples": 8, "spacing": "arc"},
    "persons": "refuse",
}
PRIVACY = {
    "population": {"shapes": "audit", "faces": "audit"},
    "cap": {"shapes": {"mu_total": 9.0}, "faces": {"mu_total": 9.0}},
    "groups": {"membership": "private", "sizes": {"a": 6}},
    "seed": None,
    "tuned_on": "public",
    "sources": dict.fromkeys(("settings", "center", "radius", "template", "reference_set", "bounds", "tau"), "demo"),
    "statement": {},
}


def audit_hostile_files(table_path, cohorts=COHORTS):
    """One row a cohort; the job fails if one record's bytes move what an outsider sees."""
    rows = list(compared(cohorts))
    files.write_text(table_path, "".join("\t".join(map(str, row)) + "\n" for row in [COLUMNS, *rows]))
    if moved := [f"{reader}: {faults} ({what})" for reader, faults, _, _, what in rows if what]:
        sys.exit(f"audit: {len(moved)} files move what an outsider sees: {'; '.join(moved[:9])}; see {table_path}")


def compared(cohorts, shell=False, cases=None):
    """(reader, faults, statistic, status, what moved beside the sound cohort) of each generated cohort.

    shell : in a process of its own each, as the rule runs; cases : those of `CASES` to take, all by turns otherwise
    """
    cases, sound = cases or CASES, {}
    for seed in progress(range(cohorts), cohorts, "audit of files"):
        case = cases[seed % len(cases)]
        if case not in sound:
            sound[case] = seen(case, (), 0, shell)
            if sound[case]["exit status"] or not sound[case]["statements"]:
                sys.exit(f"audit: {case} of the sound cohort is not released: an audit that sees nothing")
        names = hostile_files.drawn(seed)
        view = seen(case, names, seed, shell)
        yield (
            case[0],
            " and ".join(names),
            case[1],
            view["exit status"],
            ", ".join(outside_view.moved(sound[case], view)),
        )


def seen(case, names, seed, shell=False):
    """What is seen of a cohort whose chosen record has these faults."""
    with tempfile.TemporaryDirectory(dir=MEMORY) as scratch:
        if shell:
            code = f"import audit_hostile_files as one; one.command('.', {case!r}, {names!r}, {seed})"
            call, surroundings = [sys.executable, "-c", code], {**os.environ, "PYTHONPATH": str(SCRIPTS)}
            done = subprocess.run(call, cwd=scratch, env=surroundings, capture_output=True, check=False)
            log.info("%s", done.stderr.decode(errors="replace")[-2000:])
            status = done.returncode
        else:
            status = _status(scratch, case, names, seed)
        return outside_view.view(status, Path(scratch) / "results" / "release", Path(scratch) / "ledger")


def _status(folder, case, names, seed):
    """0, or what stopped the steps in this process."""
    try:
        command(folder, case, names, seed)
    except (ShapedpError, Exception) as error:
        log.info("%s %s %d: %s", case, names, seed, error)
        return type(error).__name__
    return 0


MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None  # many small files, none of which is kept


def command(folder, case, names, seed):
    """The steps from files to a release, as the rules run them."""
    reader, statistic = case
    forms = {form.name: form for form in hostile_files.LANDMARK_FORMS}
    if reader in ("scan", "sample sheet"):
        _faces(Path(folder), reader, statistic, names, seed)
    else:
        form = forms.get(reader) or hostile_files.LANDMARK_FORMS[0]
        _landmarks(Path(folder), form, statistic, names, seed, reader not in forms)


def _landmarks(folder, form, statistic, names, seed, in_sheet):
    """in_sheet : whether the faults are in the sheet beside the landmarks, instead of in their file"""
    import center_shapes
    import read_shapes
    import release_shapes

    source = folder / "cohort"
    source.mkdir()
    for name, content in form.files(() if in_sheet else names, seed).items():
        (source / name).write_bytes(content)
    public = folder / "public.npz"
    np.savez(public, X=hostile_files.public(form.dimensions))
    sheet = folder / "sheet.csv" if in_sheet else None
    if in_sheet:
        sheet.write_bytes(hostile_files.landmark_sheet(names, seed))
    landmarks, shapes = folder / "landmarks.h5", folder / "shapes.h5"
    people = hostile_files.PEOPLE
    read_shapes.read_shapes(source, landmarks, "reference_set", public, sheet, people=people)
    center_shapes.center_shapes(landmarks, shapes, "reference_set", public, "average")
    section = {**SECTION, "reference_set": str(public)}
    release = folder / "results" / "release" / "shapes" / statistic
    privacy = {**PRIVACY, "ledger": folder / "ledger"}
    if statistic == "model":
        release_shapes.release_shapes(shapes, landmarks, release, MODEL, section, privacy)
        return
    budget = {(PLANE | SPACE)[statistic]: 4.0}
    entry = {"name": statistic, "mechanism": statistic, "budget": budget, "worth_it_anyway": True}
    entry |= GROUP if in_sheet else {}
    release_shapes.release_shapes(shapes, landmarks, release, entry, section, privacy)


def _faces(folder, reader, statistic, names, seed):
    """Scans and their sample sheet: each is read as the chain's first step reads it; its curves follow from that."""
    import release_faces
    from shapedp.surfaces.meshing import scan_mesh

    made = hostile_files.scan_files()
    form = list(made)[seed % len(made)]
    chosen = hostile_files.hostile(made[form], names if reader == "scan" else (), np.random.default_rng(seed))
    for at in range(hostile_files.PEOPLE):
        (folder / f"f{at}.ply").write_bytes(chosen if at == hostile_files.CHOSEN else made[form])
    (folder / "samples.csv").write_bytes(hostile_files.sample_sheet(names if reader != "scan" else (), seed))
    members = samples.find(str(folder / "samples.csv"), "refuse")

    def mesh(path):
        scan = scans.read(path)
        return scan_mesh.mesh_scan(scan.points, scan.triangles)

    chosen = members[hostile_files.CHOSEN]
    read = step.tried(chosen.id, "mesh_faces", lambda: mesh(chosen.path))
    ok = np.ones(len(members), dtype=int)
    ok[hostile_files.CHOSEN] = not isinstance(read, step.Refusal)
    curves = 0.3 * np.random.default_rng(3).standard_normal((len(members), 2, 3, 8))
    template, stack = folder / "template.h5", folder / "curves.h5"
    with artifacts.writer(template, artifacts.TEMPLATE) as out:
        surface, public = np.zeros((4, 8, 3)), {"scale": 150.0, "extent": 1.0, "public": 1, "source": "built_in"}
        forms = dict.fromkeys(("f", "cloud_f"), surface) | artifacts.no_people(surface.shape[:2])
        places = {"cloud_places": np.zeros((4, 8, 2))}
        out.set(**forms, **places, curves=curves[0], radii=[0.5, 1.0], **public)
    with artifacts.writer(stack, artifacts.CURVES, inputs=[template]) as out:
        digest = artifacts.header(template)[2]
        ids, groups = [one.person for one in members], [one.group for one in members]
        out.set(curves=curves, ok=ok, ids=ids, groups=groups, radii=[0.5, 1.0], template=digest)
    entry = {"name": statistic, "mechanism": statistic, "budget": {"mu_total": 1.0}}
    entry |= GROUP if reader == "sample sheet" else {}
    privacy = {**PRIVACY, "ledger": folder / "ledger"}
    release = folder / "results" / "release" / "faces" / statistic
    release_faces.release_faces((stack, template, None), release, entry, FACES, privacy, len(members), True)


CASES = tuple(
    [(form.name, name) for form in hostile_files.LANDMARK_FORMS for name in (PLANE if form.dimensions == 2 else SPACE)]
    + [("landmark sheet", name) for name in ("gaussian", "knorm", "shaped", "model")]
    + [("sample sheet", name) for name in ("matched_joint", "rkhs")]
    + [("scan", name) for name in ("matched_joint", "rkhs")]
)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        audit_hostile_files(snakemake.output.table)
