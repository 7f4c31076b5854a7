"""Remove size and position from a surface on the polar grid.

See docs/mathematics.md, (1.1) and (1.2).
"""

from functools import lru_cache

import numpy as np

from shapedp.errors import Rejected
from shapedp.surfaces.polar import polar_grid
from shapedp.surfaces.registration import heat, srnf

SIGMA = 0.02  # disk radii: normals are averaged so far before areas are added up


@lru_cache(maxsize=4)
def _kernel(rings, angles):
    return heat.kernels(polar_grid(rings, angles), [SIGMA])[0]


def area_elements(f):
    """(R, T) |K n| dx dy, n = f_x x f_y: the area that each grid cell carries, without the roughness of its points.

    A scanner's noise tilts each small triangle, which adds area whatever the tilt; averaged by the heat kernel K, the
    tilts cancel, for n is a vector.
    """
    grid = polar_grid(*f.shape[:2])
    spectrum = np.fft.rfft(srnf.normals(f, grid), axis=1)
    smooth = np.fft.irfft(heat.smooth_spectrum(_kernel(*f.shape[:2]), spectrum), grid.angles, axis=1)
    return np.linalg.norm(smooth, axis=-1) * grid.weights[:, None]


def unit_surface(f):
    """(f of unit area with its centroid at 0, the square root of its area, its centroid).

    The centroid is area-weighted, c = (1/A) sum f dA, so it does not depend on the parameterisation.
    """
    elements = area_elements(f)
    area = elements.sum()
    if not (np.isfinite(area) and area > 0):
        raise Rejected("zero_area", f"the surface has area {area:.6g}; a surface needs a positive, finite area")
    centroid = np.einsum("rt,rtc->c", elements, f) / area
    return (f - centroid) / np.sqrt(area), float(np.sqrt(area)), centroid
