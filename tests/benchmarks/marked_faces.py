"""Faces that a registration takes wrongly, marked by hand: how far their chins lie off before, and after."""

from itertools import product

import numpy as np

from benchmarks import expressive_faces, stressed_faces
from shapedp.surfaces.human_face import face_marks, likely_error
from shapedp.surfaces.human_face.distances import VERTICES
from shapedp.surfaces.human_face.real_faces import template

SEED = 96  # of the hard cases
HAND_MM = 2.0  # along each axis
MARKED = "left_mouth", "right_mouth", "chin"  # and the tip of the nose


def rows(count):
    """Yield how far chins lie off: of people with open mouths, `count` of each seed and view, and of hard cases that
    are called doubtful, before and after four marks by hand.
    """
    if not count:
        return
    model = expressive_faces.Model()
    chain = expressive_faces.Chain(model)
    near = model.near(expressive_faces.CHIN, expressive_faces.CHIN_MM)[chain.inside]
    mouths = [
        model.scanned(person + model.moved(expressive_faces.open_mouth(rng)), view, rng)
        for (person, rng), view in product(expressive_faces.people(model, count), expressive_faces.VIEWS)
    ]
    words = (
        f"{', '.join(map(str, expressive_faces.SEEDS))}: {count} people of each, in {len(expressive_faces.VIEWS)} views"
    )
    yield from _marked(model, chain, near, mouths, "marks", words)
    hard = [stressed_faces.case(model, number, SEED).scan for number in range(25 * count)]
    doubtful = [scan for scan in hard if _is_doubtful(chain.take(scan.points, scan.triangles))]
    words = f"{SEED}: those of {len(hard)} cases that are doubtful or refused"
    yield from _marked(model, chain, near, doubtful, "marks_of_doubtful", words)


def _is_doubtful(taken):
    """Whether a person would be asked to look at a Taken."""
    return (
        bool(taken.code)
        or likely_error.measure_doubt({name: float(taken.registered[name]) for name in likely_error.FIELDS}) >= 1
    )


def _marked(model, chain, near, scans, case, words):
    """Rows of scans, each without marks and with four."""
    places = {name: VERTICES[face_marks.LANDMARKS[name][0]] for name in MARKED} | {"nose": VERTICES["pronasale"]}
    vertex = {
        name: int(np.argmin(np.linalg.norm(model.faces.mean - template()[at], axis=1))) for name, at in places.items()
    }
    before, after, stated = [], [], []
    for number, scan in enumerate(scans):
        rng = np.random.default_rng([SEED, number])
        hand = {name: scan.truth[at] + HAND_MM * scan.unit * rng.standard_normal(3) for name, at in vertex.items()}
        marks = tuple((name, tuple(hand[name])) for name in MARKED)
        plain = chain.take(scan.points, scan.triangles)
        taken = chain.take(scan.points, scan.triangles, tuple(hand["nose"]), marks)
        if taken.code:
            print(f"    {case} {number}: {taken.code}: {taken.words}")
        for found, errors in ((plain, before), (taken, after)):
            errors.append(np.nan if found.code else float(chain.errors(found, scan)[near].mean()))
        if not taken.code:
            stated.append((float(taken.registered["error_mm"]), float(chain.errors(taken, scan).mean())))
    yield case, "count", len(scans), "count", words
    yield case, "accepted_share", float(np.isfinite(after).mean()), "1", words
    yield case, "chin_unmarked_mm", float(np.nanmean(before)), "mm", words
    yield case, "chin_mm", float(np.nanmean(after)), "mm", words
    yield case, "chin_worst_mm", float(np.nanmax(after)), "mm", words
    said, true = np.array(stated).T
    yield case, "vertex_mm", float(true.mean()), "mm", words
    yield case, "coverage", float((true <= 1.5 * said).mean()), "1", words
