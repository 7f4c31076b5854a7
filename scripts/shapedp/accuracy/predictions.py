"""What a release of a mean face will be worth, from public numbers alone: noise, expected bias, chance, and no data.

Everything is a root mean square distance at a point, in mm, from the mean of the people themselves: what the release
adds to it. Beside it stand the chance in who takes part, which no mechanism can better, and the public reference
alone, which costs no privacy: a release that is farther from the mean than that one tells nobody anything. Whoever
foretells a release asks `Inputs`, so that tables, pictures, forecasts and the command give one answer.
"""

import math
from dataclasses import dataclass
from functools import cached_property

from shapedp import artifacts
from shapedp.accuracy import planner
from shapedp.errors import ConfigError
from shapedp.mechanisms import bounds, curve_mechanisms
from shapedp.mechanisms.shaped import choice, reach
from shapedp.mechanisms.shaped import variation as variations
from shapedp.mechanisms.shaped.mechanism import Shaped

BOUNDS = "faces/bounds/reference_set_template.h5"  # where a run keeps what is public
VARIATION = "reference/variation.h5"
MOST = 1 << 20  # people
COLUMNS = ("mechanism", "n", "mu", "noise_mm", "bias_mm", "error_mm", "sampling_error_mm", "public_reference_mm")


@dataclass(frozen=True)
class Prediction:
    """noise, bias, error (both together), sampling and reference (the public one, no data) in mm; modes and harmonics
    released. bias, sampling and reference hold if the cohort is like the public set; None where none is known, and
    bias where it depends on the data: then the error is the noise alone.
    """

    n: int
    mu: float
    noise: float
    bias: float | None = None
    sampling: float | None = None
    reference: float | None = None
    modes: int | None = None
    harmonics: int | None = None

    @property
    def error(self):
        """Noise and bias together."""
        return math.hypot(self.noise, self.bias or 0.0)

    @property
    def row(self):
        """The cells of COLUMNS but the first."""
        lengths = (self.noise, self.bias, self.error, self.sampling, self.reference)
        return [str(self.n), f"{self.mu:g}", *("" if one is None else f"{one:.4g}" for one in lengths)]


@dataclass(frozen=True)
class Inputs:
    """shape (J, 3, m) of the curves; scale : mm of the unit, of the template; limits : bounds.Bounds; kernel : its
    settings; variation : what was learned of a public set, or None.
    """

    shape: tuple
    scale: float
    limits: object
    kernel: dict
    variation: object = None

    @property
    def names(self):
        """The mechanisms that can be foretold from these, the default first."""
        ranged = self.limits.lower is not None
        left_out = {"pointwise_literal"} if ranged else set(curve_mechanisms.POINTWISE)
        learned = [] if self.variation is None else [Shaped.name]
        return [*learned, *(name for name in curve_mechanisms.NAMES if name not in left_out)]

    def predict(self, name, n, mu):
        """The Prediction for n people at mu by the mechanism called so."""
        planner.check(n=n, mu=mu)
        if name not in self.names:
            raise ConfigError(f"plan: mechanism `{name}` cannot be foretold here, but {', '.join(self.names)}")
        if name == Shaped.name:
            return predict(self.variation, n, mu, self.scale)
        noise = planner.noise(self._strengths[name], n, mu)
        return Prediction(n, mu, noise, None, *_without_noise(self.variation, n, self.scale))

    def people_needed(self, name, mu, target):
        """The least n >= 2 whose error is at most `target` mm at mu, or None where no number of people is enough."""
        planner.check(mu=mu, target=target)
        if self.predict(name, MOST, mu).error > target:
            return None
        low, high = 1, MOST
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.predict(name, middle, mu).error <= target else (middle, high)
        return high

    @cached_property
    def _strengths(self):
        return {
            name: self.scale * planner.strength(name, self.shape, self.limits, None, self.kernel)
            for name in self.names
            if name != Shaped.name
        }


def load(template_path, bounds_path, variation_path, kernel, tau):
    """Inputs from artifacts; bounds_path : of the public reference set, or None where the bounds are the numbers tau;
    variation_path : what was learned of that set, or None.
    """
    with artifacts.reader(template_path, artifacts.TEMPLATE) as source:
        shape, scale = source.shape("curves"), float(source["scale"])
    limits = bounds.load(bounds_path)[0] if bounds_path else bounds.from_numbers(tau, shape[0])
    return Inputs(shape, scale, limits, kernel, variations.load(variation_path)[0] if variation_path else None)


def learned(results, kernel):
    """Inputs as a run under `results` made them, or None where it did not."""
    private = results / "private"
    paths = [private / "template.h5", private / BOUNDS, private / VARIATION]
    return load(*paths, kernel, None) if all(path.is_file() for path in paths) else None


def predict(variation, n, mu, scale):
    """The Prediction for a mechanism `shaped` of n people at mu."""
    _, _, chosen = reach.planned(variation, n, mu)
    bias = choice.expected_bias(variation, chosen, n, False) + choice.clipping_bias(variation, chosen, n)
    modes = int((chosen.axes < len(variation.modes)).sum())
    return Prediction(
        n,
        mu,
        scale * math.sqrt(chosen.noise),
        scale * math.sqrt(bias),
        *_without_noise(variation, n, scale),
        modes,
        len(chosen.axes) - modes,
    )


def _without_noise(variation, n, scale):
    """(sampling, reference) in mm."""
    if variation is None:
        return None, None
    inside, outside = variation.pull(n, False)
    return scale * math.sqrt(variation.spread / n), scale * math.sqrt(float(inside.sum()) + outside)
