"""The papers' noise scales side by side, in words: what is printed, and what a text leaves open.

A multiple of Δ/epsilon, Δ with h(r) or h(2r) (`sensitivity.published_scale`). The method that stands first is the one
that is printed; where none is, each is shown and nothing hangs on a choice of ours.
"""

from itertools import product

from shapedp.mechanisms import sensitivity
from shapedp.simulation import outline_experiments, spaces
from shapedp.simulation.releases import KNG_SCALES, LAPLACE_SCALES

KNG, LAPLACE = "kng_scales", "laplace_scales"  # in papers/*.yaml: all of them


def words(times, reach=None):
    """For instance 2Δ/epsilon, h(r)."""
    factor = "" if times == 1 else times
    curvature = "" if reach is None else f", h({'' if reach == 1 else reach}r)"
    return f"{factor}Δ/epsilon{curvature}"


def of_kng(space):
    """{method: its scale in words} of KNG on S2 or P2, the printed one first."""
    curved = spaces.published(space).manifold.curvature_bounds()[1] > 0
    found = {name: words(times, reach if curved else None) for name, (times, reach) in KNG_SCALES[space].items()}
    printed = next(iter(found))
    return found | {printed: f"{found[printed]}, as printed"}


def of_shapes():
    """The same on Kendall's space, where no scale is printed."""
    return {name: words(*scale) for name, scale in outline_experiments.KNG.items()}


def pairs(space, better, worse):
    """((method, scale), (method, scale)) of two mechanisms, each at all scales that the papers leave open."""
    return product(_methods(space, better), _methods(space, worse))


def kept(space, method):
    """Whether KNG keeps epsilon at the scale of a method, in words; "" for another mechanism."""
    if method not in KNG_SCALES[space]:
        return ""
    where = spaces.published(space)
    scale = KNG_SCALES[space][method]
    proved = sensitivity.published_scale(where.manifold, sensitivity.KNG, where.r, 10, 1.0, *scale).private
    return "at this scale KNG is proved epsilon-DP" if proved else "at this scale KNG is not proved epsilon-DP"


def _methods(space, name):
    if name == KNG:
        return of_kng(space).items()
    if name == LAPLACE:
        return {method: words(times) for method, times in LAPLACE_SCALES.items()}.items()
    return [(name, "")]
