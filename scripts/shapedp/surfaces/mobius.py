"""The automorphisms of the unit disk that move its center."""

import numpy as np


def recenter(z, a):
    """Send `a` to 0 by the disk automorphism (z - a) / (1 - conj(a) z).

    z : (n,) complex, |z| <= 1; points on the unit circle stay on it
    a : complex, |a| < 1
    """
    if not abs(a) < 1:
        raise ValueError(f"center must lie inside the unit disk, got |a| = {abs(a):.6g}")
    return (z - a) / (1 - np.conj(a) * z)
