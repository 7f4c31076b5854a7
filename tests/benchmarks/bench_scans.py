"""Scans as scanners make them: whole faces and front views, part of a face, noise, a million points, formats.

Errors are distances of the model's vertices to their true places, where the template's extent holds them. The template
is the model's mean, scanned like the faces. `gates` counts scans of other faces than those that the limits were set on.
"""

import gzip
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import trimesh

from benchmarks import (
    any_scan,
    chain_time,
    dense_meshes,
    expressive_faces,
    gate_cases,
    likely_errors,
    marked_faces,
    mixed_scans,
    other_templates,
    populations,
    registration_faces,
    scan_clouds,
    worn,
)
from forecast_releases import forecast_faces
from make_curves import make_curves
from shapedp.app.forecast import budgets
from shapedp.base.errors import Rejected
from shapedp.base.runs import logs, status
from shapedp.base.settings import checks
from shapedp.surfaces import polar, scans
from shapedp.surfaces.chain import to_template
from shapedp.surfaces.chain.cohort import prepare_template
from shapedp.surfaces.human_face.demo import scans as demo_scans
from shapedp.surfaces.registration import extent
from shapedp.surfaces.registration.register import register
from shapedp.surfaces.registration.template import Options, prepare

POPULATIONS = ("ict", "demo")
SEEDS = "19, 23, 29 of people, 37 and 41 of poses"
FORMS = "mesh", "cloud", "scan"  # of the template
TWICE = 19, 23, 29  # seeds of the people who are scanned twice
MILLION = 1_000_000
TARGETS = {
    "open_mouth p95_mm": "<= 4.0",
    "open_mouth chin_mm": "<= 3",
    "open_mouth accepted_share": ">= 0.9",
    "smile vertex_mm": "<= 1.5",
    "neutralised identity_ratio": "<= 0.6",
    "neutralised people_kept": ">= 0.95",
    "tilt moved_ratio": "<= 0.5",
    "error spearman": ">= 0.6",
    "error coverage": ">= 0.9",
    "error sharpness": "<= 1.5",
    "gross unmarked": "<= 0",
    "doubtful plain_share": "<= 0.12",
    "marks chin_mm": "<= 2",
    "own_template ratio_to_built_in": "<= 0.9",
    "meshmonk ratio": "<= 0.95",
    "meshmonk time_ratio": "<= 0.15",
    "chain_built_in time_ratio": "<= 1.25",
    "dense_mesh error_over_collapse_alone": "<= 1.03",
    "dense_mesh_noisy error_over_collapse_alone": "<= 1.03",
}


@dataclass(frozen=True)
class Size:
    """seeds : of people; people : of each, scanned twice; noses : faces whose nose is looked for
    gated : rounds of good and bad; cut : of the ways to cut a face, those that are tried
    held_out : faces that are registered; chained : scans
    dressed : people with expressions, beards, glasses, caps; heads : whole heads, and other scans in proportion
    expressive : people with open mouths and smiles, of each of three seeds; stressed : hard cases
    marked : people with open mouths who are marked by hand, of each of three seeds
    vast : people whose meshes have very many triangles
    own : public people of an own template, and others; rivals : people whom MeshMonk registers, too
    """

    seeds: tuple
    people: int
    noses: int
    gated: int
    cut: int
    points: tuple
    held_out: int
    chained: int
    dressed: int
    heads: int
    expressive: int
    stressed: int
    marked: int
    vast: int
    own: tuple
    rivals: int


FULL = Size(TWICE, 16, 500, 6, len(gate_cases.CUTS), (MILLION, 5 * MILLION), 24, 40, 4, 60, 4, 400, 2, 8, (30, 20), 8)
TINY = Size(TWICE[:1], 1, 1, 1, 1, (20_000,), 0, 0, 1, 0, 0, 0, 0, 0, (0, 0), 0)


def run(population, size):
    """Rows (case, measure, value, unit)."""
    model = populations.FACES[population]()
    reference = mixed_scans.reference(model, mixed_scans.RADIUS)
    yield from extents(model, reference, size.seeds, size.people)
    yield from templates(size.seeds, size.people)
    yield from noses(model, reference, size.noses)
    yield from gated(model, reference, size.gated, size.cut)
    yield from meshes(model, size)
    yield from chain(size.chained)
    yield from public_set()
    yield from chain_time.rows(size.chained)
    yield from worn.rows(size.dressed)
    yield from any_scan.rows(size.heads)
    yield from expressive_faces.rows(size.expressive)
    yield from likely_errors.rows(size.stressed)
    yield from marked_faces.rows(size.marked)
    yield from dense_meshes.rows(model, size.vast, 3)
    yield from other_templates.own_rows(*size.own)
    yield from other_templates.meshmonk_rows(size.rivals)
    yield from formats(model)


def meshes(model, size):
    """What making a mesh does to a face's area and costs for many points, and how well whole meshes are registered."""
    yield from areas(model)
    for count in size.points:
        yield from many_points(model, count)
    yield from whole_meshes(model, size.held_out)


def extents(model, reference, seeds, people):
    """Whole faces and front views of the same people, of several seeds, with the common extent and without."""
    plain = mixed_scans.reference(model, np.inf)
    for case, used in (("", reference), ("_no_extent", plain)):
        errors, between, seconds = {kind: [] for kind in mixed_scans.KINDS}, [], []
        for seed, number in product(seeds, range(people)):
            rng = np.random.default_rng([seed, number])
            face, made = model.face(rng), []
            for kind, views in mixed_scans.KINDS.items():
                mapped = mixed_scans.face_of(scan_clouds.cloud(face, model.triangles, views, rng))
                start = time.process_time()
                made.append(used.align(mapped))
                seconds.append(time.process_time() - start)
                off = mixed_scans.vertices_of(made[-1], used) - face[used.inside]
                errors[kind].append(np.linalg.norm(off, axis=1).mean())
            between.append(mixed_scans.apart(*made, used.common))
        yield from ((f"{kind}{case}", "error_mm", np.mean(values), "mm") for kind, values in errors.items())
        yield f"retest{case}", "three_seeds_mm", np.mean(between), "mm"
        yield f"retest{case}", "worst_pair_mm", max(between), "mm"
        yield f"alignment{case}", "cpu_s_per_face", np.mean(seconds), "s"


def templates(seeds, people):
    """Clouds and meshes of the same people in the chain, the built-in template in each form that `faces.template_as`
    knows: errors at the vertices that all know, and how far the two of one person lie apart there.
    """
    if not people:
        return
    model = expressive_faces.Model()
    chains = {form: expressive_faces.Chain(model, template_as=form) for form in FORMS}
    known = np.logical_and.reduce([chain.inside for chain in chains.values()])
    for form, chain in chains.items():
        errors, apart = {}, []
        for seed, number in product(seeds, range(people)):
            rng = np.random.default_rng([seed, number])
            face, made = model.faces.face(rng), []
            for view in ("three_view", "mesh"):
                scan = model.scanned(face, view, rng)
                taken = chain.take(scan.points, scan.triangles)
                if not taken.code:
                    made.append(taken.vertices[known[chain.inside]])
                    errors.setdefault(view, []).append(chain.errors(taken, scan)[known[chain.inside]].mean())
            if len(made) == 2:
                apart.append(np.linalg.norm(made[0] - made[1], axis=1).mean())
        for view, found in errors.items():
            yield f"{view}_template_{form}", "accepted_share", len(found) / (people * len(seeds)), "1"
            yield f"{view}_template_{form}", "error_mm", np.mean(found), "mm"
        yield f"mesh_and_cloud_template_{form}", "apart_mm", np.mean(apart), "mm"


def noses(model, reference, count):
    """How far the registered nose lies from the true one; posed clouds, half of them front views."""
    allowed, off, rejected = gate_cases.limits(checks.load()["faces"]), [], 0
    for number in range(count):
        rng = np.random.default_rng([37, number])
        turn, shift = scan_clouds.pose(rng, 20)
        face = turn.apply(model.face(rng)) + shift
        points = turn.apply(
            scan_clouds.cloud(turn.inv().apply(face - shift), model.triangles, ("front", "three_view")[number % 2], rng)
        )
        try:
            aligned = reference.align(mixed_scans.face_of(points + shift))
            gate_cases.relief.judge(aligned, allowed)
        except Rejected:
            rejected += 1
            continue
        tip = extent.center(aligned.registered.surface) @ aligned.registered.rotation
        off.append(np.linalg.norm(tip * aligned.scale + aligned.centroid - face[model.nose_tip]))
    yield "nose", "faces", count, "count"
    yield "nose", "median_mm", np.median(off), "mm"
    yield "nose", "worst_mm", max(off), "mm"
    yield "nose", "rejected", rejected, "count"


def gated(model, reference, rounds, cuts):
    """What the gates of config.yaml let through, against a template like the scans and against the shipped one.

    halves : what gates do in odd rounds that are chosen on the good scans of the even ones alone
    """
    allowed = gate_cases.limits(checks.load()["faces"])
    for label, template in gate_cases.templates(reference).items():
        found = {(sort, number): [] for sort in ("good", "bad") for number in range(rounds)}
        for (sort, number), cases in found.items():
            for name, points in getattr(gate_cases, sort)(model, number):
                if (sort, label, name) != ("good", "like", "demo"):  # another population than that template
                    cases.append((name, gate_cases.measured(points, template)))
        yield from _counted(f"gates_{label}", found, allowed)
        if label == "like":
            yield from _cut(model, reference, rounds, cuts, template, allowed)
        even = [one for number in range(0, rounds, 2) for _, one in found["good", number]]
        odd = {key: cases for key, cases in found.items() if key[1] % 2}
        if odd:
            yield from _counted(f"gates_{label}_halves", odd, gate_cases.chosen(even))


def _counted(label, found, allowed):
    """Rows of what gates let through of {(good | bad, round): [(name, what was measured)]}."""
    print(f"    {label}: {allowed}")
    counts = {"good": 0, "good_flagged": 0, "bad": 0, "bad_passed": 0}
    for (sort, number), cases in found.items():
        for name, one in cases:
            passed = gate_cases.passes(one, allowed)
            counts[sort] += 1
            counts["good_flagged"] += sort == "good" and not passed
            counts["bad_passed"] += sort == "bad" and passed
            if (sort == "bad") == passed:
                told = one if isinstance(one, str) else gate_cases.numbers(one)
                print(f"    {label}: {name} of round {number} {'passed' if passed else 'flagged'}: {told}")
    yield from ((label, name, value, "count") for name, value in counts.items())


def _cut(model, reference, rounds, cuts, template, allowed):
    """Rows of cut faces: how many pass, and how far those err at the vertices of the whole extent."""
    tried, errors = 0, []
    for number in range(rounds):
        face = gate_cases.cut_face(model, number)
        for _, points in list(gate_cases.cut(model, number))[:cuts]:
            found, tried = gate_cases.measured(points, template), tried + 1
            if gate_cases.passes(found, allowed):
                off = mixed_scans.vertices_of(found, reference) - face[reference.inside]
                errors.append(np.linalg.norm(off, axis=1).mean())
    yield "gates_like_cut", "cut", tried, "count"
    yield "gates_like_cut", "passed", len(errors), "count"
    if errors:
        yield "gates_like_cut", "passed_error_mm", np.mean(errors), "mm"
        yield "gates_like_cut", "passed_worst_mm", max(errors), "mm"


def areas(model):
    """How much larger a face of 7,000 points becomes by half a millimetre of noise."""
    changes = []
    for number in range(4):
        rng = np.random.default_rng([41, number])
        plain = scan_clouds.cloud(model.face(rng), model.triangles, "three_view", rng)
        noisy = plain + 0.5 * rng.standard_normal(plain.shape)
        one, other = (mixed_scans.face_of(points) for points in (plain, noisy))
        changes.append(100 * (other.scale / one.scale - 1))
    yield "area_noise_05mm", "change_percent", np.mean(np.abs(changes)), "%"
    yield "area_noise_05mm", "smoothed_over", polar.SIGMA, "disk radii"


def many_points(model, count):
    """A cloud of many points with .3 mm noise, from a file to its surface, in a process of its own."""
    cloud = mixed_scans.dense(model.mean, model.triangles, count, 0.3, np.random.default_rng(5))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "dense.npy"
        np.save(path, cloud)
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
            vertices, seconds, megabytes = alone.submit(_read_and_mapped, path).result()
    case = "million_points" if count == MILLION else f"points_{count}"
    yield case, "points", len(cloud), "count"
    yield case, "vertices", vertices, "count"
    yield case, "seconds", seconds, "s"
    yield case, "memory_mb", megabytes, "MB"


def _read_and_mapped(path):
    """(vertices, s, peak MB) of a scan, the second time, when the loops are loaded."""
    for _ in range(2):
        start = time.process_time()
        face = mixed_scans.face_of(scans.read(path).points)
    return len(face.vertices), time.process_time() - start, logs.measure_peak_memory()


def whole_meshes(model, held_out):
    """Whole meshes of the model against its mean, all with one center."""
    if not held_out:
        return
    whole = registration_faces.on_disk(model, model.mean)
    template = prepare(whole.f, Options(basis=mixed_scans.BASIS))
    faces, found = _registered(model, np.random.default_rng(registration_faces.SEED), held_out, template)
    plain = _off(whole, faces, found)
    yield "registration", "error_mean_mm", plain.mean(), "mm"


def _registered(model, rng, count, template):
    """(faces, Registered of each) of random people of a model."""
    faces = [registration_faces.on_disk(model, one) for one in model.people(rng, count)]
    return faces, [register(one.f, template) for one in faces]


def _off(whole, faces, found):
    """Mean distance of the vertices to their true places, of each face."""
    pairs = zip(faces, found, strict=True)
    return np.array([registration_faces.vertex_errors(whole, face, one.gamma).mean() for face, one in pairs])


def chain(count):
    """Scans of the demo's people to their curves, as the workflow does it where curves alone are kept."""
    if not count:
        return
    settings = checks.load()["faces"]
    shaping = {
        key: settings[key] for key in ("template", "template_as", "center", "mesh", "surface", "extent", "curves")
    }
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        demo_scans.make_scans(folder / "scans", count, seed=9, word="demo")
        prepare_template(None, folder / "template.h5", shaping, False)
        paths = sorted(path for path in (folder / "scans").iterdir() if path.suffix != ".tsv")
        samples = [(path.stem, str(path), None) for path in paths]
        for part in (samples[:2], samples):
            start = time.process_time()
            made = folder / "curves/1.h5", folder / "quality/1.tsv", folder / "look/1.h5"
            make_curves(part, folder / "template.h5", *made, settings)
        yield "chain", "cpu_s_per_face", (time.process_time() - start) / count, "s"


def public_set():
    """Whether a public scan that the chain rejects is told in the closing lines, the forecast and the plan."""
    settings = checks.load()
    with tempfile.TemporaryDirectory() as name:
        private = Path(name) / "private"
        template, quality = private / "template.h5", private / "reference" / "quality.tsv"
        shaping = {key: settings["faces"][key] for key in to_template.SETTINGS}
        prepare_template(None, template, shaping, False)
        egg = np.random.default_rng(3).standard_normal((8000, 3))
        egg *= [75, 105, 90] / np.linalg.norm(egg, axis=1, keepdims=True)
        np.save(private / "egg.npy", egg)
        np.save(private / "person.npy", demo_scans.scan(29, 0, "demo"))
        samples = [(one, str(private / f"{one}.npy"), None) for one in ("egg", "person")]
        made = private / "reference/curves/1.h5", quality, private / "reference/look/1.h5"
        make_curves(samples, template, *made, settings["faces"])
        paths = {"template": template, "quality": quality, "public_quality": quality, "bounds": None, "variation": None}
        paths |= {one: private / one for one in ("table", "no_better", "words")}
        privacy = {**settings["privacy"], "ledger": str(private / "ledger")}
        forecast_faces(paths, {"kernel": settings["faces"]["kernel"], "tau": [0.02, 0.03, 0.04]}, privacy, 10)
        closing = "\n".join(status.describe_results(name, timed=False))
        plan = "\n".join(budgets.caution_results(settings, name))
        told = "1 of 2 faces of the public set were rejected"
        where = {
            "closing lines": "1 rejected" in closing and "of the public set; rejected ones are not used" in closing,
            "forecast": told in paths["words"].read_text(encoding="utf-8"),
            "plan": told in plan,
        }
    print(f"    a rejection of the public set is told in: {[place for place, so in where.items() if so]}")
    yield "public_set", "told", int(all(where.values())), "0 or 1"


def formats(model):
    """Files of every sort that a folder may hold: each is read, or refused with its format named."""
    mesh = trimesh.Trimesh(model.mean, model.triangles, process=False)
    made = {ending: mesh.export(file_type=ending) for ending in ("ply", "obj", "stl", "off", "glb")}
    rows = "\n".join(" ".join(f"{value:.4f}" for value in point) for point in model.mean)
    made |= dict.fromkeys(("xyz", "txt", "asc"), rows) | {"pts": f"{len(model.mean)}\n{rows}"}
    fields = "VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1"
    made |= {"pcd": f"{fields}\nWIDTH {len(model.mean)}\nHEIGHT 1\nPOINTS {len(model.mean)}\nDATA ascii\n{rows}\n"}
    made |= {"vtk": "# vtk DataFile Version 3.0\n", "vtp": '<VTKFile type="PolyData">'}
    made |= {"fbx": b"Kaydara FBX Binary  \x00", "ply.gz": gzip.compress(made["ply"])}
    good = 0
    with tempfile.TemporaryDirectory() as folder:
        for ending, data in made.items():
            path = Path(folder) / f"scan.{ending}"
            path.write_bytes(data.encode() if isinstance(data, str) else data)
            try:
                good += len(scans.read(path).points) > 0.9 * len(model.mean)
            except Rejected as error:
                good += error.code == "unsupported_format"
                print(f"    {error}")
    yield "formats", "files", len(made), "count"
    yield "formats", "read_or_named_share", good / len(made), "1"


def _of_model(rows):
    """A part that makes its rows by `rows(model, reference, size)`."""

    def part(size):
        model = populations.FACES[POPULATIONS[0]]()
        return rows(model, mixed_scans.reference(model, mixed_scans.RADIUS), size)

    return part


PARTS = {
    "retest": _of_model(lambda model, reference, size: extents(model, reference, size.seeds, size.people)),
    "templates": lambda size: templates(size.seeds, size.people),
    "noses": _of_model(lambda model, reference, size: noses(model, reference, size.noses)),
    "gates": _of_model(lambda model, reference, size: gated(model, reference, size.gated, size.cut)),
    "meshes": _of_model(lambda model, _, size: meshes(model, size)),
    "chain_time": lambda size: chain_time.rows(size.chained),
    "formats": _of_model(lambda model, reference, size: formats(model)),
    "worn": lambda size: worn.rows(size.dressed),
    "any_scan": lambda size: any_scan.rows(size.heads),
    "expressions": lambda size: expressive_faces.rows(size.expressive),
    "tilt": lambda size: expressive_faces.tilt_rows(size.expressive),
    "errors": lambda size: likely_errors.rows(size.stressed),
    "marks": lambda size: marked_faces.rows(size.marked),
    "own_template": lambda size: other_templates.own_rows(*size.own),
    "meshmonk": lambda size: other_templates.meshmonk_rows(size.rivals),
    "dense_meshes": _of_model(lambda model, _, size: dense_meshes.rows(model, size.vast, 3)),
}
