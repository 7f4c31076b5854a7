"""The lower clip of `shaped`, what is put back and what noise is taken off after it, beside `earlier`: people as they
are shortened to the public quantile, and what was drawn is what is released, shrunk by public factors alone.
"""

from contextlib import ExitStack, contextmanager
from unittest import mock

import numpy as np

from shapedp.mechanisms import integer_sums, noise
from shapedp.mechanisms.curves import learned
from shapedp.mechanisms.curves.base import shrinking
from shapedp.mechanisms.statistic import Rows
from shapedp.variation import face_variation

PEOPLE, FEW, BUDGETS = (120, 300, 1000), 63, (1.0, 2.97)
AWAY, WIDE, PUBLIC = 1.5, 1.5, 160  # standard deviations of the first direction; times the public spread; public people


def rows(model, variation_of, mechanism, releases, people=PEOPLE):
    """1 - error/error without, root mean squares to the cohort's mean; mechanism(variation, n, mu) makes one."""
    variation = variation_of(model.draw(PUBLIC, 7), model.template())
    gains = {}
    for n in (FEW, *people):
        for mu in BUDGETS:
            made = mechanism(variation, n, mu)
            for case, cohort in cohorts(model, variation, n):
                gains[case, n, mu] = 1 - error(made, cohort, releases) / error(made, cohort, releases, lower=False)
    least = lambda case, some: min(gain for (one, n, _), gain in gains.items() if one == case and n in some)  # noqa: E731
    yield "undo", "gain_like", least("like", people), "1"
    yield "undo", "gain_shifted", least("shifted", people), "1"
    yield "undo", "gain_n63", min(least(case, (FEW,)) for case in ("like", "shifted")), "1"
    yield "undo", "worst_ratio", 1 - min(gains.values()), "1"


def cohorts(model, variation, n):
    """(case, people): like the public set, their mean off in one direction, their spread larger."""
    crowd = model.draw(n, 11)
    away = AWAY * np.sqrt(variation.moments[0]) * variation.modes[0].astype(float)
    yield "like", crowd
    yield "shifted", crowd + away
    yield "wide", variation.center + WIDE * (crowd - variation.center)


def error(made, crowd, releases, lower=True):
    """Of releases with the lower clip, or as they were without."""
    read, mean, sums, off = (lambda start, stop: crowd[start:stop]), crowd.mean(axis=0), {}, []
    first = made.first_stage()
    asked = first.sums(Rows(len(crowd), read)) if first else None
    for seed in range(releases):
        source = noise.SeededNoise(seed)
        with ExitStack() if lower else earlier():
            settled = made.settled((first.noised(asked, source),) if first else ())
            if settled.chosen.tau not in sums:
                sums[settled.chosen.tau] = integer_sums.total(settled, read, len(crowd))
            drawn = settled.draw(sums[settled.chosen.tau], source)
        off.append(np.mean(np.sum((drawn - mean) ** 2, axis=1)))
    return float(np.sqrt(np.mean(off)))


@contextmanager
def earlier():
    """Nobody's bound is lowered, each is shortened along their own deviation, and nothing is corrected."""
    with (
        mock.patch.object(face_variation, "FACTORS", np.ones(1)),
        mock.patch.object(learned.Shaped, "corrected", lambda made, mean: made),
        mock.patch.object(face_variation, "nearest", shortened),
    ):
        yield


def shortened(u, tau, weights):
    """u (n, k), no longer than tau."""
    del weights
    return u * shrinking(np.linalg.norm(u, axis=1), tau)[:, None]
