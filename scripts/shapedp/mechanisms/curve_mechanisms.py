"""The mechanisms for a mean face by their names in the settings. To add one, add its class to `MECHANISMS`."""

import numpy as np

from shapedp.errors import RefusedRelease
from shapedp.mechanisms.base import UNKNOWN
from shapedp.mechanisms.curves.base import Asked
from shapedp.mechanisms.curves.by_block import Matched, Rkhs, RkhsPaper
from shapedp.mechanisms.curves.joint import MatchedJoint
from shapedp.mechanisms.curves.pointwise import Pointwise, PointwiseLiteral

MECHANISMS = {one.name: one for one in (MatchedJoint, Matched, Rkhs, RkhsPaper, Pointwise, PointwiseLiteral)}
NAMES = tuple(MECHANISMS)
POINTWISE = tuple(name for name, one in MECHANISMS.items() if issubclass(one, Pointwise))


def make(name, shape, n, bounds, reference, budget, kernel_settings):
    """The mechanism called `name` for n people; see `curves.base.Asked`."""
    if n < 2:
        raise RefusedRelease(f"a mean of at least 2 faces can be released, got n = {n}")
    if name not in MECHANISMS:
        raise RefusedRelease(UNKNOWN.format(name, ", ".join(MECHANISMS)))
    _check_bounds(bounds, shape, reference)
    return MECHANISMS[name].of(Asked(shape, n, bounds, reference, budget, kernel_settings))


def _check_bounds(bounds, shape, reference):
    """Bounds and reference must belong to these curves, and no bound may be 0: noise would have scale 0."""
    if bounds.tau.shape != shape[:2] or (reference is not None and reference.shape != shape):
        raise RefusedRelease(
            f"curves of shape {shape} need tau {shape[:2]}, got {bounds.tau.shape}, and a reference of that shape; "
            "were bounds, template and curves made with the same settings?"
        )
    if not (np.all(bounds.tau > 0) and np.all(np.isfinite(bounds.tau))):
        raise RefusedRelease("every tau must be a positive number; does the reference set hold the reference alone?")
