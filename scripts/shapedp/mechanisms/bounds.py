"""Public bounds on a person's curves: how far from the reference a person may be before being clipped.

They come from numbers in the settings, or from a public population, as a quantile of its norms with a margin. Bounds
computed from the private cohort (`data`, as in the paper: the largest norm) are for reproduction; the release says so.
"""

from dataclasses import dataclass

import numpy as np

from shapedp import artifacts
from shapedp.errors import RefusedRelease
from shapedp.mechanisms import kernel
from shapedp.mechanisms.curve_mean import chunks


@dataclass(frozen=True)
class Bounds:
    """tau (J, 3) of the blocks' norms; lower, upper (J, 3, m) of the points or None; deviations (n, J, 3) or None: the
    blocks' rough norms in the public population, from which a joint bound is taken; source in words; public or not.
    """

    tau: np.ndarray
    lower: np.ndarray | None
    upper: np.ndarray | None
    deviations: np.ndarray | None
    quantile: float
    margin: float
    source: str
    public: bool

    def check(self, shape, reference):
        """Bounds and reference must belong to these curves, and no bound may be 0: noise would have scale 0."""
        if self.tau.shape != shape[:2] or (reference is not None and reference.shape != shape):
            raise RefusedRelease(
                f"curves of shape {shape} need tau {shape[:2]}, got {self.tau.shape}, and a reference of that shape; "
                "were bounds, template and curves made with the same settings?"
            )
        if not (np.all(self.tau > 0) and np.all(np.isfinite(self.tau))):
            raise RefusedRelease(
                "every tau must be a positive number; does the reference set hold the reference alone?"
            )

    def of_blocks(self):
        """(J, 3) bounds in the norm of the joint release: rough where a population is known, plain for numbers."""
        if self.deviations is None:
            return self.tau
        return self.margin * np.quantile(self.deviations, self.quantile, axis=0, method="higher")

    def joint(self, weights):
        """tau of the whole face, for the norm sqrt(sum_b w_b^2 ||x_b||^2); never more than the blocks' bounds
        together.
        """
        together = float(np.sqrt(np.sum((weights * self.of_blocks()) ** 2)))
        if self.deviations is None:
            return together
        people = np.sqrt(np.sum((weights * self.deviations) ** 2, axis=(1, 2)))
        return min(together, self.margin * float(np.quantile(people, self.quantile, method="higher")))


def load(path):
    """(Bounds, the curves (J, 3, m) that are subtracted first) of a bounds artifact."""
    with artifacts.reader(path, artifacts.BOUNDS) as source:
        keys = ("tau", "lower", "upper", "deviations", "quantile", "margin", "source")
        return Bounds(**{key: source[key] for key in keys}, public=bool(source["public"])), source["reference"]


def from_numbers(tau, curves):
    """tau of x, y, z, the same for each curve."""
    tau = np.asarray(tau if tau is not None else [], dtype=float)
    if tau.shape != (3,) or not (np.all(tau > 0) and np.all(np.isfinite(tau))):
        raise RefusedRelease(f"public bounds need faces.bounds.tau: three positive numbers, got {tau.tolist()}")
    return Bounds(np.tile(tau, (curves, 1)), None, None, None, 1.0, 1.0, "numbers in the settings", True)


def from_population(read_rows, n, reference, quantile, margin, source, public):
    """Quantiles of a population's block norms about the reference, and its pointwise ranges, both with the margin.

    read_rows(start, stop) : people's curves (stop - start, J, 3, m), read a few at a time
    reference : (J, 3, m), zero where none is subtracted
    """
    if n < 2:
        raise RefusedRelease(f"bounds need a population of at least 2 faces, got {n}")
    norms, rough, low, high = [], [], np.inf, -np.inf
    for start, stop in chunks(n):
        curves = read_rows(start, stop)
        norms.append(kernel.norm(curves - reference))
        rough.append(kernel.rough_norm(kernel.coefficients(curves - reference)))
        low, high = np.minimum(low, curves.min(axis=0)), np.maximum(high, curves.max(axis=0))
    middle, half = (low + high) / 2, (high - low) / 2 * margin
    tau = margin * np.quantile(np.concatenate(norms), quantile, axis=0, method="higher")
    return Bounds(tau, middle - half, middle + half, np.concatenate(rough), quantile, margin, source, public)
