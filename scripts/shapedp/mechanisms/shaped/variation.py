"""How faces vary, as learned from a public population: what the shaped mechanism and its planner are made from."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import isotonic_regression

from shapedp import artifacts
from shapedp.errors import RefusedRelease
from shapedp.mechanisms.shaped import choice

FIELDS = (
    *("center", "modes", "harmonics", "frequencies", "mean", "held_out", "outside"),
    *("quantile", "shift", "novelty", "source", "public"),
)
LEAST = 1e-9  # of the largest second moment: an axis in which nobody differs needs no infinite weight


@dataclass(frozen=True)
class Variation:
    """See `learning.Learned` for modes, harmonics, frequencies, mean, held_out and outside.

    center : (J, 3, m) the public reference that people are compared with
    quantile : of public people's norms, at which a person is clipped
    shift, novelty : how far the cohort's mean may lie from the public one, as a share of how far people lie, along the
        modes; and along harmonics, in which the public people hardly differ and another population may; public guesses
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
    shift: float
    novelty: float
    source: str
    public: bool

    margin = 1.0  # the quantile is of people who had no part in what they are measured with

    @property
    def deviations(self):
        """(p, q + h) what the bound is taken from."""
        return self.held_out

    @property
    def people(self):
        """How many public people it was learned from."""
        return len(self.held_out)

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
        """See `choice.tried`: what the planner chooses from, whatever n and mu are."""
        return choice.tried(self)

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
        and in who was public. unlike : whether the cohort may differ, by shift and novelty
        """
        chance = 1 / n + 1 / self.people
        shares = np.repeat([self.shift, self.novelty], [len(self.modes), len(self.harmonics)]) ** 2
        inside = np.minimum(self.mean**2, self.moments) + self.variances * (chance + unlike * shares)
        return inside, float(self.outside.mean()) * (chance + unlike * self.novelty**2)

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
    return isotonic_regression(means, weights=count, increasing=False).x[group]
