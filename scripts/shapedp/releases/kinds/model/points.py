"""Models for other tools: the mean, what one standard deviation along each mode moves, and effects."""

import numpy as np

from shapedp.releases.kinds.point_export import PointModel, place_points
from shapedp.releases.model import released_model


def points(path):
    """Return the PointModel of a released model, with modes and effects, by which it is exported to other tools."""
    model = released_model.read(path)[0]
    mean, triangles = place_points(model.mean, model.radii)
    modes = [place_points(model.sd[k] * model.modes[k], model.radii)[0] for k in range(model.shown)]
    effects = {
        covariate.name: place_points(effect, model.radii)[0]
        for covariate, effect in zip(model.covariates, model.effects[1:], strict=True)
    }
    # People differ along the modes by no more than in all, and beyond the released axes as public people do.
    in_coordinates = [model.residual, *([] if model.outside is None else [model.outside])]
    residual, *beyond = (float(np.mean(np.trace(one, axis1=-2, axis2=-1))) / mean.shape[1] for one in in_coordinates)
    residual = max(residual, sum(float(np.sum(mode**2)) for mode in modes) / mean.size) + sum(beyond)
    unit = "unit size" if model.radii is None else "mm"
    return PointModel(mean, np.array(modes).reshape(-1, *mean.shape), triangles, unit, effects, residual)


def tps(path):
    """Return the mean of shapes, with modes and effects, as a .tps file holds them."""
    return released_model.tps(released_model.read(path)[0])
