"""The mechanisms for a mean face: each is a clip, a linear map to coordinates with isotropic noise, and a map back.

One person's curves x (J, 3, m), after subtracting a public center and clipping, become coordinates u = gain * c(x), c
the Fourier coefficients (or the points themselves), with ||u|| <= bound. The sum over people changes by at most 2
bound when one is replaced; noise of standard deviation `noise` on every coordinate of the sum makes it (2 bound /
noise)-GDP. The release is center + curves(back * (sum + noise) / n): post-processing. By choice of units noise = 2,
so mu = bound.

    matched        gain = mu_b/tau_b                   back = s_j tau_b/mu_b        v_j = s_j (2 tau_b/n)/mu_b
    matched_joint  gain = w_b r_j mu/tau               back = s_j tau/(w_b r_j mu)  v_j = s_j (2 tau/n)/(mu w_b r_j)
                   clipped so that sum (w_b r_j c_j)^2 <= tau^2; r_j^2 = sqrt(1 + f_j^2), or 1 with bounds from numbers
    rkhs           gain = (s_j/sqrt l_j) mu_b/(k tau_b) back = sqrt l_j k tau_b/mu_b k = max sqrt l_j/(l_j + phi)
    rkhs_paper     the same with k = 1/sqrt(phi), at least twice as large: really (k' sqrt(phi) mu)-GDP
    pointwise      gain = 2 mu_p/range at each point    back = 1/gain                mu_p = mu_T/sqrt(3 J m)
"""

from dataclasses import dataclass

import numpy as np

from shapedp.errors import RefusedRelease
from shapedp.mechanisms import budgets, kernel, smoothing

NOISE = 2.0  # standard deviation on each coordinate of the sum, in the mechanisms' own units
POINTWISE = ("pointwise", "pointwise_literal")
NAMES = ("matched_joint", "matched", "rkhs", "rkhs_paper", *POINTWISE)


@dataclass(frozen=True)
class Mechanism:
    """A mechanism for n people's curves (J, 3, m); see the module. mu is what it guarantees, claimed what it was
    asked.
    """

    name: str
    center: np.ndarray
    added_back: np.ndarray
    gain: np.ndarray
    back: np.ndarray
    bound: float
    noise: float
    claimed: float
    fourier: bool
    tau: np.ndarray | None = None
    joint: tuple | None = None
    limits: tuple | None = None

    @property
    def mu(self):
        """mu of Gaussian differential privacy."""
        return 2 * self.bound / self.noise

    def clip(self, curves):
        """Deviations from the center (..., J, 3, m), no larger than the public bounds."""
        if self.limits is not None:
            return np.clip(curves, *self.limits) - self.center
        deviations = curves - self.center
        if self.joint is not None:
            return deviations * self._joint_shrinking(self.gain * kernel.coefficients(deviations))
        return deviations * _shrink(kernel.norm(deviations), self.tau)[..., None]

    def _joint_shrinking(self, u):
        """(..., 1, 1, 1) factor that takes whole faces to the joint bound, whose norm is the length of coordinates."""
        lengths = np.sqrt(np.sum(np.square(u).reshape(*u.shape[:-3], -1), axis=-1))
        return _shrink(lengths, self.bound)[..., None, None, None]

    def encode(self, curves):
        """Coordinates u (..., J, 3, m) of people's curves; ||u|| <= bound up to rounding, which the integer grid
        ends.
        """
        if self.joint is not None:  # clipped in the coordinates: one Fourier transform instead of two
            u = self.gain * kernel.coefficients(curves - self.center)
            return u * self._joint_shrinking(u)
        deviations = self.clip(curves)
        return self.gain * (kernel.coefficients(deviations) if self.fourier else deviations)

    def decode(self, mean_coordinates):
        """Curves (J, 3, m) from the mean of the coordinates."""
        coefficients = self.back * mean_coordinates
        return self.added_back + (kernel.curves(coefficients) if self.fourier else coefficients)

    def variances(self, n):
        """(J, 3) variance of the noise at each point of a curve."""
        per_coordinate = (self.noise / n * self.back) ** 2
        return per_coordinate.sum(axis=-1) if self.fourier else per_coordinate.mean(axis=-1)

    def noise_sd(self, n):
        """(J, 3) standard deviation of the noise at each point of a curve."""
        return np.sqrt(self.variances(n))


def _shrink(norms, tau):
    return np.minimum(1.0, tau / np.maximum(norms, 1e-300))


def make(name, shape, n, bounds, reference, budget, kernel_settings):
    """The mechanism called `name` for n people.

    shape : (J, 3, m); reference : (J, 3, m) public curves to subtract, or None
    budget : {"mu": (3,)} for each curve, or {"mu_total": number} with the best public split
    kernel_settings : rho, alpha, phi (3,)
    """
    if n < 2:
        raise RefusedRelease(f"a mean of at least 2 faces can be released, got n = {n}")
    _check_bounds(bounds, shape, reference)
    if name in POINTWISE:
        return _pointwise(name, shape, n, bounds, budget)
    if name not in NAMES:
        raise RefusedRelease(f"unknown mechanism '{name}'; known: {', '.join(NAMES)}")
    filters = smoothing.filters(shape[-1], **kernel_settings)
    center = np.zeros(shape) if reference is None else reference
    if name == "matched_joint":
        return _joint(center, bounds, budget, filters)
    return _by_block(name, center, bounds, budget, filters, kernel_settings)


def _by_block(name, center, bounds, budget, filters, kernel_settings):
    """Each block clipped to its own tau and released with its own mu."""
    exact = stretch = np.ones(3)
    whiten, colour = np.ones_like(filters), filters
    if name.startswith("rkhs"):
        root = np.sqrt(kernel.spectrum(filters.shape[-1], kernel_settings["rho"], kernel_settings["alpha"]))
        exact = (filters / root).max(axis=1)
        stretch = exact if name == "rkhs" else np.asarray(kernel_settings["phi"], dtype=float) ** -0.5
        whiten, colour = filters / root / stretch[:, None], root * stretch[:, None]
    mu = _split(budget, bounds.tau**2 * np.sum(colour**2, axis=1))
    scale = (mu / bounds.tau)[..., None]
    return Mechanism(
        name,
        center,
        center,
        gain=scale * whiten,
        back=colour / scale,
        bound=budgets.total(mu * exact / stretch),
        noise=NOISE,
        claimed=budgets.total(mu),
        fourier=True,
        tau=bounds.tau,
    )


def _joint(center, bounds, budget, filters):
    """The whole face clipped to one tau and released at once."""
    weigh = np.ones(filters.shape[-1]) if bounds.deviations is None else np.sqrt(kernel.roughness(filters.shape[-1]))
    tau_blocks = bounds.of_blocks()
    mu = _split(budget, tau_blocks**2 * np.sum((filters / weigh) ** 2, axis=1))
    total = budgets.total(mu)
    weights = mu / (tau_blocks * total)
    tau = bounds.joint(weights)
    scale = weights[..., None] * weigh * total / tau
    return Mechanism(
        "matched_joint",
        center,
        center,
        gain=scale,
        back=filters / scale,
        bound=total,
        noise=NOISE,
        claimed=total,
        fourier=True,
        joint=(weights, tau),
    )


def _check_bounds(bounds, shape, reference):
    """Bounds and reference must belong to these curves, and no bound may be 0: noise would have scale 0."""
    if bounds.tau.shape != shape[:2] or (reference is not None and reference.shape != shape):
        raise RefusedRelease(
            f"curves of shape {shape} need tau {shape[:2]}, got {bounds.tau.shape}, and a reference of that shape; "
            "were bounds, template and curves made with the same settings?"
        )
    if not (np.all(bounds.tau > 0) and np.all(np.isfinite(bounds.tau))):
        raise RefusedRelease("every tau must be a positive number; does the reference set hold the reference alone?")


def _split(budget, costs):
    """(J, 3) mu of each block; costs (J, 3) of blocks at mu = 1."""
    if "mu" in budget:
        return budgets.of_each_curve(budget["mu"], len(costs))
    return budgets.best_split(budget["mu_total"], costs)


def _pointwise(name, shape, n, bounds, budget):
    """Noise on every coordinate of every point, scaled to the point's public range."""
    if bounds.lower is None:
        raise RefusedRelease(
            "a point-wise release needs ranges: set bounds to `reference_set` (or `data`, not private)"
        )
    if not np.all(bounds.upper > bounds.lower):
        raise RefusedRelease("every point-wise range must be wider than 0; does the reference set hold one face alone?")
    total = budgets.total(_split(budget, np.ones(shape[:2])))
    a_point = total / np.sqrt(np.prod(shape))
    width = bounds.upper - bounds.lower
    gain = 2 * a_point / width
    middle = (bounds.lower + bounds.upper) / 2
    noise = NOISE * n if name == "pointwise_literal" else NOISE
    limits = (bounds.lower, bounds.upper)
    return Mechanism(name, middle, middle, gain, 1 / gain, total, noise, total, fourier=False, limits=limits)
