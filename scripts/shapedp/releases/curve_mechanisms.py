"""The mechanisms for a mean face by their names in the settings: the library's, and those of `registry`."""

from typing import Any

from shapedp.base.errors import RefusedRelease
from shapedp.base.settings import registry
from shapedp.privacy.curves.base import CurveSettings
from shapedp.privacy.curves.fourier import Matched, MatchedJoint, Pointwise, PointwiseLiteral, Rkhs, RkhsPaper
from shapedp.privacy.curves.learned import Shaped
from shapedp.privacy.learned.face_variation import Variation
from shapedp.privacy.recentred import RecentredMean, is_asked_again

MECHANISMS = {one.name: one for one in (Shaped, MatchedJoint, Matched, Rkhs, RkhsPaper, Pointwise, PointwiseLiteral)}
NAMES = tuple(name for name in MECHANISMS if name != Shaped.name)  # those with bounds for each curve or point
POINTWISE = tuple(name for name, one in MECHANISMS.items() if issubclass(one, Pointwise))


def make(name: str, *given: Any) -> Any:
    """The mechanism called `name` for what is asked; given : the fields of `curves.base.Asked`, in their order."""
    asked = CurveSettings(*given)
    if asked.n < 2:
        raise RefusedRelease(f"a mean of at least 2 faces can be released, got n = {asked.n}")
    found = MECHANISMS[name] if name in MECHANISMS else registry.own_class("faces", name)
    if isinstance(asked.bounds, Variation) != found.learns:
        raise RefusedRelease(
            f"mechanism `{name}` cannot use these bounds: "
            f"it is {'' if found.learns else 'not '}made from a public variation"
        )
    asked.bounds.check(asked.shape, asked.reference)
    if asked.planned_for is not None and not found.learns:
        raise RefusedRelease(f"mechanism `{name}` chooses no axes: `planned_for` is for `shaped`")
    return found.of(asked)


def as_released(name: str, *given: Any) -> Any:
    """The mechanism of a release by `name`: `shaped` asks for the mean several times where that pays; given : as of
    `make`, which asks once.
    """
    once, asked = make(name, *given), CurveSettings(*given)
    again = type(once) is Shaped and is_asked_again(asked.n, once.claimed, asked.planned_for)
    return RecentredMean.of(asked) if again else once
