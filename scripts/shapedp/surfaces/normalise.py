"""Remove size and position from a surface on the polar grid.

See docs/mathematics.md, (1.1) and (1.2).
"""

import numpy as np

from shapedp.errors import Rejected
from shapedp.surfaces import polar


def area_elements(f):
    """(R, T) |f_u x f_v| du dv: the area that each grid cell carries."""
    f_u, f_v = polar.derivatives(f)
    return np.linalg.norm(np.cross(f_u, f_v), axis=-1) * polar.weights(*f.shape[:2])


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
