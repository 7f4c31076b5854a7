"""Accuracy and speed of log, dist and exp on P(k), pyriemann's beside ours."""

import warnings

import numpy as np
from numpy.random import default_rng

from benchmarks.timing import by_turns
from library.privacy.manifolds import precise_spd
from shapedp.privacy.manifolds.spd import SPD


def run(pairs):
    """Rows (case, measure, value, unit) over `pairs` pairs of matrices a setting."""
    theirs = pyriemann_geometry()
    yield from accuracy(pairs, theirs)
    yield from speed(theirs)


def pyriemann_geometry():
    """pyriemann's log, dist and exp with the arguments of ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pyriemann.geometry import distance, tangentspace
    return (
        lambda x, y: tangentspace.log_map_riemann(y, x, C12=True),
        lambda x, y: distance.distance_riemann(y, x),
        lambda x, v: tangentspace.exp_map_riemann(v, x, Cm12=True),
    )


def accuracy(pairs, theirs):
    """Worst relative error of log and dist in random frames, against 60 digits."""
    for k in (2, 3, 5, 10):
        case = "spd_accuracy" if k == 2 else f"spd_accuracy_k{k}"
        for condition in (1e6, 1e8):
            measure = f"worst_relative_1e{np.log10(condition):.0f}"
            yield case, measure, precise_spd.worst_relative(SPD(k).log, SPD(k).dist, k, condition, pairs), ""
            yield case, f"{measure}_pyriemann", precise_spd.worst_relative(*theirs[:2], k, condition, pairs), ""


def speed(theirs):
    """Time of pyriemann's functions over ours, one point against n others, and the least of these ratios."""
    least = np.inf
    for k in (2, 5, 10):
        manifold, rng = SPD(k), default_rng(k)
        x, identity = manifold.random_point(rng), np.eye(k)
        for n in (10, 100, 1000):
            points = manifold.exp(identity, 0.5 * manifold.gaussian_tangent(identity, rng, n))
            vectors = manifold.log(x, points)
            calls = (("log", manifold.log, points), ("dist", manifold.dist, points), ("exp", manifold.exp, vectors))
            for (name, own, other), their in zip(calls, theirs, strict=True):
                ours, other_time = by_turns(lambda f=own, y=other, x=x: f(x, y), lambda f=their, y=other, x=x: f(x, y))
                least = min(least, other_time / ours)
                yield f"spd_{name}_k{k}", f"ratio_pyriemann_n{n}", other_time / ours, "x"
    yield "spd_worst", "ratio_to_pyriemann", least, "x"
