"""Effects of covariates on coordinates, by noised moments, with what privacy and sampling leave uncertain.

docs/mathematics.md, (12.3) to (12.6). A public floor of its eigenvalues makes M2 positive definite.
"""

from dataclasses import dataclass, replace

import numpy as np
import scipy

from shapedp.privacy.learned import likely_shares
from shapedp.privacy.learned.face_variation import UnreleasedPart

# Times chance, that an effect may be on a part of the axes: the 26 numbers c of (12.5).
LARGE = np.geomspace(1, 1e5, 26)
# Times that, along each axis for itself, and how often: an effect goes along few axes of a block.
UNEVEN, UNEVENLY = np.array([0.1, 1, 10]), np.array([0.25, 0.5, 0.25])
# Times the expected square of an effect's error that is stated: along some axes an effect is larger than people's
# variance says, and there it errs by more.
CARE = 1.15
# Of what is put back of an effect is what it may err by: public people stand for these.
DOUBT = 0.3
# Of people's variance that an effect accounts for, before anything is seen of it: a public guess of its mean, by which
# errors of effects of none to twice as much as simulated people have were stated as they are; of the sizes around it,
# times that, what is tried; and how many sizes, as likely as each other, stand for all that are likely.
SMALL, TIMES, LIKELY = 0.005, np.geomspace(1e-3, 1e3, 49), 8
# Share of the chance in an effect that is taken off it like noise: what is wanted holds of all people.
BY_CHANCE = 0.5
# Turns in which the sizes of effects are found; the largest share that counts as less than all.
TURNS, ALL = 5, 1 - 1e-9


@dataclass(frozen=True)
class Effects:
    """coefficients B (1 + p, q); average (1 + p,) of z; inverse of M2 (1 + p, 1 + p); s1, s2 noise on entries of M1,
    M2; residual (q, q) covariance of people about the effects; raw (q', q') of the leading coordinates as it was
    released, eigenvalues below 0 and all: on average it is true, where what is made positive is too large; drawn
    (1 + p, q) B before any noise was taken off; left (1 + p, 1 + p, q) : covariances in each coordinate of what is left
    of the noise on M1, in the mean of everybody (0) and in the effects, as `noise_parts` has them; likely (p, p, q) :
    covariances of what effects are expected to err by, noise and chance together; kept (p, p, q) : how much of the
    chance and of the noise on M2 in the drawn effects (second) is still in the effects (first); by_second (r, 1 + p, q)
    : uncorrelated moves by which what is left of the noise on M2 moves the mean of everybody (0) and the effects; these
    three None where no noise was taken off; unreleased : UnreleasedPart of the mean of everybody, where that is known
    """

    coefficients: np.ndarray
    average: np.ndarray
    inverse: np.ndarray
    s1: float
    s2: float
    residual: np.ndarray
    raw: np.ndarray
    drawn: np.ndarray
    left: np.ndarray
    likely: np.ndarray | None = None
    kept: np.ndarray | None = None
    by_second: np.ndarray | None = None
    unreleased: UnreleasedPart | None = None


def noise_parts(average, inverse, s1):
    """Return the covariance H (1 + p, 1 + p) that the release's noise gives to everybody's mean (0) and to each effect.

    Readers of a model compute from it how far noise may have moved the mean at covariates z: its variance in each
    coordinate is a'Ha, where a = `weigh_mean_and_effects`(z, average); that is s1^2 |M2^-1 z|^2.

    Parameters
    ----------
    average : (1 + p,) array
        The mean of everybody's covariates z, of which the first is 1.
    inverse : (1 + p, 1 + p) array
        The inverse of M2, the noised second moments of z.
    s1 : float
        Standard deviation of the noise on entries of M1, the moments of z with the coordinates.
    """
    root = _turn_to_mean(average) @ inverse
    return s1**2 * (root @ root.T)


def weigh_mean_and_effects(contrast, average):
    """Return weights (1 + p,) by which the mean of everybody and the effects add up to the mean at z.

    By them the errors of these, which the release knows, become the error of the mean at z.

    Parameters
    ----------
    contrast : (1 + p,) array
        z = (1, covariates), or a difference of two.
    average : (1 + p,) array
        The average of z over everybody.
    """
    return np.concatenate([contrast[:1], contrast[1:] - contrast[0] * average[1:]])


def quadratic(g, s2):
    """Return Q (1 + p, 1 + p), what noise on the covariates' moments adds to the error of a mean or an effect: (12.3).

    Errors that readers of a model and its comparisons state count it. Noise E on the moments M2 moves a contrast g'B of
    effects B by g'E B, whose covariance is B'QB.

    Parameters
    ----------
    g : (1 + p,) array
        M2^-1 times a contrast.
    s2 : float
        Standard deviation of the noise on entries of M2.
    """
    q = s2**2 / 2 * (g @ g * np.eye(len(g)) + np.outer(g, g))
    q[0, 0] -= s2**2 * g[0] ** 2
    return q


def fit_effects(m1, m2, m3, noise, n, public_variances):
    """Return Effects, how covariates such as age move people's shapes, by regression from a release's noised moments.

    Parameters
    ----------
    m1, m2, m3 : (1 + p, q), (1 + p, 1 + p), (q', q') float
        The noised moments.
    noise : (3,) float
        Standard deviations on their entries.
    n : int
        People.
    public_variances : (q,) float
        Of coordinates in the public set, for those that M3 does not cover.
    """
    s2 = noise[1] if np.isfinite(noise[1]) else 0.0
    # Noise may leave M2 eigenvalues near 0, by which effects would be divided; a public floor stands for these.
    values, vectors = np.linalg.eigh(m2)
    inverse = (vectors / np.maximum(values, least_moment(s2, len(m2), n))) @ vectors.T
    b = inverse @ m1
    leading = len(m3)
    raw = (m3 - b[:, :leading].T @ m2 @ b[:, :leading]) / n
    values, vectors = np.linalg.eigh(raw)
    residual = np.diag(np.asarray(public_variances, dtype=float))
    residual[:leading, :leading] = (vectors * np.maximum(values, 0)) @ vectors.T
    # The square of noised effects takes off more than the effects account for: on average by this.
    raw = raw + noise[0] ** 2 * np.trace(inverse) / n * np.eye(leading)
    average, s1 = m2[0] / n, float(noise[0])
    left = np.tile(noise_parts(average, inverse, s1)[:, :, None], b.shape[1])
    return Effects(b, average, inverse, s1, float(s2), residual, raw, b, left)


def take_off_noise(fitted, spread, parts):
    """Return the Effects to publish, shrunk so that noise and chance are not taken for effects of covariates.

    Noise and chance are taken off all effects together, as far as these do not say that they are large themselves. What
    is wanted of effects holds of all people, so that BY_CHANCE of their chance, spread M2^-1, is taken off like noise.
    Errors of effects of covariates that go together are nearly opposite, and what is kept of one depends on how large
    the others are. The mean of everybody stays. The parameters are as of `shrink_effects`. See docs/mathematics.md,
    (12.5).
    """
    b, shrunk = fitted.drawn.copy(), shrink_effects(fitted, spread, parts)
    b[1:] = shrunk.effects
    b[0] = fitted.average @ fitted.drawn - fitted.average[1:] @ b[1:]
    # Readers add the noise on M2 that is kept, and chance, by how far the release says that these people differ. What
    # is left of all that is stated of people who differ as public ones do counts as noise.
    by_second = shrunk.chance + by_second_moment(fitted.inverse[1:], b, fitted.s2)
    elsewhere = shrunk.kept @ by_second @ shrunk.kept.transpose(0, 2, 1)
    noise_left = _find_noise_left(shrunk.by_m1, shrunk.shrinkage, CARE * shrunk.errors - elsewhere)
    likely, kept = (np.moveaxis(part, 0, -1) for part in (shrunk.errors, shrunk.kept))
    by_second = _keep(_move_by_second_moment(fitted, b), kept)
    return replace(fitted, coefficients=b, left=noise_left, likely=likely, kept=kept, by_second=by_second)


@dataclass(frozen=True)
class ShrunkEffects:
    """effects (p, q); of each coordinate (q, p, p): by what they were shrunk, covariances of what they are expected to
    err by, how much of what was seen to err they keep, and covariances of chance; by_m1 as `noise_parts` has it
    """

    effects: np.ndarray
    shrinkage: np.ndarray
    errors: np.ndarray
    kept: np.ndarray
    chance: np.ndarray
    by_m1: np.ndarray


def shrink_effects(fitted, spread, parts, center=0.0, by_chance=BY_CHANCE):
    """Return the ShrunkEffects for `take_off_noise`, and for tables, which know more of an effect beforehand.

    Parameters
    ----------
    fitted : Effects
        As they were drawn.
    spread : (q,) float
        Public variances of people's coordinates.
    parts : list of (k,) int
        `likely_shares.group_axes`, along which effects may be large alike.
    center : (p, q) float or 0
        Public effects that they are shrunk towards.
    by_chance : float
        Share of the chance in an effect that is taken off it like noise.
    """
    of_effects, by_m1 = fitted.inverse[1:, 1:], noise_parts(fitted.average, fitted.inverse, fitted.s1)
    chance = spread[:, None, None] * of_effects
    moments = fitted.inverse[1:], fitted.drawn, fitted.s2
    # Noise makes effects look larger, and with them what the noise on M2 does to them. Shrinkage counts that in full:
    # of small effects it then keeps less, which errs less. What is stated does not count it.
    likely_second = by_noised_effects(*moments, fitted.s1 * fitted.inverse)
    errors, likely_errors = (chance + by_m1[1:, 1:] + second for second in (by_second_moment(*moments), likely_second))
    unit = spread[:, None] / np.diag(np.linalg.inv(of_effects))
    about = replace(fitted, drawn=np.concatenate([fitted.drawn[:1], fitted.drawn[1:] - center]))
    sizes = _diagonal(_estimate_sizes(about.drawn[1:].T, errors, unit, parts))
    shrinkage = (sizes + (1 - by_chance) * chance) @ np.linalg.inv(sizes + errors)
    effects = center + np.einsum("qkl,lq->kq", shrinkage, about.drawn[1:])
    expected_errors, kept = _find_expected_errors(about, likely_errors, spread, shrinkage)
    return ShrunkEffects(effects, shrinkage, expected_errors, kept, chance, by_m1)


def by_second_moment(g, b, s2):
    """Return (q, c, c) what the noise on M2 adds to the errors of contrasts of effects, which must be stated: (12.3).

    It is of each coordinate by itself.

    Parameters
    ----------
    g : (c, 1 + p) float
        M2^-1 times each contrast.
    b : (1 + p, q) float
        The effects.
    s2 : float
        Standard deviation of the noise on entries of M2.
    """
    along, first = (g @ b).T, np.outer(g[:, 0], g[:, 0])
    squares, of_first = np.sum(b**2, axis=0)[:, None, None], b[0][:, None, None] ** 2
    return s2**2 / 2 * (squares * (g @ g.T) + along[:, :, None] * along[:, None]) - s2**2 * of_first * first


def by_noised_effects(g, b, s2, root, lengths=1.0):
    """Return (q, c, c) what the noise on M2 adds to the errors of contrasts, when the effects are noised themselves.

    It grows with the squares of the effects, to which their own noise adds. That is taken off, so that the sum over the
    coordinates is right on average; what is less than nothing along one of them counts as nothing.

    Parameters
    ----------
    g : (c, 1 + p) array
        M2^-1 times each contrast.
    b : (1 + p, q) array
        Coefficients as they were drawn.
    s2 : float
        Standard deviation of the noise on entries of M2.
    root : (1 + p, r) array
        Whose product with itself is the covariance of the noise on coefficients of a coordinate of length 1.
    lengths : (q,) array, optional
        Of the coordinates.
    """
    as_drawn, lengths = by_second_moment(g, b, s2), np.broadcast_to(lengths, b.shape[1])
    added = sum(by_second_moment(g, np.outer(column, lengths), s2) for column in root.T)
    drawn_traces, added_traces = (np.trace(part, axis1=1, axis2=2) for part in (as_drawn, added))
    kept = keep_sum(drawn_traces - added_traces)
    shares = np.divide(kept, drawn_traces, out=np.zeros_like(kept), where=drawn_traces > 0)
    return as_drawn * shares[:, None, None]


def keep_sum(values):
    """Return (q,) noised variances with those below 0 as 0, the others smaller by as much: their sum keeps its mean.

    `by_noised_effects` has them by taking off what noise adds. A sum below 0 becomes 0.
    """
    positive = np.maximum(values, 0.0)
    whole = float(positive.sum())
    return positive * (max(float(values.sum()), 0.0) / whole) if whole > 0 else positive


def _estimate_sizes(effects, errors, unit, parts):
    """Return (q, p) how large each effect likely is along each axis, variances by which `shrink_effects` shrinks it.

    What is seen of an effect follows from all of them by generalised least squares, the others being as large as they
    are likely to be; at first they may be as large as any.

    Parameters
    ----------
    effects : (q, p) float
        As seen.
    errors : (q, p, p) float
        Their covariances.
    unit : (q, p) float
        The least variance to be expected.
    parts : list of (k,) int
        As `shrink_effects` has them.
    """
    sizes = LARGE[-1] * unit
    for _ in range(TURNS):
        for k in range(effects.shape[1]):
            estimate, noise = _see_alone(effects, errors, sizes, k)
            size_grid = unit[:, k] * LARGE[:, None, None] * UNEVEN[:, None]
            shares, _ = likely_shares.find_likely_shares(estimate, size_grid, noise, parts, UNEVENLY)
            sizes[:, k] = noise * shares / (1 - np.minimum(shares, ALL))
    return sizes


def _see_alone(effects, errors, sizes, k):
    """Return what is seen of effect k along each axis (q,), and its variance, by generalised least squares.

    Sizes are estimated by it one effect after the other: the others are as large as `sizes` (q, p) says.
    """
    weights = np.linalg.inv(errors + _diagonal(sizes * (np.arange(effects.shape[1]) != k)))[:, k]
    noise = 1 / weights[:, k]
    return np.sum(weights * effects, axis=1) * noise, noise


def _list_likely_sizes(fitted, errors, spread):
    """Return (LIKELY, q, p) squares that effects likely have, by which `shrink_effects` tells how far shrunk ones err.

    They never decide how far to shrink. Along each axis as much is expected as people's variance, spread (q,), says.
    How much it is in all follows from what is seen, which errs by errors (q, p, p). Beforehand SMALL of people's
    variance is expected, and r times that as often as (1 + r)^-3: most effects are smaller, a few many times as large,
    so that what is seen of these is believed.
    """
    effects, people = fitted.drawn[1:].T, np.linalg.inv(fitted.inverse)[0, 0]
    means = SMALL * people * np.diag(fitted.inverse)[1:]
    # the grid is even in the logarithm
    beforehand = np.log(TIMES) - 3 * np.log1p(TIMES)
    expected, likely = means * spread[:, None], np.empty((LIKELY, *effects.shape))
    for _ in range(TURNS):
        for k, mean in enumerate(means):
            estimate, noise = _see_alone(effects, errors, expected, k)
            variances = mean * TIMES[:, None] * spread + noise
            posterior = scipy.special.softmax(
                beforehand - np.sum(np.log(variances) + estimate**2 / variances, axis=1) / 2
            )
            times = np.interp((np.arange(LIKELY) + 0.5) / LIKELY, np.cumsum(posterior) - posterior / 2, TIMES)
            expected[:, k], likely[:, :, k] = mean * (posterior @ TIMES) * spread, mean * times[:, None] * spread
    return likely


def _find_expected_errors(fitted, errors, spread, shrinkage):
    """Return covariances by which shrunk effects err, that `shrink_effects` states, and what they keep of seen errors.

    How much was kept of an effect depends on how large it was seen, so that errors are those of effects that were seen
    so: what remains open of effects of a size, and how far the likeliest of this size lie from those that are
    published, on average over the sizes that are likely. What remains open holds as much of what was seen to err as the
    likeliest effects keep of it.

    Parameters
    ----------
    fitted : Effects
        As they were drawn.
    errors : (q, p, p) array
        Their covariances.
    spread : (q,) array
        Public variances of people's coordinates.
    shrinkage : (q, p, p) array
        By which effects are published.

    Returns
    -------
    expected, kept : (q, p, p) float
    """
    expected, kept = [], []
    for size in _list_likely_sizes(fitted, errors, spread):
        sizes = _diagonal(size)
        likeliest = sizes @ np.linalg.inv(sizes + errors)
        away = np.einsum("qkl,lq->qk", likeliest - shrinkage, fitted.drawn[1:])
        expected.append(sizes - likeliest @ sizes + away[:, :, None] * away[:, None])
        kept.append(likeliest)
    return np.mean(expected, axis=0), np.mean(kept, axis=0)


def _find_noise_left(by_m1, kept, effects_noise):
    """Return (1 + p, 1 + p, q) what `take_off_noise` states of noise in the overall mean and in the effects.

    It is a covariance: the error that a release states for any covariates beside what is counted elsewhere, by chance
    and by noise on M2. Of effects, after these were shrunk by `kept` (q, p, p), it is effects_noise (q, p, p), and
    never smaller than what the noise of the overall mean, which is not shrunk, implies.
    """
    with_mean = kept @ by_m1[1:, 0]
    shared = with_mean[:, :, None] * with_mean[:, None] / max(by_m1[0, 0], np.finfo(float).tiny)
    values, vectors = np.linalg.eigh((effects_noise + effects_noise.transpose(0, 2, 1)) / 2 - shared)
    effects_alone = (vectors * np.maximum(values, 0)[:, None]) @ vectors.transpose(0, 2, 1)
    noise_left = np.tile(by_m1[:, :, None], len(kept))
    noise_left[1:, 0] = noise_left[0, 1:] = with_mean.T
    noise_left[1:, 1:] = np.moveaxis(effects_alone + shared, 0, -1)
    return noise_left


def _diagonal(sizes):
    """Return (q, p, p) with the rows of sizes (q, p) on the diagonals."""
    return sizes[:, :, None] * np.eye(sizes.shape[1])


def with_mean(fitted, moved, errors):
    """Return the same Effects with everybody's mean moved back by what the clip took from it, as a model releases them.

    Parameters
    ----------
    fitted : Effects
        As the clip left them.
    moved : (q,) array
        By how much the mean is moved.
    errors : (q,) array
        By how much it errs then.
    """
    b, drawn, left = fitted.coefficients.copy(), fitted.drawn.copy(), fitted.left.copy()
    b[0] += moved
    drawn[0] += moved
    left[0, 0] = np.maximum(left[0, 0], errors**2)
    return replace(fitted, coefficients=b, drawn=drawn, left=left)


def with_effects_put_back(fitted, shares_left):
    """Return the same Effects of all people, where a clip left so much of each: a release shows them as long as before.

    The mean of everybody stays. Errors grow with the effects, and DOUBT of what is put back is one.

    Parameters
    ----------
    fitted : Effects
        As the clip left them.
    shares_left : (p,) array
        Of each effect's length.
    """
    b, left, times = fitted.coefficients.copy(), fitted.left.copy(), np.append(1.0, 1 / shares_left)
    b[1:] *= times[1:, None]
    b[0] = fitted.average @ fitted.coefficients - fitted.average[1:] @ b[1:]
    doubts = DOUBT * (1 - shares_left)[:, None] * b[1:]
    doubt_squares, grown = doubts[:, None] * doubts, np.outer(times, times)
    left *= grown[:, :, None]
    left[1:, 1:] += doubt_squares
    likely, kept = grown[1:, 1:, None] * fitted.likely + doubt_squares, times[1:, None, None] * fitted.kept
    by_second = times[:, None] * fitted.by_second
    return replace(fitted, coefficients=b, left=left, likely=likely, kept=kept, by_second=by_second)


def find_chance_kept(fitted):
    """Return (r, 1 + p, q) moves of everybody's mean (0) and of the effects, that state the chance in who takes part.

    Moves are uncorrelated, and their products add up to its covariance: that of least squares, all of it in everybody's
    mean, and in the effects what is kept of it.

    Parameters
    ----------
    fitted : Effects
        Noise taken off.
    """
    values, vectors = np.linalg.eigh(fitted.residual)
    people = np.sqrt(np.maximum(values, 0))[:, None] * vectors.T
    to_mean = _turn_to_mean(fitted.average)
    root = np.linalg.cholesky(to_mean @ fitted.inverse @ to_mean.T)
    moves = (root.T[:, None, :, None] * people[None, :, None, :]).reshape(-1, *fitted.drawn.shape)
    return _keep(moves, fitted.kept)


def _move_by_second_moment(fitted, b):
    """Return (r, 1 + p, q) moves of everybody's mean (0) and of effects b by noise on M2, for `take_off_noise` to keep.

    As of `find_chance_kept`, one move for each entry of the symmetric noise E, which moves b by M2^-1 E b: (12.3).
    """
    count, moves = len(fitted.average), []
    for row, column in zip(*np.triu_indices(count), strict=True):
        if column:
            noise = np.zeros((count, count))
            noise[row, column] = noise[column, row] = fitted.s2 / (1.0 if row == column else np.sqrt(2))
            moves.append(_turn_to_mean(fitted.average) @ fitted.inverse @ noise @ b)
    return np.reshape(moves, (-1, *b.shape))


def _turn_to_mean(average):
    """Return T (1 + p, 1 + p) of (12.6), by which coefficients become everybody's mean and effects, as releases do."""
    return np.concatenate([[average], np.eye(len(average))[1:]])


def _keep(moves, kept):
    """Return moves (r, 1 + p, q) of which each effect keeps what `kept` (p, p, q) of its release says."""
    return np.concatenate([moves[:, :1], np.einsum("klq,rlq->rkq", kept, moves[:, 1:])], axis=1)


def least_moment(s2, count, n):
    """Return the least eigenvalue that M2 is taken to have, so that noise cannot make effects divide by 0; public.

    It is what noise on the entries of M2 reaches.

    Parameters
    ----------
    s2 : float
        Standard deviation of the noise on entries of M2.
    count : int
        Its rows.
    n : int
        People.
    """
    return max(s2 * np.sqrt(count), 1e-6 * n)
