"""Average faces and average shapes with a proved limit on what they tell about any one person.

What stands in `__all__` is the library's public surface: it keeps its names and meanings from one version to the next.
The rest is the workflow's. Each name is imported when it is first used, so that `import shapedp` costs nothing.
"""

import sys
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
    "private_mean": "points",
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
    if name == "manifolds":  # `shapedp.manifolds.Sphere`
        return import_module("shapedp.manifolds")
    if name == "errors":  # what a user catches: `shapedp.errors.Rejected`
        return import_module("shapedp.base.errors")
    if name not in _WHERE:
        raise AttributeError(f"module 'shapedp' has no attribute '{name}'")
    return getattr(import_module(f"shapedp.app.api.{_WHERE[name]}"), name)


# Rooms of version 0.1 that users' own classes import from, and the wing in which each stands now.
_MOVED = {
    "mechanisms": "shapedp.privacy",
    "variation": "shapedp.privacy.learned",
    "errors": "shapedp.base.errors",
    "artifacts": "shapedp.base.artifacts",
    "settings": "shapedp.base.settings",
    "storage": "shapedp.base.storage",
    "runs": "shapedp.base.runs",
    "writers": "shapedp.base.writers",
    "readers": "shapedp.people, shapedp.landmarks, shapedp.surfaces.scans or shapedp.base.reading",
    "demo": "shapedp.landmarks.outlines or shapedp.surfaces.human_face.demo",
    "chain": "shapedp.surfaces.chain or shapedp.landmarks.shapes",
    "model": "shapedp.releases.model",
    "statement": "shapedp.releases.statement",
    "figures": "shapedp.releases.figures",
    "page": "shapedp.releases.viewer",
    "labs": "shapedp.laboratories",
    "forecast": "shapedp.app.forecast",
    "api": "shapedp",
    "cli": "shapedp.app.cli",
    "workflow": "shapedp.app.workflow",
}


class _Moved:
    """The first that Python asks for a module: it says where a room of an earlier version stands now.

    Asked last, it would not be heard: a checkout that was moved forward keeps a room's folder, with compiled files in
    it, and Python takes that for a package.
    """

    @staticmethod
    def find_spec(name, path=None, target=None):
        """Raise an error that says where a module lies today, for whoever imports it from where an earlier version had
        it.
        """
        del path, target
        package, _, room = name.partition(".")
        if package == __name__ and room in _MOVED:
            raise ModuleNotFoundError(f"{name} has moved: import from {_MOVED[room]}")


sys.meta_path.insert(0, _Moved)


def __dir__():
    return sorted([*globals(), *__all__])
