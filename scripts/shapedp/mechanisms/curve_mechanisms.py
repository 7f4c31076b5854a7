"""The mechanisms for a mean face by their names in the settings: the library's, and those of `settings.registry`."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.errors import RefusedRelease
from shapedp.mechanisms.curves.base import Asked
from shapedp.mechanisms.curves.fourier import Matched, MatchedJoint, Pointwise, PointwiseLiteral, Rkhs, RkhsPaper
from shapedp.mechanisms.curves.learned import Shaped
from shapedp.settings import registry
from shapedp.variation.face_variation import Variation

MECHANISMS = {one.name: one for one in (Shaped, MatchedJoint, Matched, Rkhs, RkhsPaper, Pointwise, PointwiseLiteral)}
NAMES = tuple(name for name in MECHANISMS if name != Shaped.name)  # those with bounds for each curve or point
POINTWISE = tuple(name for name, one in MECHANISMS.items() if issubclass(one, Pointwise))


def make(
    name: str,
    shape: tuple[int, ...],
    n: int,
    bounds: Any,
    reference: NDArray[np.float64] | None,
    budget: Mapping[str, Any],
    kernel_settings: Mapping[str, Any],
    planned_for: Any = None,
) -> Any:
    """The mechanism called `name` for n people; see `curves.base.Asked`."""
    if n < 2:
        raise RefusedRelease(f"a mean of at least 2 faces can be released, got n = {n}")
    found = MECHANISMS[name] if name in MECHANISMS else registry.own_class("faces", name)
    if isinstance(bounds, Variation) != found.learns:
        raise RefusedRelease(
            f"mechanism `{name}` cannot use these bounds: "
            f"it is {'' if found.learns else 'not '}made from a public variation"
        )
    bounds.check(shape, reference)
    if planned_for is not None and not found.learns:
        raise RefusedRelease(f"mechanism `{name}` chooses no axes: `planned_for` is for `shaped`")
    return found.of(Asked(shape, n, bounds, reference, budget, kernel_settings, planned_for))
