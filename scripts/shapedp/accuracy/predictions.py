"""What a shaped release will be worth, from public numbers alone: noise, expected bias, chance, and no data at all.

Everything is a root mean square distance at a point, in mm, from the mean of the people themselves: what the release
adds to it. Beside it stand the chance in who takes part, which no mechanism can better, and the public reference
alone, which costs no privacy: a release that is farther from the mean than that one tells nobody anything.
"""

import math
from dataclasses import dataclass

from shapedp.mechanisms.shaped import choice

PEOPLE = (20, 30, 63, 100, 200, 300, 1000, 3000, 10_000)
BUDGETS = (0.25, 0.5, 1.0, 3.0)
TARGET = 0.5  # mm
MOST = 1 << 20  # people
COLUMNS = ("n", "mu", "noise_mm", "bias_mm", "error_mm", "sampling_mm", "public_reference_mm", "modes", "harmonics")


@dataclass(frozen=True)
class Prediction:
    """noise, bias, error (both together), sampling and reference (the public one, no data) in mm; modes and harmonics
    released, and phi of the filter. bias and reference hold if the cohort is like the public set.
    """

    n: int
    mu: float
    noise: float
    bias: float
    sampling: float
    reference: float
    modes: int
    harmonics: int
    phi: float

    @property
    def error(self):
        """Noise and bias together."""
        return math.hypot(self.noise, self.bias)

    @property
    def row(self):
        """The line of a tab-separated table; see COLUMNS."""
        lengths = (self.noise, self.bias, self.error, self.sampling, self.reference)
        return "\t".join(
            [f"{self.n}\t{self.mu:g}", *(f"{one:.4g}" for one in lengths), f"{self.modes}\t{self.harmonics}"]
        )


def predict(variation, n, mu, scale):
    """The Prediction for a mechanism `shaped` of n people at mu; scale : mm of the unit, of the template."""
    chosen = choice.choose(variation, n, mu)
    inside, outside = variation.pull(n, False)
    bias = choice.expected_bias(variation, chosen, n, False) + choice.clipping_bias(variation, chosen, n)
    modes = int((chosen.axes < len(variation.modes)).sum())
    return Prediction(
        n=n,
        mu=mu,
        noise=scale * math.sqrt(chosen.noise),
        bias=scale * math.sqrt(bias),
        sampling=scale * math.sqrt(variation.spread / n),
        reference=scale * math.sqrt(float(inside.sum()) + outside),
        modes=modes,
        harmonics=len(chosen.axes) - modes,
        phi=chosen.phi,
    )


def table(variation, scale):
    """Lines of a tab-separated table over PEOPLE and BUDGETS."""
    yield "\t".join(COLUMNS)
    yield from (predict(variation, n, mu, scale).row for mu in BUDGETS for n in PEOPLE)


def people_needed(variation, mu, scale, target=TARGET):
    """The least n whose error is at most `target` mm at mu, or None where no number of people is enough."""
    if predict(variation, MOST, mu, scale).error > target:
        return None
    low, high = 1, MOST
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if predict(variation, middle, mu, scale).error <= target else (middle, high)
    return high
