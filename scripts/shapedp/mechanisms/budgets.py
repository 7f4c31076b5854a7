"""How a budget mu is shared among the blocks of a release; blocks compose in quadrature.

Proofs: docs/mathematics.md, (2.5) and (2.6).
"""

import math

import numpy as np

from shapedp.errors import RefusedRelease

PUBLISHED = (0.2, 0.2, 0.55)  # mu of x, y, z of each of the paper's 23 curves


def of_each_curve(mu, curves):
    """(J, 3) the same (mu_x, mu_y, mu_z) for each curve, as the paper spends it."""
    mu = np.asarray(mu, dtype=float)
    if mu.shape != (3,) or not np.all(mu > 0) or not np.all(np.isfinite(mu)):
        raise RefusedRelease(f"a budget for each curve is three positive numbers, got {mu.tolist()}")
    return np.tile(mu, (curves, 1))


def best_split(mu_total, costs):
    """Blocks' mu with sum mu_b^2 = mu_total^2 and the least sum of costs_b/mu_b^2: mu_b^2 in proportion to
    sqrt(costs_b).

    costs : noise variance of each block at mu = 1; public
    """
    if not (mu_total > 0 and np.isfinite(mu_total)):
        raise RefusedRelease(f"mu_total must be a positive number, got {mu_total}")
    share = np.sqrt(costs)
    return mu_total * np.sqrt(share / share.sum())


def of_blocks(budget, costs):
    """(J, 3) mu of each block: as given for each curve, or the best split of a total; costs (J, 3) as above."""
    if "mu" in budget:
        return of_each_curve(budget["mu"], len(costs))
    return best_split(budget["mu_total"], costs)


def total(mu):
    """mu of the composition of all blocks."""
    return float(np.sqrt(np.sum(np.square(mu))))


def as_published(curves, mu):
    """{"mu": (3,)} for each of so many curves, split over x, y, z as in the paper, which together are mu.

    With 23 curves and 2.9661 these are the paper's .2, .2 and .55.
    """
    whole = math.sqrt(curves * sum(share**2 for share in PUBLISHED))
    return {"mu": [share * mu / whole for share in PUBLISHED]}
