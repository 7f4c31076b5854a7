"""Registration: seconds a face, energies, and how well anatomy corresponds, against the truth of a face model.

`full`: random faces against the mean face; `full_search`: the same with a search over all turns of the disk;
`crop5`: cropped at 90 mm from the nose, give or take 5 %; `hard_start`: turned in space and in the disk, and the nose
12 mm off. Seconds are processor time, which other work on the machine does not lengthen; all of it is on one core.
"""

import importlib.util
import resource
import subprocess
import sys
import time
from dataclasses import dataclass, field

import numpy as np

from benchmarks import populations
from benchmarks import registration_faces as faces
from shapedp.surfaces import table
from shapedp.surfaces.polar import polar_grid
from shapedp.surfaces.registration import descent
from shapedp.surfaces.registration.basis import Basis, modes
from shapedp.surfaces.registration.register import register
from shapedp.surfaces.registration.template import Options, level_table, prepare, unit_srnf

PAPER_SECONDS = 180.0  # a face, as published by the faces paper, on other hardware
POPULATIONS = ("ict", "demo")
SEEDS = "registration_faces.SEED of people"


@dataclass(frozen=True)
class Size:
    """people; seeds of the known diffeomorphisms; round trips; faces for MeshMonk; options instead of the cases'."""

    people: int
    seeds: tuple
    round_trips: int
    meshmonk: int
    instead: dict = field(default_factory=dict)

    def options(self, **asked):
        """The options of a case."""
        return Options(**{**asked, **self.instead})


FULL = Size(24, (1, 2, 3), 6, 6)
TINY = Size(1, (1,), 1, 0, {"levels": 1, "basis": 20})


def run(population, size):
    """All rows."""
    model = populations.FACES[population]()
    whole = faces.on_disk(model, model.mean)
    people = model.people(np.random.default_rng(faces.SEED), size.people)
    normal = [faces.on_disk(model, one) for one in people]
    yield from cases(model, people, whole, normal, size)
    yield from recovery(size)
    yield from round_trip(whole, normal[: size.round_trips], size.options(search="never"))
    yield from stages(whole, normal, size.options(search="never"))
    yield from peak()
    if size.meshmonk and importlib.util.find_spec("meshmonk"):
        yield from against_meshmonk(whole, normal[: size.meshmonk])


def cases(model, people, whole, normal, size):
    """The cases of the first table, and the seconds that a template takes."""
    rng = np.random.default_rng(faces.SEED)
    radii = faces.CROP_MM * (1 + faces.CROP_SPREAD * rng.uniform(-1, 1, len(people)))
    cut = [faces.on_disk(model, one, radius=radius) for one, radius in zip(people, radii, strict=True)]
    started = [faces.hard(model, one, rng) for one in people]
    cut_template = faces.on_disk(model, model.mean, radius=faces.CROP_MM)
    yield from setup(whole.f, size.options())
    yield from table_of("full", whole, normal, size.options(search="never"))
    yield from table_of("full_150", whole, normal, size.options(search="never", basis=150))
    yield from table_of("full_search", whole, normal, size.options(search="always"))
    yield from table_of("crop5", cut_template, cut, size.options(search="auto"))
    yield from table_of("hard_start", whole, started, size.options(search="always"))


def setup(f, options):
    """Seconds to prepare the template, after the first call in this process has loaded the compiled kernels."""
    prepare(f, options)
    start = time.process_time()
    prepare(f, options)
    return [("setup", "seconds", time.process_time() - start, "s")]


def table_of(case, template, cohort, options):
    """One case's rows: each face registered, timed and held against the truth."""
    prepared = prepare(template.f, options)
    register(cohort[0].f, prepared)
    seconds, found = zip(*(timed(face.f, prepared) for face in cohort), strict=True)
    still = polar_grid(faces.RINGS, faces.ANGLES).points
    before = np.array([faces.vertex_errors(template, face, still).mean() for face in cohort])
    errors = [faces.vertex_errors(template, one, r.gamma) for one, r in zip(cohort, found, strict=True)]
    after = np.array([one.mean() for one in errors])
    reduction = np.array([1 - one.energy_after / one.energy_rotation_only for one in found])
    return [
        (case, "s_per_face_mean", np.mean(seconds), "s"),
        (case, "s_per_face_max", np.max(seconds), "s"),
        (case, "paper_to_ours", PAPER_SECONDS / np.mean(seconds), "times"),
        (case, "energy_reduction_mean", reduction.mean(), "1"),
        (case, "energy_reduction_worst", reduction.min(), "1"),
        (case, "min_jacobian", min(one.min_jacobian for one in found), "1"),
        (case, "vertex_error_before_mm", before.mean(), "mm"),
        (case, "vertex_error_mean_mm", after.mean(), "mm"),
        (case, "vertex_error_median_mm", np.median(np.concatenate(errors)), "mm"),
        (case, "vertex_error_worst_face_mm", after.max(), "mm"),
        (case, "faces_worse", int((after > before).sum()), "faces"),
        (case, "failures", sum(not one.converged for one in found), "faces"),
        (case, "steps_mean", np.mean([one.iterations for one in found]), "steps"),
    ]


def timed(f, prepared):
    """(seconds, result)."""
    start = time.process_time()
    found = register(f, prepared)
    return time.process_time() - start, found


def wavy(points):
    """A graph with waves of several directions and a bump."""
    x, y = points[..., 0], points[..., 1]
    waves = 0.25 * np.sin(4 * x + 1) * np.cos(3 * y - 0.5) + 0.15 * np.cos(5 * y + 2 * x)
    return np.stack([x, y, waves + 0.4 * np.exp(-12 * (x**2 + y**2))], axis=-1)


def recovery(asked):
    """A known diffeomorphism of an analytic surface: relative L2 error, the worst of three."""
    grid = polar_grid(faces.RINGS, faces.ANGLES)
    basis = Basis(modes(10), grid)
    decay = np.repeat(basis.modes.eigenvalues, 2)[basis.real]
    rows = []
    for size in (0.1, 0.2):
        errors = []
        for seed in asked.seeds:
            v = basis.field(np.random.default_rng(seed).standard_normal(len(decay)) / decay)
            v *= size / np.linalg.norm(v, axis=-1).max()
            gamma = (grid.points + v) / np.sqrt(1 + (v**2).sum(axis=-1, keepdims=True))
            prepared = prepare(wavy(gamma), asked.options(basis=400, regularisation=0.0, search="never"))
            found = register(wavy(grid.points), prepared)
            errors.append(np.linalg.norm(found.gamma - gamma) / np.linalg.norm(gamma - grid.points))
        rows.append((f"recovery_{size}", "relative_error", max(errors), "1"))
    return rows


def round_trip(template, cohort, options):
    """Face to template and back: how far the template's vertices end from where they were, mean of the worst face."""
    forth, errors = prepare(template.f, options), []
    for face in cohort:
        there = register(face.f, forth).gamma
        back = register(template.f, prepare(face.f, options)).gamma
        place = faces.moved(back, faces.moved(there, faces.in_disk(template.z)))
        gap = faces.points_at(template, place) - template.whole[template.kept]
        errors.append(np.linalg.norm(gap, axis=1).mean())
    return [("round_trip", "error_mm", max(errors), "mm")]


def stages(template, cohort, options):
    """Seconds a face by stage and grid."""
    prepared, spent = prepare(template.f, options), {}

    def clock(stage, function, *arguments):
        start = time.process_time()
        result = function(*arguments)
        spent[stage] = spent.get(stage, 0.0) + (time.process_time() - start) / len(cohort)
        return result

    for face in cohort:
        q = clock("field_s", unit_srnf, face.f, prepared.grid)
        q_table = clock("grid_24x64_s", level_table, q, prepared.levels[0].kernel, prepared.grid)
        _, here = clock("grid_24x64_s", descent.best_start, q_table, prepared)
        for coarser, level in zip(prepared.levels, prepared.levels[1:], strict=False):
            name = f"grid_{level.grid.rings}x{level.grid.angles}_s"
            q_table = clock(name, level_table, q, level.kernel, prepared.grid)
            u_table = table.coefficients(here.u, coarser.grid)
            u = descent.positions(u_table, level.grid.points) - level.grid.points
            here = clock(name, descent.descend, q_table, u, level)
        clock("all_s", register, face.f, prepared)
    return [("stages", stage, seconds, "s") for stage, seconds in spent.items()]


def peak():
    """Largest memory of a fresh process that prepares a template and registers a face to it."""
    code = "import sys; sys.path[:] = sys.argv[1:]; from benchmarks.bench_registration import one_face; one_face()"
    subprocess.run([sys.executable, "-c", code, *sys.path], check=True)
    return [("peak", "memory_mb", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024, "MB")]


def against_meshmonk(template, cohort):
    """Both methods on the same faces, meshed anew: seconds, and distance of each template vertex to its true place.

    MeshMonk's registration is its rigid one, then its pyramid.
    """
    import meshmonk
    import trimesh

    rng, prepared = np.random.default_rng(faces.SEED), prepare(template.f, Options(search="never"))
    floating = trimesh.Trimesh(template.whole, template.triangles, process=False)
    ours, theirs, our_errors, their_errors = [], [], [], []
    for face in cohort:
        seen = faces.seen_anew(face, rng)
        spent, found = timed(seen.f, prepared)
        ours.append(spent)
        there = faces.points_at(seen, faces.moved(found.gamma, faces.in_disk(template.z)))
        our_errors.append(np.linalg.norm(there - face.whole[template.kept], axis=1))
        target = trimesh.Trimesh(seen.whole, seen.triangles, process=False)
        start = time.process_time()  # of all its threads
        aligned = meshmonk.pyramid_register(floating=floating, target=target, rigid_params={}).aligned_vertices
        theirs.append(time.process_time() - start)
        their_errors.append(np.linalg.norm(np.asarray(aligned)[:, :3] - face.whole, axis=1))
    return [
        (case, measure, value, unit)
        for case, seconds, errors in (("meshed_anew", ours, our_errors), ("meshmonk", theirs, their_errors))
        for measure, value, unit in (
            ("s_per_face_mean", np.mean(seconds), "s"),
            ("vertex_error_mean_mm", np.mean(errors), "mm"),
            ("vertex_error_median_mm", np.median(errors), "mm"),
        )
    ]


def one_face():
    """What `peak` measures."""
    points = polar_grid(faces.RINGS, faces.ANGLES).points
    register(1.1 * wavy(points), prepare(wavy(points)))
