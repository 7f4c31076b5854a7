"""How faces vary, as learned from a public population, and what is released of a mean face by it.

The choice of modes, harmonics and shrinkage follows from n, mu and public numbers alone. Axis i with public second
moment l_i is released as u_i = l_i^(-1/4) <v_i, x>, people clipped to ||u|| <= tau, with noise of standard deviation 2
tau/(n mu) on the mean of u: a variance of (2 tau/(n mu))^2 sum_i s_i^2 sqrt(l_i) a point. The filter s_i =
sqrt(l_i)/(sqrt(l_i) + phi) shrinks towards the reference; phi = 0 where it gains little. What is not released stays at
the reference and errs by the cohort's own coordinate, whose expected square is `Variation.pull`: where the public mean
lies, the chance in who takes part, and how far the cohort may differ. So few axes are chosen for few people and many
for many. That cohorts differ by fast harmonics is doubtful; so these come where they cost next to nothing: their noise
counts DOUBT times in the choice.

What is released of a noised mean follows from it and from public people: what the clip took is put back, and noise is
taken off as far as the mean itself does not say that these people lie off the public mean (`restored`)."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy

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
    lowered : times that quantile, to which the planner expects the bound to be lowered
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
    def of_differences(self):
        """The same for whoever plans people's mean difference, who are clipped about a mean that was told earlier."""
        return replace(self, lowered=LOWERED)

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

    return scipy.optimize.isotonic_regression(means, weights=count, increasing=False).x[group]


LOWERED = 0.7  # times the bound, about which a mean difference is clipped lower, as a planner may expect it
STEPS = 24  # numbers of modes, and of harmonics, that are tried
WORTH = 0.9  # shrink only where the expected error falls below this share of the error without
CHEAP = 0.15  # noise below this share of the chance in who takes part hardly matters
LOOSEST = 2.0  # times the quantile
QUARTER = 0.25  # the power of its moment by which an axis is measured
FLATTER = 0.05  # what is added to it where people lie no farther than public ones
NEAR = 1.5  # times as far as public people, from where on nothing is added, and the bound is as low as FAR_ENOUGH says
FACTORS = np.linspace(1.0, 0.7, 7)  # times the bound, to which it may be lowered
FAR_ENOUGH = 0.9  # the same of people who lie far: their lengths differ less than public people's
ABOUT = np.linspace(1.2, 0.5, 8)  # times the bound of people clipped about their mean, that are tried
CAREFUL = 4.0  # times the chance in what the clip takes
WITHIN, SHORTEST, WIDEST = 1 / 3, 0.5, 16.0  # what lengths from SHORTEST to 1 count in `reach`; times the bound
SCALES = np.geomspace(0.5, WIDEST, 120)  # how many times as far as public people others may be told to lie
FARTHEST, NEWTON = 1e6, 8  # times a bound that matters; steps
LEAST_KEPT = 0.1  # of a mean's coordinate, by a clip, that is undone
UNDOING = 5  # turns
FAR = np.append(0.0, np.geomspace(0.1, 1e6, 39))  # times chance, that a mean lies off beyond it
OFTEN = np.linspace(0.05, 0.55, 6)  # shares of the parts that lie off as all do
CAREFULLY = 0.5  # standard deviations of what is kept of a mean, that are stated as error
LEAST_SPREAD = 0.01  # of a moment, is people's about their mean
AROUND = 400  # public people that stand for the cohort's
SLOW = 360  # harmonics, 120 of each coordinate; those beyond are fast
DOUBT = 10.0


@dataclass(frozen=True)
class Choice:
    """axes (k,) by index into modes and harmonics; moments (k,) their l_i; filters (k,) s_i; tau the bound on ||u||;
    noise : its variance per point, all three coordinates, in unit-area faces; loose : tau over the public quantile
    power : u_i = <v_i, x>/l_i^power
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
        """(k,) how far one of each u_i leads on the face."""
        return self.moments**self.power

    @property
    def weights(self):
        """(k,) their squares: how much u_i^2 counts on the face."""
        return self.moments ** (2 * self.power)

    def widened(self, factor):
        """The same with a bound so many times as large."""
        return replace(self, tau=factor * self.tau, noise=factor**2 * self.noise)


def choose(variation, n, mu, shrinks=True):
    """The Choice with the least noise + expected bias for a cohort that may be unlike the public set.

    shrinks : whether the mean may be shrunk towards the reference
    """
    kept, tau = variation.tried
    root, (inside, outside) = np.sqrt(variation.moments), variation.pull(n, True)
    counted = root * np.where(np.arange(len(root)) < len(variation.modes) + SLOW, 1.0, DOUBT)
    unit = (2 * variation.lowered * tau / (n * mu)) ** 2
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


def refiltered(variation, chosen, n, unit, shrinks=True):
    """The same axes and clip with the shrinkage that n people's mean asks for; unit : variance of the noise on the mean
    of u, which axis i bears times its weight. As in `choose`, they shrink only where that is worth it.
    """
    weights, (inside, _) = chosen.weights, variation.pull(n, True)
    root, expected = chosen.moments ** (1 - 2 * chosen.power), inside[chosen.axes]
    counted = weights * np.where(chosen.axes < len(variation.modes) + SLOW, 1.0, DOUBT)
    tried = []
    for phi in (0.0, unit * weights.sum() / expected.sum() * root.sum() / len(root)):
        filters = root / (root + phi)
        tried.append((unit * (filters**2 @ counted) + (1 - filters) ** 2 @ expected, phi, filters))
    plain, shrunk = tried
    _, phi, filters = shrunk if shrinks and shrunk[0] < WORTH**2 * plain[0] else plain
    return replace(chosen, filters=filters, phi=float(phi), noise=unit * float(np.sum(filters**2 * weights)))


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
    return replace(chosen.widened(factor), loose=factor)


def measured_by(variation, chosen, power):
    """The same axes measured by another power of their moments, the bound as loose a quantile of public lengths."""
    made = replace(chosen, power=power)
    return bounded_by(made, chosen, chosen.loose * public_bound(variation, made))


def bounded_by(made, chosen, tau):
    """A Choice `made` of the same axes as `chosen` by another power, with the bound tau and its noise."""
    grown = made.filters**2 @ made.weights / (chosen.filters**2 @ chosen.weights)
    return replace(made, tau=tau, noise=chosen.noise * float((tau / chosen.tau) ** 2 * grown))


def public_bound(variation, chosen):
    """The quantile of public people's ||u|| along the axes of a Choice."""
    return float(np.quantile(public_lengths(variation, chosen), variation.quantile, method="higher"))


def reach(lengths):
    """(...) numbers between 0 and 1 of people's lengths, in units of the bound: how far they lie, as a first stage asks
    it. Logarithms, so that nobody counts for much: a third from SHORTEST to the bound, the rest from there to WIDEST.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        inside, beyond = np.log(lengths / SHORTEST) / -np.log(SHORTEST), np.log(lengths) / np.log(WIDEST)
    return WITHIN * np.clip(inside, 0.0, 1.0) + (1 - WITHIN) * np.clip(beyond, 0.0, 1.0)


@dataclass(frozen=True)
class Told:
    """What a first stage told of how far people lie: answer, the noised mean of `reach`; sd, of its noise; chosen, the
    Choice in whose units and bound faces' lengths were asked for.
    """

    answer: float
    sd: float
    chosen: Choice | None = None

    def scale(self, lengths, doubt=0.0):
        """How many times as far as public people these lie, as near to 1 as the answer allows within one standard
        deviation: then the mean of `reach` is the answer. lengths (c, p) : public people's at each of SCALES; doubt :
        standard deviation of that mean by what else is not known
        """
        means, sd = np.maximum.accumulate(reach(lengths).mean(axis=1)), np.hypot(self.sd, doubt)
        return float(np.clip(1.0, *np.interp([self.answer - sd, self.answer + sd], means, SCALES)))

    def beside(self, lengths):
        """The same from public people's own lengths (p,) in units of the bound, before the mean is known."""
        return self.scale(SCALES[:, None] * lengths)

    def about(self, mean, errors, people):
        """The same of people (p, k) scaled about a mean (k,) that errs by `errors` (k,), all in lengths on the face."""
        units = 1 / (self.chosen.scales * self.chosen.tau)
        mean, errors, people = mean * units, errors * units, people * units
        along, squares, square = people @ mean, np.sum(people**2, axis=1), mean @ mean + errors @ errors
        lengths = np.sqrt(np.maximum(square + 2 * SCALES[:, None] * along + SCALES[:, None] ** 2 * squares, 0.0))
        there = np.sqrt(np.maximum(square + 2 * along + squares, 1e-300))
        slopes = _reach_slopes(there) / there @ (mean + people) / len(people)
        return self.scale(lengths, np.linalg.norm(slopes * errors))


def _reach_slopes(lengths):
    """(...) by how much `reach` grows with lengths."""
    inside = (lengths > SHORTEST) & (lengths < 1)
    beyond = (lengths > 1) & (lengths < WIDEST)
    return (inside * WITHIN / -np.log(SHORTEST) + beyond * (1 - WITHIN) / np.log(WIDEST)) / lengths


def followed(chosen, scale, lowered=1.0):
    """The same Choice for people who lie `scale` times as far as public ones; see `following`."""
    return chosen.widened(scale if chosen.loose > 1 else following(scale, lowered))


def following(scale, lowered=1.0, far=FAR_ENOUGH):
    """Times the bound for people who lie `scale` times as far as public ones, lowered by a factor where that is not
    far. People who lie far differ less in their lengths than public ones: `far` is enough for them.
    """
    near = nearness(scale)
    return scale * (near * lowered + (1 - near) * far)


def nearness(scale):
    """From 1 where people lie no farther than public ones to 0 where they lie NEAR times as far."""
    return min(1.0, max(0.0, (NEAR - scale) / (NEAR - 1)))


def after(variation, chosen, n, scale):
    """The Choice once a first stage has told that people lie `scale` times as far as public ones. The less far, the
    lower is the bound, and the more are axes measured by a larger power of their moments, in which people's lengths
    differ less.
    """
    made = measured_by(variation, chosen, QUARTER + FLATTER * nearness(scale))
    return followed(made, scale, lowest(variation, made, n))


def about_a_mean(variation, chosen, n):
    """The Choice for people who lie about where they are clipped as public people lie about their mean, by the power of
    people who lie near: with the bound that makes noise, as it is once what the clip took is put back, and chance in
    what it takes least.
    """
    made = about_quantile(variation, chosen, QUARTER + FLATTER)
    people, weights = around(variation, made), made.weights
    people = people[: len(people) // 2]  # their mirror images lose as much

    def expected(factor):
        clipped = nearest(people, factor * made.tau, weights)
        kept = _left(clipped, people)
        noise = factor**2 * made.noise * np.sum(weights / kept**2) / np.sum(weights)
        return noise + np.mean((people - clipped / kept) ** 2 @ weights) / n

    return made.widened(float(min(ABOUT, key=expected)))


def about_quantile(variation, chosen, power=QUARTER):
    """The same axes, bound to the public quantile of lengths about people's mean."""
    made = replace(chosen, power=power, loose=1.0)
    lengths = np.linalg.norm(around(variation, made), axis=1)
    return bounded_by(made, chosen, float(np.quantile(lengths, variation.quantile, method="higher")))


def around(variation, chosen):
    """(2p, k) public people's u about their mean, and their mirror images, which stand for the cohort's about its."""
    v = in_units(variation, chosen)[:AROUND]
    v -= v.mean(axis=0)
    return np.concatenate([v, -v])


def scale_by_squares(variation, chosen, w, sd, off):
    """How many times as far from their mean as public people these lie, by their noised w of (14.2), about where
    their mean errs by `off` (k,) lengths on the face: as near to 1 as one standard deviation of w allows.
    """
    people, weights = around(variation, chosen), chosen.weights
    whole = chosen.tau**2 * weights.max()

    def beyond(scale):
        return np.mean(nearest(scale * people, chosen.tau, weights) ** 2 @ weights) / whole + off @ off / whole - w

    here = beyond(1.0)
    if abs(here) <= sd:
        return 1.0
    wanted, end = (sd, SCALES[0]) if here > 0 else (-sd, SCALES[-1])
    if (beyond(end) - wanted) * (here - wanted) > 0:
        return float(end)
    return float(scipy.optimize.brentq(lambda scale: beyond(scale) - wanted, *sorted((1.0, end)), rtol=1e-4))


def nearest(u, tau, weights):
    """(n, k) of people's u (n, k), the ones with |u| <= tau that are nearest on the face, where axis i weighs so much.

    The least sum of weights_i (u_i - g_i)^2 with |g| <= tau is g_i = u_i/(1 + s/weights_i); s >= 0 makes |g| = tau, by
    Newton's steps on 1/|g|, which is all but linear in s. What rounding leaves above tau is shortened.
    """
    lengths = np.linalg.norm(u, axis=1, keepdims=True)
    u = u * np.minimum(1.0, FARTHEST * tau / np.maximum(lengths, 1e-300))
    ease, s = weights.min() / weights, np.zeros((len(u), 1))
    for _ in range(NEWTON):
        g = u / (1 + s * ease)
        size = np.maximum(np.linalg.norm(g, axis=1, keepdims=True), 1e-300)
        steep = np.maximum(np.sum(g**2 * (ease / (1 + s * ease)), axis=1, keepdims=True), 1e-300)
        s = np.maximum(0.0, s + (size / tau - 1) * size**2 / steep)
    g = u / (1 + s * ease)
    return g * np.minimum(1.0, tau / np.maximum(np.linalg.norm(g, axis=1, keepdims=True), 1e-300))


def lowest(variation, chosen, n):
    """By which factor a bound is lowered where people lie as public people do: what makes noise and the chance in what
    the clip takes of them least, with that CAREFUL times as large, for it takes more of a mean that lies elsewhere.
    Nothing where the bound is loose already.
    """
    if chosen.loose > 1:
        return 1.0

    def expected(factor):
        lowered = chosen.widened(factor)
        return lowered.noise + CAREFUL * clipping_bias(variation, lowered, n)

    return float(min(FACTORS, key=expected))


@dataclass(frozen=True)
class Restored:
    """What a noised mean u (k,) of clipped people becomes: factors u + moved, which err by `errors` (k,), standard
    deviations; shares (k,) : of what is seen beside the public mean, that is kept; undone : the largest factor by which
    what the clip took was put back.
    """

    factors: np.ndarray
    moved: np.ndarray
    errors: np.ndarray
    shares: np.ndarray
    undone: float


def restored(variation, chosen, n, u, sd, shrinks=True, told=None):
    """What the clip took of the mean of n people is put back, and noise taken off, as far as both follow from the
    noised mean and public people, who lie as far about it as the first stage told. sd : of the noise; told : Told

    Of a mean m with people v about it the clip leaves F(m) = E nearest(m + v), the share k_i of coordinate i. The mean
    is likely to lie off the public one by chance, and by more where the noised mean says so. So m is the public mean +
    what `likely_kept` keeps of x - that, x = m + (u - F(m))/k, in turns. Unless it shrinks, the release is u + m -
    F(m): only what was taken of a mean that is seen. See docs/mathematics.md, (11.7).
    """
    weights, ends = chosen.weights, np.sqrt(variation.moments)
    mean = np.clip(variation.mean, -ends, ends)[chosen.axes] / chosen.scales
    chance = (1 / n + 1 / variation.people) * public_spread(variation, chosen) / weights
    parts, likely = alike(variation, chosen), chance * (1 + FAR[:, None, None])
    v, x, kept, scale = around(variation, chosen), u, np.ones_like(u), 1.0
    for _ in range(UNDOING):
        shares, _ = likely_kept(x - mean, scale**2 * likely, (sd / kept) ** 2, parts)
        m = mean + shares * (x - mean)
        if told is not None:
            errors = np.sqrt(shares) * sd / kept
            scale = told.about(*(chosen.scales * one for one in (m, errors, v)))
        people = m + scale * v
        clipped = nearest(people, chosen.tau, weights)
        left, kept = clipped.mean(axis=0), _left(clipped, people)
        x = m + (u - left) / kept
    if not shrinks:
        grown = 1 / (1 - (1 - kept) * shares)
        return Restored(np.ones_like(u), m - left, grown * sd, np.ones_like(u), float(grown.max()))
    shares, doubt = likely_kept(x - mean, scale**2 * likely, (sd / kept) ** 2, parts)
    careful = errs(shares, doubt, (x - mean) / (sd / kept), CAREFULLY)
    moved = (1 - shares) * mean + shares * (m - left / kept)
    errors = np.sqrt(careful) * sd / kept
    return Restored(shares / kept, moved, errors, shares, float(1 / kept.min()))


def put_back(chosen, u, sd, people, errors):
    """The Restored mean of people (p, k), as they lie about it, clipped about where it is known to lie up to `errors`
    (k,), from its noised u (k,) with noise sd: (11.7) with these errors for what is likely. Nothing is drawn to there.
    """
    x, kept = u, np.ones_like(u)
    for _ in range(UNDOING):
        shares = errors**2 / (errors**2 + (sd / kept) ** 2)
        m = shares * x
        clipped = nearest(m + people, chosen.tau, chosen.weights)
        left, kept = clipped.mean(axis=0), _left(clipped, m + people)
        x = m + (u - left) / kept
    return Restored(1 / kept, m - left / kept, sd / kept, shares, float(1 / kept.min()))


def likely_kept(seen, t, noise, parts, weights=(1.0,)):
    """((k,) means and (k,) variances of the shares t/(t + noise) of what is seen (k,), over all that it leaves likely).

    t (far, uneven, k) : variances that what is wanted may have. Each part of the axes has a `far` of its own or that of
    all parts of its kind, each axis one of `uneven`, by their weights. parts : see `alike`; noise (k,) variances;
    docs/mathematics.md, (11.8).
    """
    whole, sizes, often = t + noise, np.concatenate(parts), OFTEN[:, None, None]
    shares, by_axis = t / whole, np.log(weights)[:, None] - 0.5 * (np.log(whole) + seen**2 / whole)
    by_part = np.add.reduceat(scipy.special.logsumexp(by_axis, axis=1), np.cumsum(sizes) - sizes, axis=1)
    alone = scipy.special.softmax(by_part, axis=0)
    mixed = often * alone + (1 - often) / len(t)
    kinds = np.split(np.log(mixed), np.cumsum([len(kind) for kind in parts])[:-1], axis=2)
    joint = np.stack([scipy.special.softmax(kind.sum(axis=2)) for kind in kinds for _ in range(kind.shape[2])], axis=2)
    as_all = np.sum(joint * often * alone / mixed, axis=0)
    far = np.repeat(as_all + (1 - as_all.sum(axis=0)) * alone, sizes, axis=1)
    likely = far[:, None] * scipy.special.softmax(by_axis, axis=1)
    kept = np.sum(likely * shares, axis=(0, 1))
    return kept, np.sum(likely * (shares - kept) ** 2, axis=(0, 1))


def errs(kept, doubt, seen, carefully=0.0):
    """(k,) by how much what was kept errs, over the noise, 1 at most: as much as is kept, what the doubt of it does to
    what is seen (k,), in standard deviations of noise, and so many standard deviations of it more.
    """
    return np.minimum(1.0, kept + carefully * np.sqrt(doubt) + doubt * seen**2)


def alike(variation, chosen):
    """How many axes each part has that may lie off alike: 1, 1, 2, 4, ... modes; of the other kind, if there are any,
    8, 8, 16, ... harmonics.
    """
    modes = int(np.sum(chosen.axes < len(variation.modes)))
    return [_doubled(count, first) for count, first in ((modes, 1), (len(chosen.axes) - modes, 8)) if count]


def _doubled(count, first):
    """Sizes first, first, 2 first, 4 first, ... of `count`, the last what is left."""
    ends = first * 2 ** np.arange(20)
    return np.diff([0, *ends[ends < count], count])


def public_spread(variation, chosen):
    """(k,) variances of public people's coordinates about their mean, each some share of its moment."""
    return np.maximum(variation.variances[chosen.axes], LEAST_SPREAD * chosen.moments)


def public_lengths(variation, chosen):
    """(p,) ||u|| of public people along the axes of a Choice."""
    return np.linalg.norm(in_units(variation, chosen), axis=1)


def in_units(variation, chosen):
    """(p, k) held-out coordinates of public people as u."""
    return variation.held_out[:, chosen.axes].astype(float) / chosen.scales


def expected_bias(variation, choice, n, unlike):
    """Squared bias per point that is expected of a cohort of n people, like the public set or perhaps unlike it."""
    inside, outside = variation.pull(n, unlike)
    return float(inside.sum() - np.sum(inside[choice.axes] * (1 - (1 - choice.filters) ** 2))) + outside


def clipping_bias(variation, choice, n):
    """Squared bias per point by clipping people to tau, who lie on either side of the mean alike: by chance, 1/n of
    what a public person loses.
    """
    u, weights = in_units(variation, choice)[:AROUND], choice.weights
    lost = u - nearest(u, choice.tau, weights)
    return float(np.mean(lost**2 @ (choice.filters**2 * weights))) / n


def left_by_clipping(variation, chosen):
    """(k,) share of each coordinate that the clip leaves of public people's about their mean."""
    u = in_units(variation, chosen)[:AROUND]
    u -= u.mean(axis=0)
    return _left(nearest(u, chosen.tau, chosen.weights), u)


def _left(clipped, people):
    kept = np.sum(clipped * people, axis=0) / np.maximum(np.sum(people**2, axis=0), 1e-300)
    return np.clip(kept, LEAST_KEPT, 1.0)


def foretold(variation, chosen, n, unit):
    """(noise, bias) squared per point, that are expected of a cohort of n people like the public set: noise as much of
    it as is left beside chance, and what is not released or clipped. unit : variance of the noise on the mean of u
    """
    weights = chosen.weights
    spread, chance = public_spread(variation, chosen), 1 / n + 1 / variation.people
    drawn = unit * weights / left_by_clipping(variation, chosen) ** 2
    seen = np.sqrt(spread * chance + drawn)
    likely = chance * (1 + FAR[:, None, None]) * spread
    kept = likely_kept(seen, likely, drawn, alike(variation, chosen))
    noise = float(errs(*kept, seen / np.sqrt(drawn), CAREFULLY) @ drawn)
    bias = expected_bias(variation, replace(chosen, filters=np.ones_like(weights)), n, False)
    return noise, bias + clipping_bias(variation, chosen, n)


def _steps(most):
    return np.unique(np.concatenate([[0], np.rint(np.geomspace(1, max(most, 1), STEPS))]).astype(int))
