"""The first stage and the lower clip of `shaped`, what is put back and what noise is taken off after it, beside
`earlier`: people as they are shortened to the public quantile, widened where a first stage saw them beyond it, and what
was drawn is what is released, shrunk by public factors alone.
"""

from contextlib import ExitStack, contextmanager
from unittest import mock

import numpy as np

from shapedp.privacy import integer_sums, noise
from shapedp.privacy.curves import learned
from shapedp.privacy.curves.base import shrink_factor
from shapedp.privacy.learned import clips
from shapedp.privacy.statistic import Rows

PEOPLE, FEW, BUDGETS = (120, 300, 1000), 63, (1.0, 2.97)
AWAY, PUBLIC = 1.5, 160  # standard deviations of the first direction; public people
SPREADS = {"narrow": 0.9, "wider": 1.12, "wide": 1.5}  # times the public one
SEEDS = (7, 11), (607, 611), (707, 711)  # of public people, of a cohort: errors are pooled over them


def rows(model, variation_of, mechanism, releases, people=PEOPLE):
    """1 - error/error without, root mean squares to the cohort's mean; mechanism(variation, n, mu) makes one."""
    errors = {}
    for public, cohort_seed in SEEDS:
        variation = variation_of(model.draw(PUBLIC, public), model.template())
        for n in (FEW, *people):
            for mu in BUDGETS:
                made = mechanism(variation, n, mu)
                for case, cohort in cohorts(model, variation, n, cohort_seed):
                    both = [error(made, cohort, releases, public, lower) for lower in (True, False)]
                    errors.setdefault((case, n, mu), []).append(both)
    for (case, n, mu), found in errors.items():
        print(
            f"    undo {case} n={n} mu={mu}: {' '.join(f'{1 - one / other:.3f}' for one, other in found)}", flush=True
        )
    gains = {
        key: 1 - np.linalg.norm(found, axis=0)[0] / np.linalg.norm(found, axis=0)[1] for key, found in errors.items()
    }
    least = lambda case, some: min(gain for (one, n, _), gain in gains.items() if one == case and n in some)  # noqa: E731
    yield "undo", "gain_like", least("like", people), "1"
    yield "undo", "gain_shifted", least("shifted", people), "1"
    yield "undo", "gain_spread", min(least(case, (FEW, *people)) for case in SPREADS), "1"
    yield "undo", "gain_n63", min(least(case, (FEW,)) for case in ("like", "shifted")), "1"
    yield "undo", "worst_ratio", 1 - min(gains.values()), "1"


def cohorts(model, variation, n, seed):
    """(case, people): like the public set, their mean off in one direction, their spread another."""
    crowd = model.draw(n, seed)
    away = AWAY * np.sqrt(variation.moments[0]) * variation.modes[0].astype(float)
    yield "like", crowd
    yield "shifted", crowd + away
    for case, times in SPREADS.items():
        yield case, variation.center + times * (crowd - variation.center)


def error(made, crowd, releases, seed, lower=True):
    """Of releases as they are, or as they were; each noise is drawn beside its mirror image, so that it has no part in
    common with what the clip takes. seed : of the noise, another one for each public set
    """
    read, mean, sums, off = (lambda start, stop: crowd[start:stop]), crowd.mean(axis=0), {}, []
    with ExitStack() if lower else earlier():
        first = made.first_stage()
        asked = first.sums(Rows(len(crowd), read)) if first else None
        for number in range(releases):
            source = noise.SeededNoise((seed, number))
            settled = made.with_bound_from((first.noised(asked, source),) if first else ())
            if settled.plan.tau not in sums:
                sums[settled.plan.tau] = integer_sums.sum_people(settled, read, len(crowd))
            whole = sums[settled.plan.tau]
            noised, exact = settled.noised_mean(whole, source)[0], settled.exact_mean(whole)
            drawn = [settled.decoder_for(one).decode(one) for one in (noised, 2 * exact - noised)]
            off.extend(np.mean(np.sum((one - mean) ** 2, axis=1)) for one in drawn)
    return float(np.sqrt(np.mean(off)))


@contextmanager
def earlier():
    """The first stage asks how far people lie beyond the bound alone, which that widens and nothing lowers; all axes
    count by the fourth root, each person is shortened along their own deviation, and nothing is corrected.
    """
    with (
        mock.patch.object(clips, "WITHIN", 0.0),
        mock.patch.object(clips.SpreadAnswer, "scale_from_lengths", widened),
        mock.patch.object(clips, "replan", lambda variation, chosen, n, scale: chosen.widened(scale)),
        mock.patch.object(learned.Shaped, "decoder_for", lambda made, mean: made),
        mock.patch.object(clips, "clip_to_nearest", shortened),
    ):
        yield


def widened(told, lengths):
    """By how much the bound was widened: people lie farther than their geometric mean, half of them."""
    del lengths
    return float(clips.WIDEST ** min(1.0, 1.2 * max(0.0, told.answer - told.sd)))


def shortened(u, tau, weights):
    """u (n, k), no longer than tau."""
    del weights
    return u * shrink_factor(np.linalg.norm(u, axis=1), tau)[:, None]
