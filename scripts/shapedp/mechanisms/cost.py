"""What one release spends, and its price in the three currencies that add up: see `releases.spending`."""

import math
from dataclasses import dataclass

from scipy.special import log_expit, ndtri_exp

from shapedp.errors import ConfigError

NONE, GAUSSIAN, PURE = "none", "gdp", "pure"


@dataclass(frozen=True)
class Cost:
    """What one release spends: `gdp` with mu, `pure` with epsilon, or `none`: no guarantee at all."""

    kind: str
    mu: float | None = None
    epsilon: float | None = None

    def __post_init__(self):
        given = {GAUSSIAN: (self.mu, self.epsilon), PURE: (self.epsilon, self.mu), NONE: (1.0, self.mu or self.epsilon)}
        if self.kind not in given:
            raise ConfigError(f"cost: kind '{self.kind}' is unknown; known: {', '.join(given)}")
        needed, excluded = given[self.kind]
        if excluded is not None or needed is None or not 0 < needed < math.inf:
            raise ConfigError(
                f"cost: found mu = {self.mu}, epsilon = {self.epsilon} for kind '{self.kind}'; "
                "`gdp` takes a finite mu > 0, `pure` a finite epsilon > 0, `none` neither"
            )

    def in_currencies(self):
        """(mu^2, rho, epsilon) of this release alone; a release without guarantee is counted apart, as 0 here."""
        if self.kind == NONE:
            return 0.0, 0.0, 0.0
        if self.kind == GAUSSIAN:
            return self.mu**2, self.mu**2 / 2, math.inf
        return gaussian_of_pure(self.epsilon) ** 2, self.epsilon**2 / 2, self.epsilon


def gaussian_of_pure(epsilon):
    """mu = 2 Phi^-1(e^eps/(1 + e^eps)) = -2 Phi^-1(1/(1 + e^eps)): an eps-DP release is mu-GDP."""
    return float(-2 * ndtri_exp(log_expit(-epsilon)))
