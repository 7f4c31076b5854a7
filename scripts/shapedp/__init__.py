"""Average faces and average shapes with a proved limit on what they tell about any one person.

What stands in `__all__` is the library's public surface: it keeps its names and meanings from one version to the next.
The rest is the workflow's. Each name is imported when it is first used, so that `import shapedp` costs nothing.
"""

from importlib import import_module

__version__ = "0.2.0"

_WHERE = {
    "read_scan": "faces",
    "map_scan": "faces",
    "Template": "faces",
    "FaceCurves": "estimators",
    "learn_variation": "estimators",
    "PrivateMeanFace": "estimators",
    "PrivateFaceModel": "estimators",
    "PrivateMeanShape": "estimators",
    "PrivateShapeModel": "estimators",
    "read_landmarks": "shapes",
    "read_shapes": "shapes",
    "mean_shape": "shapes",
    "shape_distance": "shapes",
    "plan": "planning",
    "people_needed": "planning",
    "audit_mechanisms": "planning",
    "read_release": "released",
    "sample": "released",
    "predict": "released",
    "compare": "released",
    "export": "released",
}
__all__ = list(_WHERE)


def __getattr__(name):
    if name == "errors":  # what a user catches: `shapedp.errors.Rejected`
        return import_module("shapedp.base.errors")
    if name not in _WHERE:
        raise AttributeError(f"module 'shapedp' has no attribute '{name}'")
    return getattr(import_module(f"shapedp.app.api.{_WHERE[name]}"), name)


def __dir__():
    return sorted([*globals(), *__all__])
