"""Whole heads, depth cameras, people unlike the template, cut faces and what is no face: what the chain makes of them.

The template is the built-in one; people are the demo's, another population. Errors are distances of a face's vertices
to their true places, in mm.
"""

from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import spsolve

from benchmarks import gate_cases, mixed_scans, populations, whole_heads
from shapedp.base.artifacts import InMemoryRecord
from shapedp.base.errors import NotConverged, Rejected
from shapedp.base.settings import read_default
from shapedp.surfaces import scans, table
from shapedp.surfaces.chain import steps, to_template
from shapedp.surfaces.chain.step import ChainSettings, Scan
from shapedp.surfaces.human_face import finding_faces, fit, real_faces, template_forms
from shapedp.surfaces.human_face.demo import heads, people
from shapedp.surfaces.human_face.demo import scans as demo_scans
from shapedp.surfaces.polar import polar_grid
from shapedp.surfaces.registration import alignment, extent

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
HEADS = ("faces/heads/hrtf_head.ply", "faces/heads/menpo_james.obj", "faces/heads/stackverse_head.ply",
         "surfaces/lee_perry_smith_face_cloud.ply")  # fmt: skip
NOSE_MM = 6.0
GROSS_MM = 3.0  # mean error from which a cut face should have been refused
CUTS = {
    **{f"forehead_{mm}": (lambda d, mm=mm: d[:, 1] < mm) for mm in (70, 60, 50)},
    **{f"chin_{mm}": (lambda d, mm=mm: d[:, 1] > -mm) for mm in (60, 40)},
    "side_55": lambda d: d[:, 0] > -55,
    "side_25": lambda d: d[:, 0] > -25,
}


@dataclass(frozen=True)
class Taken:
    """What the chain made of a scan: code and words of its rejection, or vertices (n, 3), nose (3,) in its units, and
    the record of its registration.
    """

    code: str = ""
    words: str = ""
    vertices: np.ndarray | None = None
    nose: np.ndarray | None = None
    searched: bool = False
    notice: bool = False
    registered: InMemoryRecord | None = None


class Chain:
    """The chain from a scan's points to the template's vertices in it.

    radius : of the common extent, or None; expression, template_as : as of `faces`
    """

    def __init__(self, radius=None, expression="as_scanned", template_as="scan"):
        whole = alignment.map_face(*template_forms.built_in_template("built_in"), mixed_scans.SHAPE, True)
        faces = {
            key: read_default(f"faces.{key}") for key in (*to_template.SETTINGS, *steps.SETTINGS) if key != "template"
        }
        faces |= {"template": "built_in", "extent": {"radius": radius}, "expression": expression}
        faces |= {"template_as": template_as}
        given = ChainSettings(faces, fit.template_fields(whole, faces))
        self.functions = [(one, one.prepared(given)) for one in steps.STEPS[:-1]]
        own = template_forms.mesh_as_cloud(whole) if template_as == "cloud" else whole
        common = alignment.crop_to_extent(own, radius or np.inf)
        self.common = common
        self.inside, self.places = mixed_scans.known(common, real_faces.template())

    def take(self, points, triangles=None, nose=None, marks=()):
        """The Taken of a scan, of which somebody may have marked points."""
        made = dict(Scan("the scan", scans.Scan(points, triangles, ()), nose, marks).inputs)
        try:
            for step, function in self.functions:
                fields = function(*(made[name] for name in step.reads))
                made[step.makes] = InMemoryRecord("the scan", step.kind, fields)
        except (Rejected, NotConverged) as error:
            return Taken(getattr(error, "code", "not_converged"), str(error))
        mesh, found = made["mesh"], made["registered"]
        scale, *centroid = found["in_scan"]
        read = table.lookup(table.coefficients(found["f"], polar_grid(*mixed_scans.SHAPE[:2])), self.places[None])[0]
        vertices, nose = (one @ found["rotation"] * scale + centroid for one in (read, extent.center(found["f"])))
        unsure = mesh["search_confidence"] < finding_faces.UNSURE or bool(made["disk"]["nose_notice"])
        return Taken(vertices=vertices, nose=nose, searched=bool(mesh["searched"]), notice=unsure, registered=found)

    def error(self, taken, truth):
        """Mean distance of the vertices to their true places, in the scan's units."""
        return float(np.linalg.norm(taken.vertices - truth[self.inside], axis=1).mean())


def rows(count):
    """All rows, from `count` drawn heads and in proportion to that of the others."""
    if not count:
        return
    chain = Chain()
    yield from drawn_heads(chain, count)
    yield from real_heads(chain)
    yield from cameras(chain, max(1, 2 * count // 5))
    within = Chain(mixed_scans.RADIUS)
    yield from sound((chain, within), 5 * count // 2)
    yield from cut((chain, within), max(1, count // 3))
    yield from no_faces(chain, max(1, count // 5))


def _people(seed, count):
    public = people.named("demo")
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        yield number, public.vertices(public.person(rng)), rng


def drawn_heads(chain, count):
    """Whole heads of every kind, in any pose and unit."""
    triangles, tip = real_faces.triangles().astype(np.int64), real_faces.nose_tip()
    errors, off, noticed = [], [], []
    for number, face, rng in _people(61, count):
        head = whole_heads.scanned(face, triangles, tip, whole_heads.KINDS[number % len(whole_heads.KINDS)], rng)
        taken = chain.take(head.points, head.triangles)
        if taken.code:
            print(f"    head {number} ({head.kind}): {taken.code}: {taken.words}")
            continue
        unit = whole_heads.UNITS[head.unit]
        off.append(np.linalg.norm(taken.nose - head.nose_tip) / unit)
        noticed.append(taken.notice)
        errors.append(chain.error(taken, head.placed(face)) / unit)
    off, noticed = np.array(off), np.array(noticed)
    yield "heads", "count", count, "count"
    yield "heads", "accepted_share", len(off) / count, "1"
    yield "heads", "nose_off_without_notice", int(((off > NOSE_MM) & ~noticed).sum()), "count"
    yield "heads", "right_with_notice_share", float(noticed[off <= NOSE_MM].mean()), "1"
    yield "heads", "nose_worst_mm", float(off.max()), "mm"
    yield "heads", "vertex_mm", float(np.mean(errors)), "mm"


def real_heads(chain):
    """The heads of the shared data."""
    paths = [DATA / name for name in HEADS if (DATA / name).is_file()]
    if not paths:
        print("    the real heads (../shared/data/faces/heads) are not beside this checkout: left out")
        return
    accepted = 0
    for path in paths:
        scan = scans.read(path)
        taken = chain.take(scan.points, scan.triangles)
        accepted += not taken.code
        print(f"    {path.name}: {taken.code or 'accepted'}")
    yield "real_heads", "accepted", accepted, f"of {len(paths)}"


def cameras(chain, count):
    """People before a depth camera: cropped to the face, and with all that the camera sees."""
    triangles, tip = real_faces.triangles().astype(np.int64), real_faces.nose_tip()
    accepted, errors = {"": 0, "whole_": 0}, []
    for _, face, rng in _people(67, count):
        points, around = heads.bust(face, triangles, tip, rng)
        seen = demo_scans.depth_image(points, around, face[tip], rng)
        d = seen - face[tip]
        near = (np.hypot(d[:, 0] / 0.88, d[:, 1] / 1.1) < 100) & (d[:, 2] > -140)
        for name, part in (("", seen[near]), ("whole_", seen)):
            taken = chain.take(part)
            accepted[name] += not taken.code
            if not taken.code and not name:
                errors.append(chain.error(taken, face))
    yield "depth_camera", "count", count, "count"
    yield from (("depth_camera", f"{name}accepted_share", a / count, "1") for name, a in accepted.items())
    if errors:
        yield "depth_camera", "vertex_mm", float(np.mean(errors)), "mm"


def sound(chains, count):
    """Plain scans of people unlike the public ones: `count` of the demo's and as many of the ICT model where it is at
    hand; the worst of chains without a common extent and with one.
    """
    triangles, shares = real_faces.triangles().astype(np.int64), []
    given = [(face, triangles if number % 2 else None) for number, face, _ in _people(71, count)]
    if populations.ICT.is_file():
        model = populations.ict()
        for number in range(count):
            face = model.face(np.random.default_rng([73, number]))
            given.append((face, model.disk.astype(np.int64) if number % 2 else None))
    for chain in chains:
        refused = [code for code in (chain.take(*scan).code for scan in given) if code]
        print(f"    refused of {len(given)} sound scans: {refused}")
        shares.append(len(refused) / len(given))
    yield "gates_sound", "count", len(given), "count"
    yield "gates_sound", "false_rejects_share", max(shares), "1"


def cut(chains, count):
    """Faces that lack forehead, chin or a side: how many are accepted with a large error; the worst of the chains."""
    gross = dict.fromkeys(chains, 0)
    for (number, face, _), chain in product(_people(79, count), chains):
        for name, stays in CUTS.items():
            taken = chain.take(face[stays(face - face[real_faces.nose_tip()])])
            if not taken.code and chain.error(taken, face) > GROSS_MM:
                gross[chain] += 1
                print(f"    {name} of person {number} accepted with {chain.error(taken, face):.1f} mm")
    yield "gates_cut", "count", count * len(CUTS), "count"
    yield "gates_cut", "accepted_over_3mm", max(gross.values()), "count"


def no_faces(chain, count):
    """What is no face: balls, eggs with a nose, backs of heads, faces without a nose, terrain."""
    passed, every = 0, 0
    for name, points, triangles in _no_faces(count):
        code = chain.take(points, triangles).code
        every += 1
        passed += not code
        if not code:
            print(f"    {name} passed")
    yield "gates_bad", "count", every, "count"
    yield "gates_bad", "passed_share", passed / every, "1"


def _no_faces(count):
    triangles = real_faces.triangles().astype(np.int64)
    for number, face, rng in _people(83, count):
        axes = np.array([75.0, 105.0, 90.0]) * rng.uniform(0.85, 1.15, 3)
        d = rng.standard_normal((8000, 3))
        d /= np.linalg.norm(d, axis=1, keepdims=True)
        height, width = rng.uniform(0.15, 0.3), rng.uniform(0.1, 0.2)
        bump = height * np.exp(-((d[:, 0] / width) ** 2) - ((d[:, 1] + 0.1) / (1.5 * width)) ** 2) * (d[:, 2] > 0)
        egg = d * axes * (1 + bump)[:, None]
        yield f"ellipsoid {number}", d * axes, None
        yield f"front of ellipsoid {number}", (d * axes)[d[:, 2] > 0.1], None
        yield f"egg {number}", egg, None
        yield f"front of egg {number}", egg[egg[:, 2] > 0], None
        points, around = heads.bust(face, triangles, real_faces.nose_tip(), rng)
        behind = points[around][:, :, 2].max(axis=1) < face[real_faces.nose_tip(), 2] - 95
        yield f"back of head {number}", points, around[behind]
        yield f"no nose {number}", _without_nose(face, triangles), triangles
        yield f"terrain {number}", gate_cases.terrain(rng), None


def _without_nose(face, triangles):
    """The face with a membrane in place of its nose."""
    tip = face[real_faces.nose_tip()]
    hole = np.linalg.norm((face - tip - [0, 10, -15]) / [1, 1.6, 1.2], axis=1) < 28
    sides = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    n = len(face)
    beside = sparse.coo_array((np.ones(len(sides)), tuple(sides.T)), shape=(n, n)).tocsr()
    beside = ((beside + beside.T) > 0).astype(float)
    laplacian = (sparse.diags_array(beside.sum(axis=1)) - beside).tocsr()
    flat = face.copy()
    flat[hole] = spsolve(laplacian[hole][:, hole].tocsc(), -(laplacian[hole][:, ~hole] @ face[~hole]))
    return flat
