"""Parts that face figures share: a rendered panel, a surface as a mesh, its rings and spokes, a heat map's colours."""

import matplotlib
import numpy as np

from shapedp.figures import render
from shapedp.surfaces import curve_mesh, curves, polar

SMOOTH = 240  # points of a drawn ring
HEAT = "YlGnBu"  # from pale to dark: on a shaded surface shadows must not read as the low end


def show(axes, mesh, camera, title, length=20.0, **drawn):
    """One rendered mesh (vertices, triangles) on matplotlib axes, with its scale bar; drawn : of `render.render`."""
    axes.imshow(render.render(*mesh, camera, **drawn))
    axes.set_axis_off()
    axes.set_title(title)
    render.mark_scale(axes, camera, length)


def whole(f):
    """(vertices, triangles) of a surface f (R, T, 3), through the points of its grid."""
    return curve_mesh.mesh(np.moveaxis(f, 1, 2), polar.radii(len(f)))


def rings(f, radii):
    """Closed polylines (m + 1, 3) along which r is constant."""
    found = np.moveaxis(curves.extract(f, radii, SMOOTH), 1, 2)
    return [np.vstack([ring, ring[:1]]) for ring in found]


def spokes(f, count):
    """Polylines (R, 3) along which theta is constant, `count` of them; none where the rings are too short to draw."""
    return [f[:, k] for k in range(0, f.shape[1], f.shape[1] // count)]


def heat(values, most):
    """Colours (n, 3) of values (n,) between 0 and `most`, pale to dark."""
    return matplotlib.colormaps[HEAT](np.clip(values / most, 0, 1))[:, :3]


def heat_bar(made, axes, most, words):
    """A colour bar beside `axes` for `heat(values, most)`."""
    scale = matplotlib.cm.ScalarMappable(matplotlib.colors.Normalize(0, most), HEAT)
    bar = made.colorbar(scale, ax=axes, fraction=0.05, pad=0.02)
    bar.set_label(words)
    bar.outline.set_visible(False)
