"""The mechanisms for a mean face by their names in the settings. To add one, add its class to `MECHANISMS`."""

from shapedp.errors import RefusedRelease
from shapedp.mechanisms.base import UNKNOWN
from shapedp.mechanisms.curves.base import Asked
from shapedp.mechanisms.curves.by_block import Matched, Rkhs, RkhsPaper
from shapedp.mechanisms.curves.joint import MatchedJoint
from shapedp.mechanisms.curves.pointwise import Pointwise, PointwiseLiteral
from shapedp.mechanisms.shaped.mechanism import Shaped
from shapedp.mechanisms.shaped.variation import Variation

MECHANISMS = {one.name: one for one in (Shaped, MatchedJoint, Matched, Rkhs, RkhsPaper, Pointwise, PointwiseLiteral)}
NAMES = tuple(
    name for name, one in MECHANISMS.items() if one is not Shaped
)  # those with bounds for each curve or point
POINTWISE = tuple(name for name, one in MECHANISMS.items() if issubclass(one, Pointwise))


def make(name, shape, n, bounds, reference, budget, kernel_settings):
    """The mechanism called `name` for n people; see `curves.base.Asked`."""
    if n < 2:
        raise RefusedRelease(f"a mean of at least 2 faces can be released, got n = {n}")
    if name not in MECHANISMS:
        raise RefusedRelease(UNKNOWN.format(name, ", ".join(MECHANISMS)))
    if isinstance(bounds, Variation) != issubclass(MECHANISMS[name], Shaped):
        raise RefusedRelease(
            f"mechanism `{name}` cannot use these bounds: only `shaped` is made from a public variation"
        )
    bounds.check(shape, reference)
    return MECHANISMS[name].of(Asked(shape, n, bounds, reference, budget, kernel_settings))
