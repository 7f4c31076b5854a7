"""Whether a release is worth making: nearer to the people's own mean than the public reference, which costs nothing.

Both lie at a distance that is partly chance. Public numbers and n foretell the expectations g of the square that a
release gains on the reference, and v of the square of its noise and its clip, each a chi-square in distribution. A
release is worth it where g/v is at least a quantile of F at LEVEL, with the least g that the public set leaves open; it
is no better than the reference where v exceeds g even for a cohort whose mean lies off by as much as the settings
assume. Between the two, public numbers cannot tell. Nothing here looks at a record.

Derivation: docs/mathematics.md, (11.10).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from shapedp.base.errors import RefusedRelease
from shapedp.privacy.learned import clips, shape_variation
from shapedp.privacy.learned.noised_means import degrees

WORTH, OPEN, NO_BETTER = "worth it", "cannot be told", "no better"
# Of those that are called worth it, fewer than one in twenty is farther: most gain more than they must.
LEVEL = 0.8
# Times its variance, that the square of a normal coordinate exceeds once in twenty.
BEYOND = 3.84
# Of people's spread: nearer to the public mean, the reference is that mean.
OWN = 1e-6
MEANING = (
    f"{WORTH}: nearer to your people's mean than the public reference, which costs nothing; {OPEN}: it depends on how "
    "far your people differ from the public ones"
)


@dataclass(frozen=True)
class Worth:
    """What a release gains on the public reference, beside its noise; all in one unit.

    noise : v; least, most : of g, what a public set is sure of and what a cohort unlike it may have
    noise_degrees, gain_degrees : e and d; people : p, infinite where nothing was learned of a public set
    """

    noise: float
    least: float
    most: float
    noise_degrees: float
    gain_degrees: float
    people: float

    @property
    def needed(self) -> float:
        """Return how many times its noise a release must gain for certain."""
        share = (self.people - 1) / self.people
        return float(scipy.special.fdtri(self.noise_degrees, self.gain_degrees * share, LEVEL))

    @property
    def verdict(self) -> str:
        """Return whether to make the release, from public numbers alone: WORTH, OPEN or NO_BETTER."""
        if math.isfinite(self.people) and self.least >= self.needed * self.noise > 0:
            return WORTH
        return OPEN if self.most > self.noise else NO_BETTER


def offset(
    squares: NDArray[np.float64], spread: NDArray[np.float64], people: int, is_reference: bool
) -> NDArray[np.float64]:
    """Return how far the reference surely lies from everybody's mean, squared, by axis: what a release can gain.

    Where the reference is the public mean itself, it lies spread/p off by chance. Elsewhere the public mean errs by as
    much, and only what is beyond its chance is sure.

    Parameters
    ----------
    squares : (k,) float
        Of the public mean's coordinates about the reference.
    spread : (k,) float
        Variances of people.
    people : int
        How many public people there are, p.
    is_reference : bool
        Whether the reference is the public mean itself.
    """
    chance = spread / people
    return chance if is_reference else np.maximum(squares - BEYOND * chance, 0.0)


def judge_mean_face(variation: Any, plan: Any, n: int) -> Worth:
    """Return whether mechanism `shaped` is worth its budget on a mean face of n people, as a Worth.

    It is in squared lengths of a unit-area face.

    Parameters
    ----------
    variation : Variation
        How public people vary.
    plan : face_variation.ReleasePlan
        What is released.
    n : int
        People, public.
    """
    is_reference = float(np.sum(variation.mean**2)) < OWN**2 * float(np.sum(variation.moments))
    spread, released = variation.variances[plan.axes], 1 - (1 - plan.filters) ** 2
    least = spread / n + offset(variation.mean[plan.axes] ** 2, spread, variation.people, is_reference)
    most = variation.pull(n, True)[0][plan.axes]
    return Worth(
        noise=plan.noise + clips.forecast_clipping_bias(variation, plan, n),
        least=float(released @ least),
        most=float(released @ most),
        noise_degrees=degrees(plan.filters**2 * plan.weights),
        gain_degrees=degrees(released * least),
        people=variation.people,
    )


def judge_noise_alone(noise: float, variation: Any, n: int) -> Worth:
    """Return whether a mechanism whose bias depends on the data can be worth its budget, by its noise alone.

    No more can be told than that the noise alone is as much as a cohort that differs as the settings assume may lie
    from the reference.

    Parameters
    ----------
    noise : float
        Its expected square, in squared lengths of a unit-area face.
    variation : Variation
        How public people vary.
    n : int
        People, public.
    """
    inside, outside = variation.pull(n, True)
    return Worth(noise, 0.0, float(inside.sum()) + outside, 1.0, 1.0, math.inf)


def judge_mean_shape(variation: Any, choice: Any, n: int, pure: bool) -> Worth:
    """Return whether `shaped` or `knorm` (pure) is worth its budget on a mean shape, as a Worth in squared radian.

    Parameters
    ----------
    variation : shape_variation.Variation
        How public shapes vary.
    choice : shape_variation.ShapePlan
        What is released.
    n : int
        Records, public.
    pure : bool
        Whether the noise is that of `knorm`.
    """
    q = choice.axes
    factors = np.ones(q) if choice.factors is None else choice.factors
    least, most = ((1 - (1 - factors) ** 2) * gain for gain in _mean_shape_gains(variation, n, q))
    spread = degrees(factors**2 * np.sqrt(variation.moments[:q]))
    # The length of K-norm noise is Gamma distributed besides: E r^2 = (q + 1)(q + 2), Var r^2/(E r^2)^2 = (4 q + 10)/E
    # r^2.
    if pure:
        spread = 1 / (1 / spread + (2 * q + 5) / ((q + 1) * (q + 2)))
    return Worth(choice.noise, float(least.sum()), float(most.sum()), spread, degrees(least), variation.people)


def judge_white_noise(noise: float, dimensions: int, variation: float, n: int) -> Worth:
    """Return whether unbiased white noise on a mean shape is worth its budget, as a Worth in squared radian.

    Parameters
    ----------
    noise : float
        Its expected square.
    dimensions : int
        In which it lies.
    variation : shape_variation.Variation
        How public shapes vary.
    n : int
        Records, public.
    """
    least, most = _mean_shape_gains(variation, n, len(variation.means))
    return Worth(noise, float(least.sum()), float(most.sum()), dimensions, degrees(least), variation.people)


def _mean_shape_gains(variation, n, q):
    """Return (least, most) that a released mean shape may gain on the public center, by which its worth is judged.

    They are squares, on each of the first q axes.
    """
    variances, means = variation.held_out[:q], variation.means[:q]
    is_reference = float(variation.means.sum()) < OWN**2 * float(variation.held_out.sum())
    least = variances / n + offset(means, variances, variation.people, is_reference)
    return least, means + variances / n + shape_variation.SHIFT**2 * variances


def find_least_people(worth_at: Callable[[int], Worth]) -> int | None:
    """Return the least number of people from which worth_at(n) is worth it, or None below `shape_variation.MOST`."""
    return shape_variation.find_least_count(lambda n: worth_at(n).verdict == WORTH)


def word_verdict(verdict: str, from_n: int | None, short: bool = False) -> str:
    """Return a verdict in words for forecasts and pages, and from how many people on such a release is surely worth it.

    Parameters
    ----------
    verdict : str
        WORTH, OPEN or NO_BETTER.
    from_n : int or None
        From how many people on it is worth it.
    short : bool
        Whether it stands in a table.
    """
    if verdict == WORTH:
        return WORTH
    no_better = NO_BETTER if short else "no better than the public reference, which costs nothing"
    opening = no_better if verdict == NO_BETTER else "cannot be told"
    return f"{opening}; from n = {from_n} on it is worth it" if from_n else opening


def refuse_useless(worth: Worth | None, name: str, worth_it_anyway: bool = False) -> None:
    """Refuse a release that is foretold to be no better than the public reference, unless it is wanted all the same.

    Parameters
    ----------
    worth : Worth or None
        None where nothing foretells it.
    name : str
        Of the release.
    worth_it_anyway : bool
        Whether it was asked for all the same.
    """
    if worth is not None and worth.verdict == NO_BETTER and not worth_it_anyway:
        raise RefusedRelease(
            f"release '{name}': no better than the public reference, which costs nothing: its noise is "
            f"{math.sqrt(worth.noise / worth.most) if worth.most else math.inf:.2g} times what the release "
            "gains. Take more people or a larger budget, or say `worth_it_anyway: true` in its entry"
        )
