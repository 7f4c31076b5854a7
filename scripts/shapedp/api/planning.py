"""How accurate a release will be, from public numbers alone."""

from shapedp.accuracy import planner
from shapedp.mechanisms import bounds

KERNEL = {"rho": 1.0, "alpha": 1.0, "phi": (0.01, 0.01, 0.005)}  # as in config.yaml


def plan(n, mu, tau, spread=0.0, size=180.0, curves=64, samples=240, mechanism="matched_joint"):
    """Root mean square error in mm of a mean of n faces, at a point: the noise, and the chance in who takes part.

    tau : three bounds on a curve's x, y, z about the template, in square roots of the face's area; public
    spread : rms distance of people's points from their mean, in mm (0: the noise alone)
    size : square root of a face's area, in mm

    >>> import shapedp
    >>> bool(shapedp.plan(1000, 1.0, (0.022, 0.038, 0.032)) < shapedp.plan(100, 1.0, (0.022, 0.038, 0.032)))
    True
    """
    return planner.error(_strength(mechanism, curves, samples, tau, size), n, mu, spread)


def people_needed(mu, tau, target, spread=0.0, size=180.0, curves=64, samples=240, mechanism="matched_joint"):
    """The least number of faces with which `plan` gives at most `target` mm."""
    return planner.people_needed(_strength(mechanism, curves, samples, tau, size), mu, target, spread)


def _strength(mechanism, curves, samples, tau, size):
    shape = (curves, 3, samples)
    return size * planner.strength(mechanism, shape, bounds.from_numbers(tau, curves), None, KERNEL)
