"""How faces vary, as learned from a public population, and what is released of a mean face by it.

The choice of modes, harmonics and shrinkage follows from n, mu and public numbers alone. Axis i with public second
moment l_i is released as u_i = l_i^(-1/4) <v_i, x>, people clipped to ||u|| <= tau, with noise of standard deviation 2
tau/(n mu) on the mean of u: a variance of (2 tau/(n mu))^2 sum_i s_i^2 sqrt(l_i) a point. The filter s_i =
sqrt(l_i)/(sqrt(l_i) + phi) shrinks towards the reference; phi = 0 where it gains little. What is not released stays at
the reference and errs by the cohort's own coordinate, whose expected square is `Variation.pull`: where the public mean
lies, the chance in who takes part, and how far the cohort may differ. So few axes are chosen for few people and many
for many. That cohorts differ by fast harmonics is doubtful; so these come where they cost next to nothing: their noise
counts DOUBT times in the choice."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from shapedp import artifacts
from shapedp.errors import RefusedRelease

FIELDS = (
    *("center", "modes", "harmonics", "frequencies", "mean", "held_out", "outside"),
    *("quantile", "assumed_mean_shift", "assumed_shift_outside_modes", "source", "public"),
)
LEAST = 1e-9  # of the largest second moment: an axis in which nobody differs needs no infinite weight


@dataclass(frozen=True)
class Variation:
    """See `face_learning.Learned` for modes, harmonics, frequencies, mean, held_out and outside.

    center : (J, 3, m) the public reference that people are compared with
    quantile : of public people's norms, at which a person is clipped
    assumed_mean_shift, assumed_shift_outside_modes : how far the cohort's mean may lie from the public one, as a share
        of how far people lie, along the modes; and along harmonics, in which the public people hardly differ and
        another population may; public guesses
    source in words; public or not
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

    margin = 1.0  # the quantile is of people who had no part in what they are measured with

    @property
    def deviations(self):
        """(p, q + h) what the bound is taken from."""
        return self.held_out

    @property
    def people(self):
        """How many public people it was learned from: a laboratory's own may stand in several equal rows."""
        return len(np.unique(self.held_out[:, 0]))

    @cached_property
    def moments(self):
        """(q + h,) held-out second moment of each axis; of the harmonics, such that it never grows with frequency."""
        raw = np.mean(np.square(self.held_out, dtype=float), axis=0)
        count = len(self.modes)
        if len(raw) > count:
            raw[count:] = _falling(self.frequencies, raw[count:])
        return np.maximum(raw, raw.max() * LEAST)

    @cached_property
    def lengths(self):
        """((p, q + 1), (p, h + 1)) what public people's squared norms ||u||^2 gain by the first so many modes, and by
        the first so many harmonics.
        """
        squares = np.square(self.held_out, dtype=float) / np.sqrt(self.moments)
        grown = (np.cumsum(part, axis=1) for part in np.split(squares, [len(self.modes)], axis=1))
        return tuple(np.pad(part, ((0, 0), (1, 0))) for part in grown)

    @cached_property
    def tried(self):
        """See `combinations`: what the planner chooses from, whatever n and mu are."""
        return combinations(self)

    @property
    def spread(self):
        """Mean squared distance of a public person's point from the public mean."""
        return float(np.sum(self.variances)) + float(self.outside.mean())

    @property
    def variances(self):
        """(q + h,) of public people's coordinates about their mean."""
        return self.moments - np.minimum(self.mean**2, self.moments)

    @cached_property
    def covariance(self):
        """(q, q) of public people's coordinates along the modes."""
        return np.atleast_2d(np.cov(self.held_out[:, : len(self.modes)].astype(float).T))

    @cached_property
    def spectrum(self):
        """(q,) its eigenvalues, falling: how much of people's variance the best modes hold."""
        return np.linalg.eigvalsh(self.covariance)[::-1]

    def pull(self, n, unlike):
        """(q + h,) expected square of each coordinate of the mean of n people, and that of what lies outside the axes.

        The public mean's own coordinate, and people's variance about it times 1/n + 1/p: the chance in who takes part
        and in who was public. unlike : whether the cohort may differ, by the assumed shifts
        """
        chance = 1 / n + 1 / self.people
        assumed = self.assumed_mean_shift, self.assumed_shift_outside_modes
        shares = np.repeat(assumed, [len(self.modes), len(self.harmonics)]) ** 2
        inside = np.minimum(self.mean**2, self.moments) + self.variances * (chance + unlike * shares)
        return inside, float(self.outside.mean()) * (chance + unlike * self.assumed_shift_outside_modes**2)

    def axes(self, chosen):
        """(k, J, 3, m) the chosen ones of modes and harmonics, by index."""
        count = len(self.modes)
        return np.concatenate([self.modes[chosen[chosen < count]], self.harmonics[chosen[chosen >= count] - count]])

    def check(self, shape, reference):
        """Refuse curves of another shape, and another reference than the one that people were compared with."""
        if self.center.shape != tuple(shape):
            raise RefusedRelease(
                f"curves of shape {tuple(shape)} cannot be released with a variation of shape {self.center.shape}; "
                "were both made with the same settings?"
            )
        if reference is None or not np.array_equal(reference, self.center):
            raise RefusedRelease("mechanism `shaped` is about the template: leave `reference` at `template`")


def load(path):
    """(Variation, the reference it is about) of a variation artifact."""
    with artifacts.reader(path, artifacts.VARIATION) as source:
        found = {key: source[key] for key in FIELDS}
    return Variation(**{**found, "public": bool(found["public"])}), found["center"]


def _falling(frequencies, moments):
    """The nearest moments that never grow with frequency; those of one frequency are one.

    By scipy: scikit-learn's would start every process that makes a release a second later.
    """
    _, group, count = np.unique(frequencies, return_inverse=True, return_counts=True)
    means = np.bincount(group, moments) / count
    from scipy.optimize import isotonic_regression  # late: it is a third of what a release imports

    return isotonic_regression(means, weights=count, increasing=False).x[group]


STEPS = 24  # numbers of modes, and of harmonics, that are tried
WORTH = 0.9  # shrink only where the expected error falls below this share of the error without
CHEAP = 0.15  # noise below this share of the chance in who takes part hardly matters
LOOSEST = 2.0  # times the quantile
LOW = 0.65  # quantile of public people's norms to which a bound is lowered where nobody was seen beyond it
LOWEST = 0.8  # times the bound: of few axes people's lengths differ more
LEAST_KEPT = 0.5  # of a mean, by a clip, that is undone
SLOW = 360  # harmonics, 120 of each coordinate; those beyond are fast
DOUBT = 10.0


@dataclass(frozen=True)
class Choice:
    """axes (k,) by index into modes and harmonics; moments (k,) their l_i; filters (k,) s_i; tau the bound on ||u||;
    noise : its variance per point, all three coordinates, in unit-area faces; loose : tau over the public quantile
    """

    axes: np.ndarray
    moments: np.ndarray
    filters: np.ndarray
    phi: float
    tau: float
    noise: float
    loose: float = 1.0


def choose(variation, n, mu, shrinks=True):
    """The Choice with the least noise + expected bias for a cohort that may be unlike the public set.

    shrinks : whether the mean may be shrunk towards the reference
    """
    kept, tau = variation.tried
    root, (inside, outside) = np.sqrt(variation.moments), variation.pull(n, True)
    counted = root * np.where(np.arange(len(root)) < len(variation.modes) + SLOW, 1.0, DOUBT)
    unit = (2 * tau / (n * mu)) ** 2
    wiener = unit * (kept @ root) / (kept @ inside) * (kept @ root) / kept.sum(axis=1)
    found = []
    for phi in (np.zeros_like(wiener), wiener):
        filters = kept * (root / (root + phi[:, None]))
        errors = unit * (filters**2 @ counted) + (1 - filters) ** 2 @ inside + outside
        at = int(np.argmin(errors))
        found.append((errors[at], at, float(phi[at])))
    plain, shrunk = found
    _, at, phi = shrunk if shrinks and shrunk[0] < WORTH**2 * plain[0] else plain
    return choice_at(variation, n, mu, at, phi)


def choice_at(variation, n, mu, at, phi):
    """The Choice that releases what is tried at index `at`, shrunk by phi."""
    kept, tau = (part[at] for part in variation.tried)
    axes = np.flatnonzero(kept)
    moments = variation.moments[axes]
    filters = np.sqrt(moments) / (np.sqrt(moments) + phi)
    noise = (2 * tau / (n * mu)) ** 2 * float(np.sum(filters**2 * np.sqrt(moments)))
    return Choice(axes, moments, filters, phi, float(tau), noise)


def refiltered(variation, chosen, n, unit):
    """The same axes and clip with the shrinkage that n people's mean asks for; unit : variance of the noise on the mean
    of u, which axis i bears times sqrt(l_i). As in `choose`, they shrink only where that is worth it.
    """
    root, (inside, _) = np.sqrt(chosen.moments), variation.pull(n, True)
    expected = inside[chosen.axes]
    counted = root * np.where(chosen.axes < len(variation.modes) + SLOW, 1.0, DOUBT)
    tried = []
    for phi in (0.0, unit * root.sum() / expected.sum() * root.sum() / len(root)):
        filters = root / (root + phi)
        tried.append((unit * (filters**2 @ counted) + (1 - filters) ** 2 @ expected, phi, filters))
    plain, shrunk = tried
    _, phi, filters = shrunk if shrunk[0] < WORTH**2 * plain[0] else plain
    return replace(chosen, filters=filters, phi=float(phi), noise=unit * float(np.sum(filters**2 * root)))


def combinations(variation):
    """(kept (c, q + h), tau (c,)) of the numbers of modes and harmonics that are tried: which axes each releases, and
    the bound on ||u||, a quantile of public people's.
    """
    modes, added = (_steps(len(part)) for part in (variation.modes, variation.harmonics))
    counts = [(q, h) for q in modes for h in added if q + h]
    of_modes, of_harmonics = variation.lengths
    squares = [np.quantile(of_modes[:, q] + of_harmonics[:, h], variation.quantile, method="higher") for q, h in counts]
    q, h = np.array(counts).T
    along = [np.arange(len(part)) < most[:, None] for part, most in ((variation.modes, q), (variation.harmonics, h))]
    return np.concatenate(along, axis=1).astype(float), np.sqrt(squares)


def loosened(variation, chosen, n):
    """The same Choice with a bound so loose, up to LOOSEST times, that noise stays below CHEAP of the chance in who
    takes part: with many people the clip is what errs.
    """
    room = CHEAP * np.sqrt(variation.spread / n) / np.sqrt(chosen.noise)
    factor = float(np.clip(room, 1.0, LOOSEST))
    return replace(chosen, tau=factor * chosen.tau, noise=factor**2 * chosen.noise, loose=factor)


def lower(variation, chosen):
    """By which factor a bound is lowered where people lie as public people do: to their quantile LOW. What the clip
    then takes of them on all sides cancels in their mean, and noise falls with the bound.
    """
    lengths = np.linalg.norm(in_units(variation, chosen), axis=1)
    ratio = np.quantile(lengths, LOW) / np.quantile(lengths, variation.quantile, method="higher")
    return float(np.clip(ratio, LOWEST, 1.0))


def undoing(variation, chosen, n, u, sd):
    """(k,) factors, at least 1, on a noised mean of clipped u (k,), for what the clip took of a mean that lies far.

    Of a mean m the clip keeps a share c = <E clip(m + v), m>/|m|^2, v public people about their mean, and mirrored;
    lengths are those of the face. m is the noised mean times f_i, what is expected of a coordinate's square over
    that and the noise. Axis i is enlarged by 1 + (1/c - 1) r f_i, r the share of |m|^2 that is not the noise's: nothing
    where nothing was far, and little where noise is all there is. See docs/mathematics.md, (11.7).
    """
    weights = chosen.filters**2 * np.sqrt(chosen.moments)
    expected = variation.pull(n, True)[0][chosen.axes] / np.sqrt(chosen.moments)
    sure = expected / (expected + sd**2)
    m = sure * u
    v = in_units(variation, chosen)
    v -= v.mean(axis=0)
    size, share = float(weights @ m**2), 0.0
    for around in (v, -v):
        people = m + around
        clipped = np.minimum(1.0, chosen.tau / np.maximum(np.linalg.norm(people, axis=1), 1e-300))
        share += float((clipped @ people) @ (weights * m)) / (2 * len(people))
    kept = float(np.clip(share / size, LEAST_KEPT, 1.0)) if size > 0 else 1.0
    noise = sd**2 * weights * sure**2
    far = max(0.0, size - float(noise.sum())) / kept**2
    return 1 + (1 / kept - 1) * far / (far + float(noise.sum())) * sure


def in_units(variation, chosen):
    """(p, k) held-out coordinates of public people as u."""
    return variation.held_out[:, chosen.axes].astype(float) / chosen.moments**0.25


def expected_bias(variation, choice, n, unlike):
    """Squared bias per point that is expected of a cohort of n people, like the public set or perhaps unlike it."""
    inside, outside = variation.pull(n, unlike)
    return float(inside.sum() - np.sum(inside[choice.axes] * (1 - (1 - choice.filters) ** 2))) + outside


def clipping_bias(variation, choice, n):
    """Squared bias per point by clipping people to tau, who lie on either side of the mean alike: by chance, 1/n of
    what a public person loses.
    """
    along = variation.held_out[:, choice.axes].astype(float)
    lengths = np.linalg.norm(along / choice.moments**0.25, axis=1)
    lost = 1 - np.minimum(1.0, choice.tau / np.maximum(lengths, 1e-300))
    return float(np.mean(lost**2 * np.sum((choice.filters * along) ** 2, axis=1))) / n


def _steps(most):
    return np.unique(np.concatenate([[0], np.rint(np.geomspace(1, max(most, 1), STEPS))]).astype(int))
