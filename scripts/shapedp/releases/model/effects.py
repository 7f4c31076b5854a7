"""Effects of covariates on coordinates, by noised moments, with what privacy and sampling leave uncertain.

docs/mathematics.md, (12.3) to (12.6). A public floor of its eigenvalues makes M2 positive definite.
"""

from dataclasses import dataclass, replace

import numpy as np
import scipy

from shapedp.privacy.learned import likely_shares

# Times chance, that an effect may be on a part of the axes: the 26 numbers c of (12.5).
LARGE = np.geomspace(1, 1e5, 26)
# Times that, along each axis for itself, and how often: an effect goes along few axes of a block.
UNEVEN, UNEVENLY = np.array([0.1, 1, 10]), np.array([0.25, 0.5, 0.25])
# Standard deviations of what is kept of an effect, that are stated as error on top.
CAREFULLY = 0.25
# Times the expected square of an effect's error, at most, that care makes it.
MOST_CARE = 1.25
# Of what is put back of an effect is what it may err by: public people stand for these.
DOUBT = 0.3
# Of people's variance that an effect accounts for, before anything is seen of it: a public guess, by which some 95 % of
# the intervals at levels held in releases of simulated people.
SMALL = 0.004
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
    covariances of what effects are expected to err by, noise and chance together, None where no noise was taken off
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
    root = np.concatenate([[average], np.eye(len(average))[1:]]) @ inverse
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
    the others are. The mean of everybody stays. See docs/mathematics.md, (12.5).

    Parameters
    ----------
    fitted : Effects
        As they were drawn.
    spread : (q,) float
        Public variances of people's coordinates.
    parts : list of (k,) int
        `noised_means.alike`, along which effects may be large alike.
    """
    of_effects, by_m1 = fitted.inverse[1:, 1:], noise_parts(fitted.average, fitted.inverse, fitted.s1)
    chance = spread[:, None, None] * of_effects
    moments = fitted.inverse[1:], fitted.drawn, fitted.s2
    # Noise makes effects look larger, and with them what the noise on M2 does to them. Shrinkage counts that in full:
    # of small effects it then keeps less, which errs less. What is stated does not count it.
    likely_second = by_noised_effects(*moments, fitted.s1 * fitted.inverse)
    errors, likely_errors = (chance + by_m1[1:, 1:] + second for second in (by_second_moment(*moments), likely_second))
    unit = spread[:, None] / np.diag(np.linalg.inv(of_effects))
    sizes, largest = map(_diagonal, _estimate_sizes(fitted.drawn[1:].T, errors, unit, parts))
    shrinkage, careful_shrinkage = (
        (size + (1 - BY_CHANCE) * chance) @ np.linalg.inv(size + errors) for size in (sizes, largest)
    )
    expected_errors = _find_expected_errors(fitted, likely_errors, spread, shrinkage)
    b = fitted.drawn.copy()
    b[1:] = np.einsum("qkl,lq->kq", shrinkage, fitted.drawn[1:])
    b[0] = fitted.average @ fitted.drawn - fitted.average[1:] @ b[1:]
    elsewhere = chance + likely_second
    careful = careful_shrinkage @ by_m1[1:, 1:] - (2 - BY_CHANCE) * (chance - careful_shrinkage @ chance)
    stated = _limit_care(careful + elsewhere, expected_errors)
    noise_left = _find_noise_left(by_m1, careful_shrinkage, stated - elsewhere)
    return replace(fitted, coefficients=b, left=noise_left, likely=np.moveaxis(expected_errors, 0, -1))


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
    """Return how large each effect likely is along each axis, by which `take_off_noise` shrinks it, and the largest.

    Both are variances; by the second one the noise left is stated with care. What is seen of an effect follows from all
    of them by generalised least squares, the others being as large as they are likely to be; at first they may be as
    large as any.

    Parameters
    ----------
    effects : (q, p) float
        As seen.
    errors : (q, p, p) float
        Their covariances.
    unit : (q, p) float
        The least variance to be expected.

    Returns
    -------
    sizes, careful : (q, p) float
    """
    sizes, careful = LARGE[-1] * unit, np.empty_like(unit)
    for _ in range(TURNS):
        for k in range(effects.shape[1]):
            others = sizes * (np.arange(effects.shape[1]) != k)
            weights = np.linalg.inv(errors + _diagonal(others))[:, k]
            noise = 1 / weights[:, k]
            estimate = np.sum(weights * effects, axis=1) * noise
            size_grid = unit[:, k] * LARGE[:, None, None] * UNEVEN[:, None]
            shares, doubt = likely_shares.find_likely_shares(estimate, size_grid, noise, parts, UNEVENLY)
            careful_shares = likely_shares.find_error_shares(shares, doubt, estimate / np.sqrt(noise), CAREFULLY)
            sizes[:, k], careful[:, k] = (
                noise * share / (1 - np.minimum(share, ALL)) for share in (shares, careful_shares)
            )
    return sizes, careful


def _expected_sizes(fitted, errors, spread):
    """Return (q, p) expected squares of effects, by which `take_off_noise` tells how far shrunk effects err.

    They never decide how far to shrink. Along each axis as much is expected as people's variance says. The sum over the
    axes is known as b'b less its errors (q, p, p), with their chance; beforehand it is expected to account for SMALL of
    people's variance, spread (q,), and any size below is likelier than any above (an exponential law).
    """
    of_effects, error_variances = fitted.drawn[1:].T, np.einsum("qkk->qk", errors)
    people = np.linalg.inv(fitted.inverse)[0, 0]
    prior = SMALL * people * np.diag(fitted.inverse)[1:]
    # A square varies with the noise on it and with the effect's own direction: an axis tells as much of the size as
    # people's variance stands above both, so that the many axes with hardly any do not drown what the others say.
    variances = error_variances + prior * spread[:, None]
    weights = spread[:, None] / variances**2
    in_all = np.sum(weights * spread[:, None], axis=0)
    ratio = np.sum(weights * (of_effects**2 - error_variances), axis=0) / in_all
    chance = np.sqrt(2 * np.sum((weights * variances) ** 2, axis=0)) / in_all
    standardised = ratio / chance - chance / prior
    tail = scipy.special.log_ndtr(standardised) + standardised**2 / 2
    return spread[:, None] * chance * (standardised + np.exp(-tail) / np.sqrt(2 * np.pi))


def _find_expected_errors(fitted, errors, spread, shrinkage):
    """Return covariances (q, p, p) by which shrunk effects err, that `take_off_noise` states of what it publishes.

    How much was kept of an effect depends on how large it was seen, so that errors are those of effects that were seen
    so: what remains open of effects of the size expected, and how far the likeliest lie from those that are published.

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
    """
    sizes = _diagonal(_expected_sizes(fitted, errors, spread))
    likeliest = sizes @ np.linalg.inv(sizes + errors)
    away = np.einsum("qkl,lq->qk", likeliest - shrinkage, fitted.drawn[1:])
    return sizes - likeliest @ sizes + away[:, :, None] * away[:, None]


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


def _limit_care(careful, expected):
    """Return covariances (q, p, p) of errors, from expected ones to MOST_CARE times these in any direction.

    Within that they are the careful ones. Where hardly anything was kept of an effect these are of the largest that
    noise could hide, many times as large as is likely.
    """
    careful, expected = (part / 2 + part.transpose(0, 2, 1) / 2 for part in (careful, expected))
    # rounding may leave an expected square hardly below 0 where covariates nearly always go together
    traces = np.trace(expected, axis1=1, axis2=2)[:, None, None]
    root = np.linalg.cholesky(expected + 1e-9 * traces * np.eye(expected.shape[-1]))
    turned = np.linalg.solve(root, np.linalg.solve(root, careful).transpose(0, 2, 1))
    values, vectors = np.linalg.eigh(turned)
    half = root @ vectors * np.sqrt(np.clip(values, 1.0, MOST_CARE))[:, None]
    return half @ half.transpose(0, 2, 1)


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
    chance = fitted.inverse[1:, 1:, None] * np.diag(fitted.residual)
    left *= grown[:, :, None]
    left[1:, 1:] += (grown[1:, 1:, None] - 1) * chance + doubt_squares
    likely = None if fitted.likely is None else grown[1:, 1:, None] * fitted.likely + doubt_squares
    return replace(fitted, coefficients=b, left=left, likely=likely)


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
