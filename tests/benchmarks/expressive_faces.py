"""ICT people who move their faces, drawn as scanners see them: cropped meshes and clouds, front views, whole heads."""

from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from scipy.spatial.transform import Rotation

from benchmarks import any_scan, mixed_scans, populations, scan_clouds, whole_heads
from shapedp.surfaces.polar import polar_grid

EXPRESSIONS = populations.ICT.with_name("ict_expressions.npz")
VIEWS = "three_view", "front", "head"
SEEDS = 91, 92, 93
CHIN_MM, MOUTH_MM = 15.0, 8.0  # from their landmarks
WITHIN_MM = 60.0  # from the nose tip
CHIN, MOUTH = [8], list(range(48, 68))  # of the 68 landmarks
OPEN = 0.2, 0.95  # of the jaw: lips 8 to 40 mm apart
SMILES = 0.4, 1.0
TILTS = -25, -15, 15, 25  # degrees, forward
EARLIER_TILT_MM = 0.320014  # what these tilts moved the same heads by (4 people of each seed) at commit 83c6997f


@dataclass(frozen=True)
class Scanned:
    """points (n, 3), triangles (t, 3) or None of a scan; truth (v, 3) : the model's vertices where the scan has them,
    in its units; unit : how many of these a mm is
    """

    points: np.ndarray
    triangles: np.ndarray | None
    truth: np.ndarray
    unit: float = 1.0


class Model:
    """The ICT people with their expressions."""

    def __init__(self):
        self.faces = populations.ict()
        if not EXPRESSIONS.is_file():
            raise populations.Missing(
                "the ICT expressions (../shared/data/faces/ict_expressions.npz) are not beside this checkout"
            )
        with np.load(EXPRESSIONS, allow_pickle=False) as data:
            self.names = data["names"].tolist()
            self.expressions = populations.MM_PER_CM * data["expressions"].astype(float)
        with np.load(populations.ICT, allow_pickle=False) as data:
            self.landmarks = data["landmarks68"]

    def moved(self, weights):
        """(n, 3) in mm, what expressions {name: weight} add."""
        return sum(value * self.expressions[self.names.index(name)] for name, value in weights.items())

    def near(self, landmarks, within):
        """(n,) which vertices lie so near to one of these landmarks of the mean."""
        marks = self.faces.mean[self.landmarks[landmarks]]
        return np.min([np.linalg.norm(self.faces.mean - one, axis=1) for one in marks], axis=0) < within

    def about_nose(self, within):
        """(n,) which vertices lie so near to the mean's nose tip."""
        return np.linalg.norm(self.faces.mean - self.faces.mean[self.faces.nose_tip], axis=1) < within

    def scanned(self, face, view, rng):
        """The Scanned of a face (n, 3) in mm."""
        if view == "mesh":
            return Scanned(face + 0.1 * rng.standard_normal(face.shape), self.faces.disk.astype(np.int64), face)
        if view != "head":
            return Scanned(scan_clouds.cloud(face, self.faces.triangles, view, rng), None, face)
        kind = ("closed", "open", "cloud")[int(rng.integers(3))]
        head = whole_heads.scanned(face, self.faces.disk.astype(np.int64), self.faces.nose_tip, kind, rng)
        return Scanned(head.points, head.triangles, head.placed(face), whole_heads.UNITS[head.unit])


def neutral(rng):
    """No expression at all, {name: weight}."""
    return {}


def open_mouth(rng):
    """An open mouth with a little of something else."""
    chosen = rng.choice(["mouthSmile", "mouthLowerDown", "browOuterUp", "mouthStretch", "eyeWide"])
    return {"jawOpen": rng.uniform(*OPEN)} | {f"{chosen}_{side}": rng.uniform(0, 0.5) for side in "LR"}


def smile(rng):
    """A smile, the lips closed or nearly so."""
    broad = rng.uniform(*SMILES)
    both = {f"mouthSmile_{side}": np.clip(broad + rng.uniform(-0.1, 0.1), 0, 1) for side in "LR"}
    return (
        both | {f"cheekSquint_{side}": broad * rng.uniform(0, 0.6) for side in "LR"} | {"jawOpen": rng.uniform(0, 0.08)}
    )


def grimace(rng):
    """A face that is pulled: nose, brows, lips, or the jaw to a side."""
    kinds = (
        {
            "noseSneer_L": 0.8,
            "noseSneer_R": 0.7,
            "browDown_L": 0.8,
            "browDown_R": 0.8,
            "mouthUpperUp_L": 0.5,
            "mouthUpperUp_R": 0.5,
        },
        {"mouthFrown_L": 0.8, "mouthFrown_R": 0.8, "browInnerUp_L": 0.7, "browInnerUp_R": 0.7, "mouthShrugLower": 0.5},
        {"mouthPucker": 0.8, "mouthFunnel": 0.4},
        {"cheekPuff_L": 0.8, "cheekPuff_R": 0.8},
        {"jawLeft": 0.8, "mouthLeft": 0.5},
        {"mouthRight": 0.9, "mouthSmile_R": 0.6, "jawRight": 0.4},
    )
    return {name: value * rng.uniform(0.6, 1) for name, value in kinds[int(rng.integers(len(kinds)))].items()}


SORTS = {"neutral": neutral, "open_mouth": open_mouth, "smile": smile, "grimace": grimace}


class Chain(any_scan.Chain):
    """The chain, read off at the vertices of the ICT people that lie on the template."""

    def __init__(self, model, expression="as_scanned", template_as="scan"):
        super().__init__(expression=expression, template_as=template_as)
        self.inside, self.places = mixed_scans.known(self.common, model.faces.mean)

    def errors(self, taken, scan):
        """(m,) mm from each vertex to its true place."""
        return np.linalg.norm(taken.vertices - scan.truth[self.inside], axis=1) / scan.unit


def people(model, count):
    """(identity (n, 3) in mm, generator) of each of `count` people of each of SEEDS."""
    for seed, number in product(SEEDS, range(count)):
        rng = np.random.default_rng([seed, number])
        yield model.faces.face(rng), rng


def rows(count):
    """Rows of the bench: open mouths and smiles of `count` people of each of three seeds, in every view; faces whose
    expressions are taken off, beside those at rest.
    """
    if not count:
        return
    seeds = f"{', '.join(map(str, SEEDS))}: {count} people of each, in each of {len(VIEWS)} views"
    for row in _rows(count):
        yield *row, seeds.replace(f"each of {len(VIEWS)}", "two") if row[0] == "tilt" else seeds


def tilt_rows(count):
    """Yield the rows of tilted heads alone."""
    if count:
        seeds = f"{', '.join(map(str, SEEDS))}: {count} people of each, in two views"
        model = Model()
        yield from ((*row, seeds) for row in tilted(model, Chain(model), count))


def _rows(count):
    model = Model()
    chain = Chain(model)
    near = {name: model.near(marks, mm)[chain.inside] for name, marks, mm in (("chin", CHIN, CHIN_MM),)}
    for sort in ("open_mouth", "smile"):
        errors = []
        for identity, rng in people(model, count):
            for view in VIEWS:
                scan = model.scanned(identity + model.moved(SORTS[sort](rng)), view, rng)
                taken = chain.take(scan.points, scan.triangles)
                errors.append(None if taken.code else chain.errors(taken, scan))
                if taken.code:
                    print(f"    {sort} {view}: {taken.code}: {taken.words}")
        accepted = [one for one in errors if one is not None]
        yield sort, "p95_mm", np.mean([np.quantile(one, 0.95) for one in accepted]), "mm"
        yield sort, "chin_mm", np.mean([one[near["chin"]].mean() for one in accepted]), "mm"
        yield sort, "vertex_mm", np.mean([one.mean() for one in accepted]), "mm"
        yield sort, "accepted_share", len(accepted) / len(errors), "1"
    yield from neutralised(model, chain, count)
    yield from tilted(model, chain, count)


def tilted(model, chain, count):
    """Yield how far a head that is tilted moves its registered face, beside the same head scanned twice."""
    twice, moved = [], []
    for identity, rng in people(model, count):
        for view in ("front", "three_view"):
            made = [_taken(model, chain, identity, degrees, view, rng) for degrees in (0, 0, *TILTS)]
            if made[0] is not None:
                apart = [None if one is None else _apart(made[0], one) * chain.common.scale for one in made[1:]]
                twice += [one for one in apart[:1] if one is not None]
                moved += [one for one in apart[1:] if one is not None]
    yield "tilt", "twice_mm", np.mean(twice), "mm"
    yield "tilt", "moved_mm", np.mean(moved), "mm"
    yield "tilt", "moved_ratio", np.mean(moved) / EARLIER_TILT_MM, "1"


def _taken(model, chain, identity, degrees, view, rng):
    """The registered surface of a face that is tilted forward by so many degrees, or None."""
    turned = Rotation.from_euler("x", degrees, degrees=True).apply(identity)
    taken = chain.take(model.scanned(turned, view, rng).points)
    return None if taken.code else taken.registered["f"]


def neutralised(model, chain, count):
    """How far a person's expressions lie apart once they are taken off, and how far people do, beside as scanned."""
    plain, off, at_rest = [], [], []
    without = Chain(model, "neutral")
    for identity, rng in people(model, count):
        made = {"plain": [], "off": []}
        for sort in ("neutral", "smile", "open_mouth"):
            weights = SORTS[sort](rng)
            scan = model.scanned(identity + (model.moved(weights) if weights else 0), "three_view", rng)
            for name, used in (("plain", chain), ("off", without)):
                taken = used.take(scan.points, scan.triangles)
                if not taken.code:
                    made[name].append(taken.registered["f"] * chain.common.scale)
        if min(len(one) for one in made.values()) == 3:
            at_rest.append(made["plain"][0])
            plain.append(made["plain"])
            off.append(made["off"])
    within = [np.mean([_apart(one, other) for person in found for one, other in combinations(person, 2)])
              for found in (off, plain)]  # fmt: skip
    yield "neutralised", "identity_mm", within[0], "mm"
    yield "neutralised", "identity_ratio", within[0] / within[1], "1"
    if len(off) > 1:
        between = [np.mean([_apart(one, other) for one, other in combinations(found, 2)])
                   for found in ([person[-1] for person in off], at_rest)]  # fmt: skip
        yield "neutralised", "people_kept", between[0] / between[1], "1"


def _apart(one, other):
    """Root mean square distance of two registered surfaces (R, T, 3) by area, as their rings lie: in mm."""
    areas = polar_grid(*one.shape[:2]).weights[:, None]
    square = ((one - other) ** 2).sum(axis=-1)
    return float(np.sqrt((areas * square).sum() / (areas.sum() * one.shape[1])))
