"""geomstats' version of each manifold: another team's formulas, to compare with."""

import os
import warnings

import numpy as np


def geomstats_space(manifold):
    """(space with `.metric`, points to geomstats, points from geomstats) for one of our manifolds."""
    os.environ["GEOMSTATS_BACKEND"] = "numpy"
    np.trapz = np.trapezoid  # geomstats 2.8 imports the name that numpy 2.4 dropped
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from geomstats.geometry.hypersphere import Hypersphere
        from geomstats.geometry.pre_shape import PreShapeSpace
        from geomstats.geometry.spd_matrices import SPDMatrices
    del np.trapz
    kind = type(manifold).__name__
    if kind == "Sphere":
        return Hypersphere(manifold.d), _same, _same
    if kind == "SPD":
        return SPDMatrices(manifold.k), _same, _same
    planar = PreShapeSpace(manifold.k, 2)
    planar.equip_with_group_action("rotations")
    planar.equip_with_quotient()
    return planar.quotient, _to_real, _to_complex


def _same(x):
    return x


def _to_real(z):
    return np.stack([z.real, z.imag], axis=-1)


def _to_complex(x):
    return x[..., 0] + 1j * x[..., 1]
