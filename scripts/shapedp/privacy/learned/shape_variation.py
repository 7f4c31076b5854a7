"""How shapes deviate from p0: a second moment from public shapes, or a prior that falls with frequency.

C = (1 - ridge) S + ridge P: S the public shapes' second moment about p0, P of the same trace and diagonal in the axes,
falling as (1 + f)^-FALL along a contour. The ridge is the one with the least E||u||^2 sum sqrt(l_i) over people left
out, the factor by which clip and noise of a choice of axes grow.

The axes are orthonormal: along a closed contour by frequency, else without order. They are of deviations, not of
outlines: p0's own detail is public and stays whatever axes are released. What clipping does to a mean is foretold from
public people who had no part in their axes, for no noise hides it.

How many axes a release has, and whether it is worth making, from n, the budget and public numbers alone.

u_i = l_i^(-1/4) <v_i, x>, i = 1..q, ||u|| clipped to tau; the mean of u moves by at most 2 tau/n. Noise on it becomes
l_i^(1/4) as large along v_i: of the squared error it is

    (2 tau/(n mu))^2 sum sqrt(l_i)           Gaussian, mu-GDP
    (q + 1) (2 tau/(n eps))^2 sum sqrt(l_i)   K-norm, eps-DP (Hardt, Talwar 2010)

What is not released stays at p0, and errs by the mean's own coordinate: its expected square is the chance in who takes
part, people's second moment over n, and p0's own distance, |square of the public mean's coordinate - second moment/m|
for m public people: where p0 is their mean that is its own chance, and elsewhere what is left of theirs. Without public
people p0 is taken to lie as far off as one person. Clipping moves the mean besides. Axes are chosen for a cohort whose
mean may lie SHIFT of people's spread away from there; errors are foretold, and a release is worth making, for a cohort
like the public set, to which p0 comes nearest.

A release may be shrunk towards p0, which is post-processing of the same draw: its coordinate along v_i is taken
s_i = e_i/(e_i + noise_i) times, e_i the expected square of the mean's coordinate where it may lie SHIFT away: the
posterior mean, were both normal. That errs by s_i^2 noise_i + (1 - s_i)^2 e_i, never more than either without.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from shapedp.base.errors import ConfigError, RefusedRelease
from shapedp.privacy.manifolds import axes as canonical
from shapedp.privacy.manifolds.landmark_shapes import bending_matrix

FOLDS = 10
# Of people's spread: p0 is the public set's own mean where that lies no farther from it.
OWN = 1e-6
# Public shapes: fewer say nothing of directions.
LEAST = 5
RIDGES = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8)
# Powers of the frequency by which moments fall; landmarks that follow no contour differ in fast ways, too.
FALL, FALL_BENDING = 4.0, 3.0
# Of the mean square along an axis: the variance about the mean is no smaller.
LEAST_VARIANCE = 1e-4
# Of the largest moment: an axis in which nobody differs needs no infinite weight.
FLOOR = 1e-9
# Of people left out whose deviations are not clipped.
QUANTILE = 0.9
# The clip over the root mean square length, where only a prior is known.
MARGIN = 1.75
# Of r: the root mean square deviation that a prior assumes.
TYPICAL = 0.5


@dataclass(frozen=True)
class Variation:
    """How public shapes vary about p0, or how a prior says they do.

    axes : (q, k d) orthonormal; moments : (q,) of C along them, falling
    held_out : (q,) mean squared coordinate of people about their own mean, on axes they had no part in
    means : (q,) squared coordinate of their mean
    clips : (q,) bound on ||u|| for the first 1, 2, ... axes, which moves their mean by the square clipped (q,), one of
        them by lost (q,) on average, and a mean that lies elsewhere by the share pulled (q,)
    people : how many, infinite for a prior
    lengths : (m, q) their ||u|| with the first 1, 2, ... axes, which they had no part in
    mean : (q,) of public people; deviations : (m, q) of each about it, along axes that the person had no part in; of a
        prior none
    """

    axes: np.ndarray
    moments: np.ndarray
    held_out: np.ndarray
    means: np.ndarray
    clips: np.ndarray
    clipped: np.ndarray
    lost: np.ndarray
    pulled: np.ndarray
    people: float
    lengths: np.ndarray
    mean: np.ndarray
    deviations: np.ndarray

    @property
    def modes(self):
        """Return the axes along which modes of a model may lie: all."""
        return self.axes

    @property
    def variances(self):
        """Return the variances (q,) of public people about their mean."""
        return np.maximum(self.held_out - self.means, self.held_out * LEAST_VARIANCE)

    @property
    def spread(self):
        return float(self.variances.sum())

    @property
    def covariance(self):
        """Return the covariance (q, q): people left out have no common axes, so that only the diagonal is known."""
        return np.diag(self.variances)

    @property
    def spectrum(self):
        """Return the variances (q,), falling."""
        return np.sort(self.variances)[::-1]

    def pull(self, n, unlike):
        """Return the error to expect of a mean shape along axes that are not released, where the center stands for it.

        Plans weigh it against noise. They are squares (q,) of its coordinates, and of what is outside the axes: 0.

        Parameters
        ----------
        n : int
            Shapes in the cohort.
        unlike : bool
            Whether its mean may lie SHIFT away; else it is like the public set.
        """
        inside = self.held_out / n + np.abs(self.means - self.held_out / self.people)
        return inside + unlike * SHIFT**2 * self.held_out, 0.0


def learn(shapes, public, outline):
    """Return what public records teach of how shapes vary: axes, bounds, and what clipping costs; plans rest on it.

    Parameters
    ----------
    shapes : LandmarkShapes
        Deviations from the center p0.
    public : (m, k, d) array
        The public records.
    outline : bool
        Whether the landmarks follow a closed contour.

    Returns
    -------
    Variation
    """
    if len(public) < LEAST:
        raise RefusedRelease(f"found {len(public)} public shapes; at least {LEAST} are needed to learn how shapes vary")
    basis, frequencies = (contour_axes if outline else plain_axes)(shapes)
    x = shapes.deviations(public) @ basis.T
    if not x.any():
        raise RefusedRelease(
            "the public shapes all equal the center, so they do not show how shapes vary; name a set of different "
            "shapes"
        )
    costs = dict(zip(RIDGES, _find_costs(x, frequencies), strict=True))
    ridge = canonical.first_of_the_best(RIDGES, costs.__getitem__)
    moments, vectors = _moment(x, frequencies, ridge)
    own_mean = np.linalg.norm(x.mean(axis=0)) < OWN * np.sqrt(np.mean(np.sum(x**2, axis=1)))
    folds = list(_folds(x, frequencies, ridge, own_mean))
    people = np.concatenate([fold.squares / fold.spread for fold in folds])
    mean = x.mean(axis=0) @ vectors
    limits = [find_quantiles([fold for fold in folds if fold is not left_out]) for left_out in folds]
    clipped_squares, lost_squares, pulled_shares = measure_clipping(folds, limits)
    return Variation(
        axes=vectors.T @ basis,
        moments=moments,
        held_out=people.mean(axis=0),
        means=mean**2,
        clips=find_quantiles(folds),
        clipped=clipped_squares,
        lost=lost_squares,
        pulled=pulled_shares,
        people=len(public),
        lengths=np.concatenate([fold.lengths for fold in folds]),
        mean=mean,
        deviations=np.concatenate([fold.about for fold in folds]),
    )


def assume_prior(shapes, r, outline):
    """Return how shapes are taken to vary where nothing but p0 and r is public, so that a release can be planned.

    Deviations from p0 have the root mean square length TYPICAL r. A center of which nothing is known may be anybody's
    shape: it lies as far from the mean as one person, so that half of the squared deviations is where the mean lies,
    and half how people differ from it.

    Parameters
    ----------
    shapes : LandmarkShapes
        Deviations from the center p0.
    r : float
        Radius about it within which records count, radian.
    outline : bool
        Whether the landmarks follow a closed contour.

    Returns
    -------
    Variation
    """
    basis, frequencies = (contour_axes if outline else bending_axes)(shapes)
    falling = _falling(frequencies, FALL if outline else FALL_BENDING)
    order = np.argsort(-falling, kind="stable")
    moments = falling[order] * (TYPICAL * r) ** 2
    # Nobody is known whose lengths could give a quantile: the clip goes by the root mean square length.
    clips, no_effect = MARGIN * np.sqrt(np.cumsum(np.sqrt(moments))), np.zeros(len(moments))
    return Variation(
        axes=basis[order],
        moments=moments,
        held_out=moments / 2,
        means=moments / 2,
        clips=clips,
        clipped=no_effect,
        lost=no_effect,
        pulled=no_effect,
        people=np.inf,
        lengths=clips[None] / MARGIN,
        mean=no_effect,
        deviations=np.zeros((0, len(moments))),
    )


def _falling(frequencies, fall=FALL):
    """Return shares of the variance that fall with frequency and sum to 1."""
    weights = (1.0 + frequencies) ** -fall
    return weights / weights.sum()


def _moment(x, frequencies, ridge):
    """Return the axes by which shapes vary most and their moments, from few people: their second moment with a ridge.

    They are (eigenvalues of C, falling and none below FLOOR; eigenvectors as columns).
    """
    second = x.T @ x / len(x)
    c = (1 - ridge) * second + ridge * np.trace(second) * np.diag(_falling(frequencies))
    values, vectors = canonical.decompose(c)
    return np.maximum(values[::-1], FLOOR * values[-1]), vectors[:, ::-1]


def _folds(x, frequencies, ridge, own_mean):
    """Yield the `Fold`s: public people as seen from axes that the others give, as private people will be.

    own_mean : p0 is the public set's own mean, near which its people lie nearer than others do, and within what the
    others span: each is seen from the mean of the others.
    """
    for people_left_out, others in _leave_out(x):
        center = others.mean(axis=0) if own_mean else np.zeros(x.shape[1])
        moments, axes = _moment(others - center, frequencies, ridge)
        # From the mean of the others people lie a little farther than from the mean of all: the root takes that off.
        coordinates = (people_left_out - others.mean(axis=0)) @ axes / np.sqrt(1 + 1 / len(others))
        yield Fold(people_left_out - center, moments, axes, 1 + own_mean / len(others), coordinates)


def _leave_out(x):
    """Yield (people left out, the others) of each fold."""
    fold = np.arange(len(x)) % min(FOLDS, len(x))
    for number in np.unique(fold):
        yield x[fold == number], x[fold != number]


def _find_costs(x, frequencies):
    """Return what each of RIDGES costs, to choose it.

    Where the prior favours no axis every ridge leaves the second moment its eigenvectors, found once then. Their basis
    in a space of equal moments is left open, for a cost is the same in all.
    """
    if np.ptp(frequencies) > 0:
        return [_cost(_folds(x, frequencies, ridge, own_mean=False)) for ridge in RIDGES]
    spectra = [(left_out, *np.linalg.eigh(others.T @ others / len(others))) for left_out, others in _leave_out(x)]
    costs = []
    for ridge in RIDGES:
        folds = []
        for left_out, values, vectors in spectra:
            moments = (1 - ridge) * values + ridge * values.mean()
            folds.append(Fold(left_out, np.maximum(moments, FLOOR * moments[-1]), vectors, spread=1.0, about=None))
        costs.append(_cost(folds))
    return costs


def _cost(folds):
    """Return what a ridge costs: E||u||^2 sum sqrt(l_i) of people left out, by which clip and noise grow.

    People are seen about p0 itself: the mean of five others says less of how people vary.
    """
    return float(
        np.mean(np.concatenate([(fold.squares / fold.roots).sum(axis=1) * fold.roots.sum() for fold in folds]))
    )


# Length that a function must keep beside the slower ones to count as new.
INDEPENDENT = 1e-6


def plain_axes(shapes):
    """Return axes (dim, k d) in no order, and a frequency of 0 for each."""
    axes = canonical.null_space(shapes.fixed()).T
    return axes, np.zeros(len(axes))


def bending_axes(shapes):
    """Return axes (dim, k d) from those that bend p0 least to those that bend it most, for a prior that favours these.

    Their frequencies are returned, too: the fourth root of the thin-plate bending energy over the least one, as a
    wave's energy goes with its frequency's fourth power. The axes are Rohlf's (1993) principal warps, with the affine
    changes first, made orthogonal to what is no change of shape. Where two landmarks of p0 coincide no spline bends,
    and the axes are plain.
    """
    k, d = shapes.p0.shape
    try:
        energies, warps = canonical.decompose(bending_matrix(shapes.p0))
    except (ConfigError, np.linalg.LinAlgError):
        return plain_axes(shapes)
    energies = np.maximum(energies, 0.0)
    affine = d + 1
    least = energies[affine] if k > affine else 1.0
    if not least > 0:
        return plain_axes(shapes)
    frequencies = np.concatenate([np.ones(min(affine, k)), (energies[affine:] / least) ** 0.25])
    return _make_ordered_axes(shapes, zip(frequencies, warps.T, strict=True))


def contour_axes(shapes):
    """Return axes (dim, k d) along a closed contour, from slow to fast, in which outlines vary less and less.

    Their frequencies are returned, too. They are cosines and sines of the landmarks' number, x, y (, z) in turn, made
    orthogonal to what is no change of shape and to the slower ones.
    """
    turn, waves = 2 * np.pi * np.arange(len(shapes.p0)) / len(shapes.p0), []
    for f in range(1, len(turn) // 2 + 1):
        for wave in (np.cos(f * turn), np.sin(f * turn)):
            if np.linalg.norm(wave) > INDEPENDENT * len(turn):
                waves.append((f, wave / np.linalg.norm(wave)))
    return _make_ordered_axes(shapes, waves)


def _make_ordered_axes(shapes, waves):
    """Return orthonormal axes (dim, k d) of changes of shape from slow to fast waves, and their frequencies.

    waves : (frequency, wave (k,) over the landmarks) from slow to fast; each gives an axis in x, in y (and in z)
    """
    earlier_axes, frequencies = list(shapes.fixed()), []
    for f, wave in waves:
        for axis in np.eye(shapes.p0.shape[1]):
            remainder, earlier_array = np.outer(wave, axis).ravel(), np.array(earlier_axes)
            # Twice, for what rounding left the first time.
            for _ in range(2):
                remainder = remainder - earlier_array.T @ (earlier_array @ remainder)
            length = np.linalg.norm(remainder)
            if length > INDEPENDENT:
                earlier_axes.append(remainder / length)
                frequencies.append(f)
    return np.array(earlier_axes[-len(frequencies) :]), np.array(frequencies, dtype=float)


# What the forecast of a center without a public set stands on, by whether landmarks follow a contour.
PRIORS = {
    True: "waves along the contour, slow ones strongest",
    False: "directions that bend the center least strongest",
}


@dataclass(frozen=True)
class Fold:
    """People left out, and what the others say.

    x : (f, dim) their deviations from what the others say of p0; moments (q,), axes (dim, q) as columns, of the others
    spread : how much larger their squares are than about the mean of all there are
    about : (f, q) their coordinates about the mean of the others, as far as people lie from that of all
    """

    x: np.ndarray
    moments: np.ndarray
    axes: np.ndarray
    spread: float
    about: np.ndarray

    @property
    def roots(self):
        return np.sqrt(self.moments)

    @cached_property
    def coordinates(self):
        """Return coordinates (f, q) along the axes."""
        return self.x @ self.axes

    @property
    def squares(self):
        return self.coordinates**2

    @cached_property
    def lengths(self):
        """Return lengths (f, q) of u with the first 1, 2, ... axes."""
        return np.sqrt(np.cumsum(self.squares / self.roots, axis=1))


def find_quantiles(folds):
    """Return the bounds (q,) that people are clipped to with the first 1, 2, ... axes: QUANTILE of the folds' lengths.

    Over the other folds alone nobody has part in a bound on themselves.
    """
    return np.quantile(np.concatenate([fold.lengths for fold in folds]), QUANTILE, axis=0, method="higher")


def measure_clipping(folds, limits):
    """Return how much clipping makes a mean err, with the first 1, 2, ... axes, for the choice of axes and forecasts.

    Of a person whose share s of u is clipped, a step of the mean keeps 1 - s, and nothing along u itself.

    Parameters
    ----------
    folds : list of Fold
        People left out.
    limits : list of (q,) arrays
        Bound on ||u|| for the first 1, 2, ... axes, a fold.

    Returns
    -------
    clipped, lost, pulled : (q,) arrays
        How far it moves the mean, squared, less what chance adds; what one person loses, squared; by which share a mean
        that lies elsewhere is pulled back.
    """
    count, people = folds[0].axes.shape[1], sum(len(fold.x) for fold in folds)
    mean_shift, lost_squares, pulled_shares = 0.0, np.zeros(count), np.zeros(count)
    for fold, bound in zip(folds, limits, strict=True):
        share = 1 - np.minimum(1.0, bound / np.maximum(fold.lengths, np.finfo(float).tiny))
        lost_squares += (share**2 * np.cumsum(fold.squares, axis=1)).sum(axis=0)
        pulled_shares += (share + (share > 0) * (1 - share) / np.arange(1, count + 1)).sum(axis=0)
        is_among_first = np.tril(np.ones((count, fold.axes.shape[1]), bool))
        mean_shift = mean_shift + ((share.T @ fold.coordinates) * is_among_first) @ fold.axes.T
    systematic = (mean_shift**2).sum(axis=1) / people**2 - lost_squares / people**2
    return np.maximum(systematic, 0.0), lost_squares / people, pulled_shares / people


# How far the cohort's mean may lie from p0, as a share of how far people do: a public guess.
SHIFT = 0.25
# By this share two moments may differ through rounding.
EQUAL = 1e-9
# Records.
MOST = 10_000_000


@dataclass(frozen=True)
class ShapePlan:
    """What is released of a mean shape, and how much it is expected to err.

    axes : how many are released; clip : tau; noise, bias : expected squares, radian²
    unlike : how much more the bias is where the mean lies SHIFT away; center : expected square of p0 alone
    sampling : that of the cohort's mean, which no release betters
    factors : (axes,) by which the coordinates are shrunk, None for none
    """

    axes: int
    clip: float
    noise: float
    bias: float
    unlike: float
    center: float
    sampling: float
    factors: np.ndarray | None = None

    @property
    def error(self):
        """Return the expected distance to the cohort's mean, in radian."""
        return float(np.sqrt(self.noise + self.bias))

    @property
    def center_error(self):
        """Return that distance of the public center, with no data at all."""
        return float(np.sqrt(self.center))

    @property
    def worth_it(self):
        """Return whether the release is expected to be nearer than p0, which costs nothing."""
        return self.error < self.center_error


def gaussian(variation, n, mu, extra_numbers=0):
    """Return (q,) the squared noise to expect of a Gaussian release with the first 1, 2, ... axes, to choose them.

    Parameters
    ----------
    variation : Variation
        How public shapes vary.
    n : int
        Shapes in the cohort.
    mu : float
        Of the mean.
    extra_numbers : int
        How many numbers are released beside the axes: the noise of each is its own, whatever their count.
    """
    del extra_numbers
    return (2 * variation.clips / (n * mu)) ** 2 * np.cumsum(np.sqrt(variation.moments))


def pure(variation, n, epsilon, extra_numbers=0):
    """Return (q,) the squared noise to expect of a pure, K-norm release with the first 1, 2, ... axes, to choose them.

    Parameters
    ----------
    variation : Variation
        How public shapes vary.
    n : int
        Shapes in the cohort.
    epsilon : float
        Of the mean.
    extra_numbers : int
        How many numbers are released beside the axes: with each the noise of all is longer.
    """
    return (np.arange(len(variation.clips)) + 2 + extra_numbers) * gaussian(variation, n, epsilon)


def choose(variation, n, noise, budget, shrinks=False):
    """Return the plan of a mean shape with the least expected error: how many axes, which clip, how much shrunk.

    It is of those that beat p0 itself, if any does.

    Parameters
    ----------
    variation : Variation
        How public shapes vary.
    n : int
        Shapes in the cohort.
    noise : callable
        `gaussian` or `pure`.
    budget : float
        mu or epsilon.
    shrinks : bool
        Whether what it releases is shrunk towards p0.
    """
    noises, held_out, pull = noise(variation, n, budget), variation.held_out, variation.pull(n, False)[0]
    center = float(pull.sum())
    clipping = variation.clipped + variation.lost / n + variation.pulled**2 * np.cumsum(pull)
    biases = np.maximum(center - np.cumsum(pull), 0.0) + clipping
    unreleased_squares = np.maximum(held_out.sum() - np.cumsum(held_out), 0.0)
    unlike_squares = SHIFT**2 * (unreleased_squares + variation.pulled**2 * np.cumsum(held_out))
    is_better = (noises + biases < center) & _ends(variation.moments)
    expected_squares = noises + biases + unlike_squares
    best = int(
        np.argmin(np.where(is_better if is_better.any() else _ends(variation.moments), expected_squares, np.inf))
    )
    plain = ShapePlan(
        axes=best + 1,
        clip=float(variation.clips[best]),
        noise=float(noises[best]),
        bias=float(biases[best]),
        unlike=float(unlike_squares[best]),
        center=center,
        sampling=float(held_out.sum() / n),
    )
    return _shrink_plan(plain, variation, n) if shrinks else plain


def _ends(moments):
    """Return (q,) where a cut parts no equal moments: between these every choice would be arbitrary."""
    return np.append(moments[1:] < moments[:-1] * (1 - EQUAL), True)


def _shrink_plan(plain, variation, n):
    """Return the plan of a mean shape with less error: each noised coordinate is shrunk towards the public center.

    The factors, 1 at most, make the expected error least. They come on top of what clipping takes; the plan's noise and
    bias are those after them.

    Parameters
    ----------
    plain : ShapePlan
        The plan without factors.
    variation : Variation
        How public shapes vary.
    n : int
        Shapes in the cohort.
    """
    released_axes, pulled_share = slice(plain.axes), variation.pulled[plain.axes - 1]
    roots, pull = np.sqrt(variation.moments[released_axes]), variation.pull(n, False)[0][released_axes]
    noises, shift = plain.noise * roots / roots.sum(), SHIFT**2 * variation.held_out[released_axes]
    factors = (pull + shift) / (pull + shift + noises)
    lost_shares = (1 - factors * (1 - pulled_share)) ** 2 - pulled_share**2
    return replace(
        plain,
        factors=factors,
        noise=float(factors**2 @ noises),
        bias=plain.bias + float(lost_shares @ pull),
        unlike=plain.unlike + float(lost_shares @ shift),
    )


def forecast_missing_squares(variation, choice, n, excess=0.0):
    """Return the squared error along every axis that a release is expected to make beside noise, for what it states.

    It is of n shapes like the public ones. Unreleased axes stay at p0 and miss the mean's own coordinate. The clip and
    the shrinkage take some of the others.

    Parameters
    ----------
    variation : Variation
        How public shapes vary, along dim axes.
    choice : ShapePlan
        What is released.
    n : int
        Shapes in the cohort, however many the axes were planned for.
    excess : float
        How many times chance the mean is taken to lie off beyond it along unreleased axes.

    Returns
    -------
    (dim,) array
        Squares in radian^2; their sum is what the release errs by besides noise.
    """
    pull, people_squares, last = variation.pull(n, False)[0], variation.held_out, choice.axes - 1
    is_released = np.arange(len(pull)) <= last
    pulled_share = variation.pulled[last]
    # what the clip takes is spread over the released axes as people are
    clipped_square = variation.clipped[last] + variation.lost[last] / n + pulled_share**2 * pull[is_released].sum()
    clipped_by_axis = clipped_square * people_squares / max(people_squares[is_released].sum(), 1e-300)
    missing_by_axis = np.where(is_released, clipped_by_axis, (1 + excess) * pull)
    if choice.factors is not None:
        kept_shares = choice.factors * (1 - pulled_share)
        missing_by_axis[is_released] += np.maximum((1 - kept_shares) ** 2 - pulled_share**2, 0.0) * pull[is_released]
    return missing_by_axis


def find_least_records(variation, noise, budget, shrinks=False):
    """Return from how many records on a release is better than the public center, to tell who has too few.

    None where no number below MOST is enough.

    Parameters
    ----------
    variation : Variation
        How public shapes vary.
    noise : callable
        `gaussian` or `pure`.
    budget : float
        mu or epsilon.
    shrinks : bool
        Whether the release is shrunk towards p0.
    """
    return find_least_count(lambda n: choose(variation, n, noise, budget, shrinks).worth_it)


def find_least_count(enough, most=MOST):
    """Return the least number of people n > 1 from which on enough(n) holds, for advice on how many a release takes.

    It is None where it does not hold at any 2^k up to `most`.

    Parameters
    ----------
    enough : callable
        n -> bool, true for all n beyond one for which it is true.
    most : int
        Up to which n is tried.
    """
    low, high = 1, 2
    while not enough(high):
        low, high = high, 2 * high
        if high > most:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
