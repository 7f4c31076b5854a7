"""The worst neighbouring pairs, and the mechanisms and negative controls that are attacked on them."""

from dataclasses import dataclass

import numpy as np

from shapedp.manifolds import frechet
from shapedp.manifolds.sphere import Sphere
from shapedp.mechanisms import audit, bounds, curve_mechanisms, exact_loss, integer_sums, kng, sensitivity

SHAPE = (3, 3, 8)
PEOPLE = 10
KERNEL = {"rho": 1.0, "alpha": 1.0, "phi": [0.01, 0.01, 0.005]}
BUDGET = {"mu_total": 1.0}
DRAWS = 40_000
SPHERE, RADIUS = Sphere(2), np.pi / 8
GAUSSIAN = ("matched_joint", "matched", "rkhs", "rkhs_paper", "pointwise")


@dataclass(frozen=True)
class Case:
    """A mechanism attacked: its claim, the bound found, and whether the attack should stay below the claim."""

    name: str
    claim: float
    found: float
    unit: str
    control: bool

    @property
    def as_expected(self):
        """A mechanism keeps its claim; a negative control breaks it and is caught."""
        return self.found > self.claim if self.control else self.found <= self.claim


def cases(source, draws=DRAWS):
    """Every attack, one after the other."""
    for name in GAUSSIAN:
        yield Case(name, _mechanism(name).mu, _gaussian(_mechanism(name), source, draws), "mu", control=False)
    made = _mechanism("matched_joint")
    yield Case("control: half the noise", made.mu, _gaussian(made, source, draws, noise_factor=0.5), "mu", True)
    yield Case("control: clipping off", made.mu, _gaussian(made, source, draws, reach=3.0), "mu", True)
    yield Case("control: bound from the data", made.mu, _bound_from_data(source, draws), "mu", True)
    yield from _on_the_sphere()


def _mechanism(name):
    people = 0.1 * np.random.default_rng(1).normal(size=(40, *SHAPE))
    zero = np.zeros(SHAPE)
    public = bounds.from_population(lambda a, b: people[a:b], len(people), zero, 0.9, 1.2, "audit", True)
    return curve_mechanisms.make(name, SHAPE, PEOPLE, public, zero, BUDGET, KERNEL)


def _worst_pair(made, reach=1.0):
    """Integer sums of two data sets that differ in one person, who lies at either end of the longest direction.

    reach : how far beyond the bound the person is, where nobody clips
    """
    direction = np.zeros(made.gain.size)
    direction[0] = reach * integer_sums.GRID
    return np.trunc(direction).astype(np.int64), np.trunc(-direction).astype(np.int64)


def _gaussian(made, source, draws, noise_factor=1.0, reach=1.0):
    """Lower bound on mu. Coordinates of the noise are independent, so one long draw stands for many releases."""
    scale = noise_factor * made.noise / (made.bound / integer_sums.GRID)
    one, other = _worst_pair(made, reach)
    values = [
        source.gaussian_integers(np.full(draws, person[0]), scale, integer_sums.SENSITIVITY)[0]
        for person in (other, one)
    ]
    return audit.attack(*values).mu


def _bound_from_data(source, draws):
    """Noise scaled to the largest norm in the data: one person ten times as far out makes the noise ten times as
    large.
    """
    values = [
        np.abs(source.gaussian_integers(np.zeros(draws, dtype=np.int64), scale, integer_sums.SENSITIVITY)[0])
        for scale in (2.0 * integer_sums.GRID, 20.0 * integer_sums.GRID)
    ]
    return audit.attack(*values).mu


def _on_the_sphere():
    """Exact privacy losses on S^2 at epsilon = 1: five people at one end of the ball, one of whom moves to the
    other.
    """
    pole = np.array([0.0, 0.0, 1.0])
    ends = SPHERE.exp(pole, RADIUS * (1 - 1e-9) * np.array([[1.0, 0, 0], [-1, 0, 0]]))
    pair = ends[[0, 0, 0, 0, 0]], ends[[0, 0, 0, 0, 1]]
    n = len(pair[0])

    def gradient(sigma):
        logs = (kng.log_density(SPHERE, data, (pole, RADIUS), sigma) for data in pair)
        return exact_loss.privacy_loss(*logs, pole, RADIUS)

    def laplace(sigma):
        means = [frechet.mean(SPHERE, data).point for data in pair]
        logs = [lambda x, mean=mean: -SPHERE.dist(mean, x) / sigma for mean in means]
        return exact_loss.privacy_loss(*logs, pole, np.pi)

    proved = sensitivity.scale(SPHERE, sensitivity.KNG, RADIUS, n, 1.0, restricted=True).sigma
    whole = sensitivity.scale(SPHERE, sensitivity.LAPLACE, RADIUS, n, 1.0).sigma
    published = sensitivity.published_scale(SPHERE, sensitivity.KNG, RADIUS, n, 1.0).sigma
    yield Case("KNG on S2, exact loss", 1.0, gradient(proved), "epsilon", control=False)
    yield Case("Laplace on S2, exact loss", 1.0, laplace(whole), "epsilon", control=False)
    yield Case("control: KNG as published", 1.0, gradient(published), "epsilon", control=True)
