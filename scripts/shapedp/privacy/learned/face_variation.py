"""How faces vary, as learned from a public population, and what is released of a mean face by it.

The choice of modes, harmonics and shrinkage follows from n, mu and public numbers alone. Axis i with public second
moment l_i is released as u_i = l_i^(-1/4) <v_i, x>, people clipped to ||u|| <= tau, with noise of standard deviation 2
tau/(n mu) on the mean of u: a variance of (2 tau/(n mu))^2 sum_i s_i^2 sqrt(l_i) a point. The filter s_i =
sqrt(l_i)/(sqrt(l_i) + phi) shrinks towards the reference; phi = 0 where it gains little. What is not released stays at
the reference and errs by the cohort's own coordinate, whose expected square is `Variation.pull`: where the public mean
lies, the chance in who takes part, and how far the cohort may differ. So few axes are chosen for few people and many
for many. That cohorts differ by fast harmonics is doubtful; so these come where they cost next to nothing: their noise
counts DOUBT times in the choice.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy

from shapedp.base.errors import RefusedRelease

FIELDS = (
    *("center", "modes", "harmonics", "frequencies", "mean", "held_out", "outside"),
    *("quantile", "assumed_mean_shift", "assumed_shift_outside_modes", "source", "public"),
)
# Of the largest second moment: an axis in which nobody differs needs no infinite weight.
LEAST = 1e-9


# Choices of axes: those of a mean and those beside it, before and after a first stage.
KEPT = 4


class LastArrays:
    """The last few arrays that were made, so that what is asked for again and again is made once."""

    def __init__(self):
        self._arrays = {}

    def find(self, key, make):
        """Return the array of this key, made once though each mean that is coded or decoded along the axes asks for it.

        It is read-only.

        Parameters
        ----------
        key : bytes
            What it follows from.
        make : callable
            Takes nothing and returns the array; called where none is kept.
        """
        if key not in self._arrays:
            array = make()
            array.flags.writeable = False
            self._arrays = dict([*self._arrays.items()][1 - KEPT :]) | {key: array}
        return self._arrays[key]


@dataclass(frozen=True)
class Variation:
    """What is known of how public people vary: axes, and these people's coordinates along them.

    See `face_learning.Learned` for modes, harmonics, frequencies, mean, held_out and outside.

    center : (J, 3, m) the public reference that people are compared with
    quantile : of public people's norms, at which a person is clipped
    assumed_mean_shift, assumed_shift_outside_modes : how far the cohort's mean may lie from the public one, as a share
        of how far people lie, along the modes; and along harmonics, in which the public people hardly differ and
        another population may; public guesses
    source in words; public or not
    lowered : times that quantile, to which the planner expects the bound to be lowered
    spared : share of the noise's square that slow harmonics may cost beyond the best choice
    """

    center: np.ndarray
    modes: np.ndarray
    harmonics: np.ndarray
    frequencies: np.ndarray
    mean: np.ndarray
    held_out: np.ndarray
    outside: np.ndarray
    quantile: float
    assumed_mean_shift: float
    assumed_shift_outside_modes: float
    source: str
    public: bool
    lowered: float = 1.0
    spared: float = 0.0

    # The quantile is of people who had no part in what they are measured with, so no margin is needed.
    margin = 1.0

    @property
    def deviations(self):
        """Return (p, q + h) what the bound is taken from."""
        return self.held_out

    @property
    def people(self):
        """Return how many public people it was learned from: a laboratory's own may stand in several equal rows."""
        return len(np.unique(self.held_out[:, 0]))

    @cached_property
    def for_differences(self):
        """Return the Variation for a plan of people's mean difference: they are clipped about a mean told earlier."""
        return replace(self, lowered=LOWERED)

    @cached_property
    def for_means_asked_again(self):
        """Return the Variation to plan a mean face by that is asked several times: it pays for slow harmonics, too.

        They cost next to nothing, and a cohort that differs in them shows.
        """
        return replace(self, lowered=LOWERED, spared=SPARED)

    @cached_property
    def moments(self):
        """Return how far held-out public people lie along each axis, (q + h,) second moments: noise is shaped by them.

        Those of harmonics never grow with frequency.
        """
        raw = np.mean(np.square(self.held_out, dtype=float), axis=0)
        count = len(self.modes)
        if len(raw) > count:
            raw[count:] = _falling(self.frequencies, raw[count:])
        return np.maximum(raw, raw.max() * LEAST)

    @cached_property
    def lengths(self):
        """Return public people's squared lengths along the first 0, 1, ... axes, which bound each plan with so many.

        That is ((p, q + 1) by modes, (p, h + 1) by harmonics).
        """
        squares = np.square(self.held_out, dtype=float) / np.sqrt(self.moments)
        grown = (np.cumsum(part, axis=1) for part in np.split(squares, [len(self.modes)], axis=1))
        return tuple(np.pad(part, ((0, 0), (1, 0))) for part in grown)

    @cached_property
    def tried(self):
        """Return what the planner chooses from, whatever n and mu are: see `list_combinations`."""
        return list_combinations(self)

    @property
    def spread(self):
        """Return the mean squared distance of a public person's point from the public mean."""
        return float(np.sum(self.variances)) + float(self.outside.mean())

    @property
    def variances(self):
        """Return the variances (q + h,) of public people's coordinates about their mean."""
        return self.moments - np.minimum(self.mean**2, self.moments)

    @cached_property
    def falling_variances(self):
        """Return the variances (q + h,), those of modes smoothed so that they never grow from mode to mode.

        Few public people's are uncertain: a mean is drawn to theirs by these. Modes are in the order of how far people
        lie from the reference; where the public mean's own part in that is the larger one, a mode has its own variance.
        """
        variances, count = np.maximum(self.variances, LEAST_SPREAD * self.moments), len(self.modes)
        by_people = np.flatnonzero(2 * variances[:count] >= self.moments[:count])
        if len(by_people):
            falling = scipy.optimize.isotonic_regression(variances[by_people], increasing=False)
            variances[by_people] = falling.x
        return variances

    @cached_property
    def covariance(self):
        """Return the covariance (q, q) of public people's coordinates along the modes."""
        return np.atleast_2d(np.cov(self.held_out[:, : len(self.modes)].astype(float).T))

    @cached_property
    def spectrum(self):
        """Return its eigenvalues (q,), falling: how much of people's variance the best modes hold."""
        return np.linalg.eigvalsh(self.covariance)[::-1]

    def pull(self, n, unlike):
        """Return the error to expect of a mean along axes that are not released, where the reference stands in for it.

        Plans weigh it against noise. These are squares, of its coordinates (q + h,), and of what is beside the axes.
        Each is the public mean's own coordinate, and people's variance about it times 1/n + 1/p: the chance in who
        takes part and in who was public.

        Parameters
        ----------
        n : int
            People in the cohort.
        unlike : bool
            Whether the cohort may differ, by the assumed shifts.
        """
        chance = 1 / n + 1 / self.people
        assumed = self.assumed_mean_shift, self.assumed_shift_outside_modes
        shares = np.repeat(assumed, [len(self.modes), len(self.harmonics)]) ** 2
        inside = np.minimum(self.mean**2, self.moments) + self.variances * (chance + unlike * shares)
        return inside, float(self.outside.mean()) * (chance + unlike * self.assumed_shift_outside_modes**2)

    def axes(self, plan):
        """Return the chosen modes and harmonics (k, J, 3, m), by index: read-only, since the last choices are kept."""
        return self._copies.find(plan.tobytes(), lambda: self._copy_axes(plan))

    def _copy_axes(self, plan):
        """Return the axes of a choice, copied out of the modes and harmonics, for `axes`."""
        count = len(self.modes)
        return np.concatenate([self.modes[plan[plan < count]], self.harmonics[plan[plan >= count] - count]])

    def lay_along(self, plan, coordinates):
        """Return the field (J, 3, m) with the given coordinates along chosen axes: what stands in for them in a mean.

        It is read-only, since the last ones are kept: a comparison decodes many means with one part not released.

        Parameters
        ----------
        plan : (k,) int array
            The axes, by index.
        coordinates : (k,) array
            How far along each.
        """
        key = plan.tobytes() + coordinates.tobytes()
        return self._fields.find(key, lambda: np.tensordot(coordinates, self.axes(plan), axes=1))

    @cached_property
    def _copies(self):
        """Return what `axes` keeps."""
        return LastArrays()

    @cached_property
    def _fields(self):
        """Return what `lay_along` keeps."""
        return LastArrays()

    def check(self, shape, reference):
        """Refuse to plan a release of curves of another shape or reference than those that public people's had."""
        if self.center.shape != tuple(shape):
            raise RefusedRelease(
                f"curves of shape {tuple(shape)} cannot be released with a variation of shape {self.center.shape}; "
                "were both made with the same settings?"
            )
        if reference is None or not np.array_equal(reference, self.center):
            raise RefusedRelease(
                "mechanism `shaped` releases deviations from the template: leave `reference` at `template`"
            )


def _falling(frequencies, moments):
    """Return moments smoothed so that they never grow with frequency, since few people's moments are uncertain.

    They are the nearest such; those of one frequency are one. By scipy: scikit-learn's would start every process that
    makes a release a second later.
    """
    _, group, count = np.unique(frequencies, return_inverse=True, return_counts=True)
    means = np.bincount(group, moments) / count

    return scipy.optimize.isotonic_regression(means, weights=count, increasing=False).x[group]


# Of the noise's square.
SPARED = 0.04
# Times the bound, about which a mean difference is clipped lower, as a planner may expect it.
LOWERED = 0.7
# Numbers of modes, and of harmonics, that are tried.
STEPS = 24
# A mean is shrunk only where the expected error falls below this share of the error without.
WORTH = 0.9
# Noise below this share of the chance in who takes part hardly matters.
CHEAP = 0.15
# Times the quantile.
LOOSEST = 2.0
# The power of its moment by which an axis is measured: of all powers it makes the noise least, (11.3).
QUARTER = 0.25
# Of a moment is people's spread about their mean, at least: few public people may show none.
LEAST_SPREAD = 0.01
# Harmonics, 120 of each coordinate; those beyond are fast.
SLOW = 360
# Times the noise of a fast harmonic counts in the choice: that cohorts differ by these is doubtful.
DOUBT = 10.0


@dataclass(frozen=True)
class ReleasePlan:
    """What is released of a mean face: which axes, to which bound, how much shrunk.

    axes : (k,) by index into modes and harmonics; moments : (k,) their l_i; filters : (k,) s_i
    tau : the bound on ||u||; noise : its variance per point, all three coordinates, in unit-area faces
    loose : tau over the public quantile; power : u_i = <v_i, x>/l_i^power
    """

    axes: np.ndarray
    moments: np.ndarray
    filters: np.ndarray
    phi: float
    tau: float
    noise: float
    loose: float = 1.0
    power: float = QUARTER

    @property
    def scales(self):
        """Return (k,) how far one of each u_i leads on the face."""
        return self.moments**self.power

    @property
    def weights(self):
        """Return (k,) their squares: how much u_i^2 counts on the face."""
        return self.moments ** (2 * self.power)

    def widened(self, factor):
        """Return the plan with a bound so many times as large."""
        return replace(self, tau=factor * self.tau, noise=factor**2 * self.noise)


def choose(variation, n, mu, shrinks=True):
    """Return the plan, axes, clip and shrinkage, of the least noise and expected bias for n people and mu.

    The cohort may be unlike the public set.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    n : int
        People in the cohort.
    mu : float
        Of the mean.
    shrinks : bool
        Whether the mean may be shrunk towards the reference.
    """
    kept, tau = variation.tried
    root, (inside, outside) = np.sqrt(variation.moments), variation.pull(n, True)
    counted = root * np.where(np.arange(len(root)) < len(variation.modes) + SLOW, 1.0, DOUBT)
    # The planner does not know the bound that a first stage will set, and counts with the one that it may expect.
    unit = (2 * variation.lowered * tau / (n * mu)) ** 2
    wiener = unit * (kept @ root) / (kept @ inside) * (kept @ root) / kept.sum(axis=1)
    candidates = []
    for phi in (np.zeros_like(wiener), wiener):
        filters = kept * (root / (root + phi[:, None]))
        errors = unit * (filters**2 @ counted) + (1 - filters) ** 2 @ inside + outside
        index = int(np.argmin(errors))
        candidates.append((errors[index], index, float(phi[index])))
    plain, shrunk = candidates
    _, index, phi = shrunk if shrinks and shrunk[0] < WORTH**2 * plain[0] else plain
    if variation.spared:
        index = _with_slow_harmonics(variation, index, unit * (kept @ root))
    return plan_at_index(variation, n, mu, index, phi)


def _with_slow_harmonics(variation, at, noise):
    """Return the index of the plan that adds slow harmonics to the axes, so that a cohort unlike the public set shows.

    It adds as many as the spared noise pays for, of the combinations tried that have the modes of `at`. noise : (c,) of
    what is tried
    """
    count, (kept, _) = len(variation.modes), variation.tried
    modes, harmonics = kept[:, :count].sum(axis=1), kept[:, count:].sum(axis=1)
    paid = (
        (modes == modes[at]) & (harmonics <= max(SLOW, harmonics[at])) & (noise <= (1 + variation.spared) * noise[at])
    )
    return int(max(np.flatnonzero(paid), key=lambda index: harmonics[index]))


def plan_at_index(variation, n, mu, at, phi):
    """Return the plan, with bound and noise, for one of the combinations of axes that the planner tries.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    n : int
        People in the cohort.
    mu : float
        Of the mean.
    at : int
        Index into what is tried, `Variation.tried`.
    phi : float
        By which it is shrunk.
    """
    kept, tau = (part[at] for part in variation.tried)
    axes = np.flatnonzero(kept)
    moments = variation.moments[axes]
    filters = np.sqrt(moments) / (np.sqrt(moments) + phi)
    noise = (2 * tau / (n * mu)) ** 2 * float(np.sum(filters**2 * np.sqrt(moments)))
    return ReleasePlan(axes, moments, filters, phi, float(tau), noise)


def refilter(variation, plan, n, unit, shrinks=True):
    """Return the same axes and clip with the shrinkage that suits n people's mean, for a part of a pool.

    As in `choose`, they shrink only where that is worth it.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    plan : ReleasePlan
        The released axes and their bound.
    n : int
        People in the cohort.
    unit : float
        Variance of the noise on the mean of u, which axis i bears times its weight.
    shrinks : bool
        Whether the mean may be shrunk towards the reference.
    """
    weights, (inside, _) = plan.weights, variation.pull(n, True)
    root, expected = plan.moments ** (1 - 2 * plan.power), inside[plan.axes]
    counted = weights * np.where(plan.axes < len(variation.modes) + SLOW, 1.0, DOUBT)
    candidates = []
    for phi in (0.0, unit * weights.sum() / expected.sum() * root.sum() / len(root)):
        filters = root / (root + phi)
        candidates.append((unit * (filters**2 @ counted) + (1 - filters) ** 2 @ expected, phi, filters))
    plain, shrunk = candidates
    _, phi, filters = shrunk if shrinks and shrunk[0] < WORTH**2 * plain[0] else plain
    return replace(plan, filters=filters, phi=float(phi), noise=unit * float(np.sum(filters**2 * weights)))


def list_combinations(variation):
    """Return what the planner chooses from: the axes of tried numbers of modes and harmonics, and the bound of each.

    That is (kept (c, q + h), tau (c,)); tau, on ||u||, is a quantile of public people's.
    """
    modes, added = (_steps(len(part)) for part in (variation.modes, variation.harmonics))
    counts = [(q, h) for q in modes for h in added if q + h]
    of_modes, of_harmonics = variation.lengths
    squares = [np.quantile(of_modes[:, q] + of_harmonics[:, h], variation.quantile, method="higher") for q, h in counts]
    q, h = np.array(counts).T
    along = [np.arange(len(part)) < most[:, None] for part, most in ((variation.modes, q), (variation.harmonics, h))]
    return np.concatenate(along, axis=1).astype(float), np.sqrt(squares)


def loosen_bound(variation, plan, n):
    """Return the plan with a looser bound where people are many, since then the clip errs and noise is cheap.

    It is up to LOOSEST times as large, as long as noise stays below CHEAP of the chance in who takes part.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    plan : ReleasePlan
        The released axes and their bound.
    n : int
        People in the cohort.
    """
    room = CHEAP * np.sqrt(variation.spread / n) / np.sqrt(plan.noise)
    factor = float(np.clip(room, 1.0, LOOSEST))
    return replace(plan.widened(factor), loose=factor)


def measure_by_power(variation, plan, power):
    """Return the plan for people whom a first stage told to lie nearer or farther: axes weighted by another power.

    The power is of the axes' moments. The bound is as loose a quantile of public lengths as it was.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    plan : ReleasePlan
        The released axes and their bound.
    power : float
        Of the moments.
    """
    remeasured = replace(plan, power=power)
    return bound_plan(remeasured, plan, plan.loose * public_bound(variation, remeasured))


def bound_plan(remeasured, plan, tau):
    """Return a remeasured plan with its bound to clip people by, and the noise that follows from another plan's.

    Parameters
    ----------
    remeasured : ReleasePlan
        The axes by the other power.
    plan : ReleasePlan
        The same axes, whose noise is known.
    tau : float
        The bound.
    """
    grown = remeasured.filters**2 @ remeasured.weights / (plan.filters**2 @ plan.weights)
    return replace(remeasured, tau=tau, noise=plan.noise * float((tau / plan.tau) ** 2 * grown))


def public_bound(variation, plan):
    """Return the bound that people are clipped to by a plan: the quantile of public people's ||u|| along its axes.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    plan : ReleasePlan
        The released axes and their bound.
    """
    return float(np.quantile(public_lengths(variation, plan), variation.quantile, method="higher"))


def public_spread(variation, plan):
    """Return (k,) how much public people differ about their mean along a plan's axes: chance in means follows.

    They are variances, each at least some share of its moment.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    plan : ReleasePlan
        The released axes and their bound.
    """
    return np.maximum(variation.variances[plan.axes], LEAST_SPREAD * plan.moments)


@dataclass(frozen=True)
class UnreleasedPart:
    """What a release does not show of a mean.

    axes : (r,) by index into modes and harmonics; mean : (r,) where the public mean lies along them
    errors : (r,) standard deviations by which a mean of people like the public ones lies off it
    outside : its expected squared length beyond all axes
    """

    axes: np.ndarray
    mean: np.ndarray
    errors: np.ndarray
    outside: float

    @property
    def size(self):
        """Return the root mean square distance by which a point errs for it."""
        return float(np.sqrt(self.errors @ self.errors + self.outside))

    def point_variances(self, variation):
        """Return the variance (J, 3, m) by which each coordinate of each point errs for it, for stated errors.

        Beyond all axes nothing is known of where: it is the same at every point, in each direction a third.
        """
        squares = np.square(variation.axes(self.axes), dtype=float)
        return np.einsum("k,kjcm->jcm", self.errors**2, squares) + self.outside / 3


def describe_unreleased(variation, plan, n, scale=1.0):
    """Return what a mean of n people does not show, and how far off that leaves it, for the stated error.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    plan : ReleasePlan
        The released axes and their bound.
    n : int
        People in the cohort.
    scale : float
        How many times as far as public people from theirs these lie about their mean.

    Returns
    -------
    UnreleasedPart
    """
    axes = np.setdiff1d(np.arange(len(variation.moments)), plan.axes)
    ends, chance = np.sqrt(variation.moments[axes]), scale**2 / n + 1 / variation.people
    errors = np.sqrt(variation.variances[axes] * chance)
    return UnreleasedPart(
        axes, np.clip(variation.mean[axes], -ends, ends), errors, float(variation.outside.mean()) * chance
    )


def public_lengths(variation, plan):
    """Return (p,) ||u|| of public people along a plan's axes: bounds and the cohort's spread are told by them.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    plan : ReleasePlan
        The released axes and their bound.
    """
    return np.linalg.norm(to_units(variation, plan), axis=1)


def to_units(variation, plan):
    """Return (p, k) public people's coordinates as u, the units that are clipped and noised, to choose clips by.

    They are held out: of people who had no part in the axes.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    plan : ReleasePlan
        The released axes and their bound.
    """
    return variation.deviations[:, plan.axes].astype(float) / plan.scales


def forecast_bias(variation, choice, n, unlike):
    """Return the squared bias per point that forecasts state: what n people's mean loses by axes and shrinkage.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    choice : ReleasePlan
        The released axes.
    n : int
        People in the cohort.
    unlike : bool
        Whether the cohort may be unlike the public set.
    """
    inside, outside = variation.pull(n, unlike)
    return float(inside.sum() - np.sum(inside[choice.axes] * (1 - (1 - choice.filters) ** 2))) + outside


def _steps(most):
    """Return the numbers of axes that are tried, from 0 to `most`, in about equal ratios."""
    return np.unique(np.concatenate([[0], np.rint(np.geomspace(1, max(most, 1), STEPS))]).astype(int))
