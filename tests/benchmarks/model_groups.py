"""Groups of a face model compared: false alarms where nothing differs, and 1 mm planted over a cheek."""

import numpy as np

from benchmarks import model_effects
from shapedp.app.forecast import predictions
from shapedp.releases.model import released_model
from shapedp.releases.model.model_mechanism import FaceModel

CHEEK = np.array([0.55, -0.15])  # of half the face's width, from the nose's tip
REACH = 0.55  # of it


def encoded(made, drawn, added=0.0):
    """((P, q) clipped coordinates of a Pool's people; (P, 2) what each adds to the sum of who lies far, or (P, 0) where
    that is not asked); added : curves that each has beside.
    """
    step, question = model_effects.AT_ONCE, made.far_question
    parts = [drawn.curves[at : at + step].astype(float) + added for at in range(0, len(drawn.curves), step)]
    u = np.concatenate([made.shaped.encode(part) for part in parts])
    if question is None:
        return u, np.zeros((len(u), 0), dtype=np.int64)
    return u, np.concatenate([question.integers(part) for part in parts])


def differ(made, groups, seed, scale):
    """(groups.Comparison, models) of releases of two groups, each as of `encoded`."""
    models = []
    for side, (u, far) in enumerate(groups):
        sums = made.moments.sums(u, np.zeros((len(u), 0)))
        sums += [far.sum(axis=0)] if far.shape[1] else []
        models.append(model_effects.released(made, sums, 2 * seed + side, scale, radii=np.ones(1)))
    return released_model.compare_means(*models), models


def cheek(template, scale):
    """(curves (J, 3, m) of a smooth bump of 1 mm at its middle, outwards; (J, m) whether it is above half of that)."""
    x, y, _ = np.moveaxis(template, 1, 0)
    half = np.ptp(x) / 2
    middle = template[:, :2].mean(axis=(0, 2)) + CHEEK * half
    away = np.hypot(x - middle[0], y - middle[1]) / (REACH * half)
    height = np.where(away < 1, np.cos(np.pi / 2 * np.minimum(away, 1)) ** 2, 0.0)
    bump = np.zeros_like(template)
    bump[:, 2] = height / scale
    return bump, height > 0.5


def rows(variation, drawn, n, mu, runs, scale, template):
    """Rows of the bench."""
    rng = np.random.default_rng(1)
    made = FaceModel.from_variation(variation, n, mu)
    (u, far), alarms, models = encoded(made, drawn), [], None
    for seed in range(runs):
        sides = rng.permutation(len(u))[: 2 * n].reshape(2, n)
        found, models = differ(made, [(u[side], far[side]) for side in sides], seed, scale)
        alarms.append(found.exceeds.any())
    yield "groups", "false_alarm_share", np.mean(alarms), "share"
    bump, there = cheek(template, scale)
    fields = [[part[there] for part in one.covariances(one.average)] for one in models]
    reckoned = released_model.people_needed(fields, [n, n], released_model.SHIFT, float(there.mean()))
    yield "groups", "people_a_group_for_1_mm", reckoned, "people"
    planned = predictions.count_people_for_groups(variation, mu, scale)
    yield "groups", "people_a_group_planned", planned, "people"
    needed = min(planned, len(u) // 2)
    made = FaceModel.from_variation(variation, needed, mu)
    (plain, plain_far), (bent, bent_far) = encoded(made, drawn), encoded(made, drawn, bump)
    found = []
    for seed in range(max(1, runs // 5)):
        one, other = rng.permutation(len(plain))[: 2 * needed].reshape(2, needed)
        sides = (plain[one], plain_far[one]), (bent[other], bent_far[other])
        found.append(differ(made, sides, seed, scale)[0].exceeds.reshape(there.shape)[there].mean())
    yield "groups", "found_share", np.mean(np.array(found) > 0.5), "share"
    yield "groups", "found_points", np.mean(found), "share"
