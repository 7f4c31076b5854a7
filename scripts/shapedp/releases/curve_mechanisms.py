"""The mechanisms for a mean face by their names in the settings: the library's, and those of `registry`."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.base.errors import RefusedRelease
from shapedp.base.settings import registry
from shapedp.privacy.curves.base import CurveSettings
from shapedp.privacy.curves.fourier import Matched, MatchedJoint, Pointwise, PointwiseLiteral, Rkhs, RkhsPaper
from shapedp.privacy.curves.learned import Shaped
from shapedp.privacy.learned.face_variation import Variation
from shapedp.privacy.recentred import RecentredMean, is_asked_again

MECHANISMS = {
    mechanism_class.name: mechanism_class
    for mechanism_class in (Shaped, MatchedJoint, Matched, Rkhs, RkhsPaper, Pointwise, PointwiseLiteral)
}
NAMES = tuple(name for name in MECHANISMS if name != Shaped.name)  # those with bounds for each curve or point
POINTWISE = tuple(name for name, mechanism_class in MECHANISMS.items() if issubclass(mechanism_class, Pointwise))


def make(
    name: str,
    shape: tuple[int, ...],
    n: int,
    bounds: Any,
    reference: NDArray[np.float64] | None,
    budget: Mapping[str, Any],
    kernel: Mapping[str, Any],
    planned_for: int | None = None,
) -> Any:
    """Return the mechanism `name`, by which forecasts and comparisons foretell a mean face; refuse bounds unfit for it.

    Parameters
    ----------
    name : str
        Of the settings.
    shape, n, bounds, reference, budget, kernel, planned_for
        As the fields of `curves.base.CurveSettings` are.
    """
    return _make(name, CurveSettings(shape, n, bounds, reference, budget, kernel, planned_for))


def _make(name, settings):
    """Return the mechanism of this name, the library's or one's own; refuse bounds that it cannot use."""
    # A mean of one person is that person's face.
    if settings.n < 2:
        raise RefusedRelease(f"a mean needs at least 2 faces, got n = {settings.n}")
    mechanism = MECHANISMS[name] if name in MECHANISMS else registry.own_class("faces", name)
    if isinstance(settings.bounds, Variation) != mechanism.learns:
        raise RefusedRelease(
            f"mechanism `{name}` cannot use these bounds: "
            f"it is {'' if mechanism.learns else 'not '}made from a public variation"
        )
    settings.bounds.check(settings.shape, settings.reference)
    if settings.planned_for is not None and not mechanism.learns:
        raise RefusedRelease(f"mechanism `{name}` chooses no axes: leave planned_for out, or take `shaped`")
    return mechanism.from_settings(settings)


def make_for_release(name: str, settings: CurveSettings) -> Any:
    """Return the mechanism of a release by `name`: `shaped` asks for the mean several times where that pays.

    `make` gives the mechanism that asks once, which forecasts and comparisons of mechanisms take.

    Parameters
    ----------
    name : str
        Of the settings.
    settings : CurveSettings
        The public settings of the release.
    """
    mechanism = _make(name, settings)
    is_repeated = type(mechanism) is Shaped and is_asked_again(settings.n, mechanism.claimed, settings.planned_for)
    return RecentredMean.from_settings(settings) if is_repeated else mechanism
