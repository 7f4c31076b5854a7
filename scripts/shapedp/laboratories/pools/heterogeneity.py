"""Whether the sources of a pooled release are alike: Cochran's Q beside their noise and chance, (13.5)."""

import math
from collections.abc import Sequence

import numpy as np
import scipy
from numpy.typing import NDArray

from shapedp.privacy.curves.learned import LEVEL, degrees_of_freedom

# The precision n mu at which noise hides half of how much farther specimens' squares lie: what a first stage tells is
# drawn to 1 by one standard deviation of its noise.
HALF_HIDDEN = 70.0


def widen_spread(
    spread: NDArray[np.float64], widened: Sequence[float | None], precisions: Sequence[float]
) -> NDArray[np.float64]:
    """Return people's variances along the axes of mean shapes, by which their means vary by chance, as sources told.

    They are the public people's, times how much farther the sources' own lie, and never less.

    Parameters
    ----------
    spread : (k,) float
        Public people's variances.
    widened : sequence of float or None
        How many times as far as public people each source's lie, None where that was not asked.
    precisions : sequence of float
        The people of each source times its mu: the fewer, the more of what is wider is hidden.
    """
    beyond = [
        ((scale or 1.0) ** 2 - 1) * (1 + HALF_HIDDEN / precision)
        for scale, precision in zip(widened, precisions, strict=True)
    ]
    return spread * (1 + max(0.0, float(np.mean(beyond))))


# By what share squared errors that are stated of a mean that is asked several times may be wrong: as people lie farther
# about it than public ones; where some are told to lie much farther; where it is seen to lie off the public mean.
DOUBT_WIDER, DOUBT_FAR, DOUBT_UNLIKE = 0.2, 0.2, 0.1
# Standard deviations of its noise by which people's spread may seem smaller than it is. Where it does, their clips are
# put back too little, as of people who lie nearer, and their errors are stated too small.
WIDER_SDS = 1.5


def compare_asked_again(sources, limits, decoders, spread, spread_error=0.0, is_unlike=False, level=LEVEL):
    """Return what `measure_heterogeneity` does, of means that were asked several times.

    Whose people differ more than public ones vary more by chance, too, and what is stated of them is known less well.

    decoders : what decodes each source; spread, spread_error : people's variance about their mean, by all sources, and
    the sd of its noise where what is stated rests on it; is_unlike : whether their mean is seen to differ from the
    public one; level : of false alarms
    """
    axes = decoders[0].plan.axes
    public = limits.variances[axes]
    wider, widest = (max(1.0, square / float(public.sum())) for square in (spread, spread + WIDER_SDS * spread_error))
    far = float(np.mean([decoder.tells_far_people for decoder in decoders]))
    return measure_heterogeneity(
        sources,
        wider * public,
        limits.axes(axes),
        limits.held_out[:, axes],
        doubt=math.hypot(DOUBT_WIDER * (widest - 1), DOUBT_FAR * far, DOUBT_UNLIKE * is_unlike),
        level=level,
    )


def compare_models(sources, model, axes=None, public=None):
    """Return how unlike the sources of a model are: the first row of the first sum is of everybody's coordinates."""
    back, people = model.shaped.back, np.array([model_source.n for model_source in sources], dtype=float)
    return measure_heterogeneity(sources, model.variances * back**2, axes, public, along=back / people[:, None])


def measure_heterogeneity(sources, spread, axes=None, public=None, along=1.0, doubt=0.0, level=LEVEL):
    """Return whether the sources differ beyond noise and chance, by their means along k axes, for the statement.

    It is (whether they do, Q, what it is expected to be, its ratio at each point).

    spread (k,) : the public variance of a person along these; axes (k, J, 3, m), public (p, k) : of faces, and public
    people along them; along (L, k) : how far one of each value that was drawn leads; doubt : the share by which the
    sources' squared errors may be stated wrong; level : of false alarms
    """
    k = len(spread)
    values, noise = (
        along * np.array([source_pooled.drawn[name][:k] for source_pooled in sources]) for name in ("values", "noise")
    )
    chance = spread / np.array([source_pooled.n for source_pooled in sources], dtype=float)[:, None]
    variances = noise**2 + chance
    q = float(np.sum(_square_deviations(values, variances) / variances))
    degrees = float((len(values) - 1) * values.shape[1])
    if axes is None:
        return bool(q > scipy.special.chdtri(degrees, level)), q, degrees, np.zeros((0, 0))
    share = chance.mean(axis=0) / variances.mean(axis=0)
    free = (len(values) - 1) * degrees_of_freedom(public, np.sqrt(share))
    values_at = np.tensordot(values, axes, axes=1)
    spread_at = np.einsum("lk,kjcm->ljm", variances, np.square(axes, dtype=float))
    ratio = np.sum(_square_deviations(values_at, spread_at[:, :, None, :]).sum(axis=2) / spread_at, axis=0) / (
        len(values) - 1
    )
    # of all variance, what may be wrong is as known as a chi-square of so many degrees
    unsure = doubt * (1 - float(chance.mean(axis=0).sum() / variances.mean(axis=0).sum()))
    exact = scipy.special.chdtri(free, level) / free
    most = scipy.special.fdtri(free, 2 / unsure**2, 1 - level) if unsure > 0 else exact
    return bool(q / degrees > most), q, degrees, ratio


def _square_deviations(values, variances):
    """Return (values - their mean weighted by 1/variances)^2, sources along the first axis."""
    weights = 1 / variances
    return (values - np.sum(weights * values, axis=0) / np.sum(weights, axis=0)) ** 2
