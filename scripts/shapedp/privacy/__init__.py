"""The core of privacy: arrays in, arrays out; of the rest of the library it knows the errors alone.

What stands in `__all__` is its public surface, for whoever brings a mechanism or a manifold of their own, or wants the
private mean of functions, shapes or points on a manifold: it keeps its names from one version to the next. Each name is
imported when it is first used.
"""

from importlib import import_module

_WHERE = {
    "Manifold": "manifolds.base",
    "Sphere": "manifolds.sphere",
    "SPD": "manifolds.spd",
    "Kendall": "manifolds.projective",
    "LandmarkShapes": "manifolds.landmark_shapes",
    "shape_of": "manifolds.projective",
    "Mechanism": "statistic",
    "BoundedSum": "statistic",
    "Rows": "statistic",
    "Sums": "statistic",
    "Cost": "accounting.cost",
    "Ball": "shapes.base",
    "ShapeMechanism": "shapes.base",
    "PureShapeMechanism": "shapes.base",
    "Gaussian": "shapes.gaussian",
    "Proofs": "proofs",
    "Laplace": "shapes.pure",
    "Bounds": "curves.bounds",
    "CurveMechanism": "curves.base",
    "Diagonal": "curves.base",
    "SecureNoise": "noise",
    "SeededNoise": "noise",
}
__all__ = list(_WHERE)


def __getattr__(name):
    if name not in _WHERE:
        raise AttributeError(f"module 'shapedp.privacy' has no attribute '{name}'")
    return getattr(import_module(f"shapedp.privacy.{_WHERE[name]}"), name)


def __dir__():
    return sorted([*globals(), *__all__])
