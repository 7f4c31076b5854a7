"""Radial curves of a registered surface, and the radii at which they are taken."""

import numpy as np

from shapedp.surfaces import polar
from shapedp.surfaces.registration import table

FINE = 2000  # radii on which lengths and areas are accumulated


def extract(f, radii, samples):
    """(J, 3, m) curves theta -> f(r_j, theta) at theta_k = 2 pi k/m, of a surface f (R, T, 3) on the polar grid.

    Along each diameter a cubic spline, through the pole; along each circle the Fourier series, cut or padded to m.
    """
    rings = np.moveaxis(at_radii(f, radii), 1, 2)
    return _resample(rings, samples)


def at_radii(f, radii):
    """(J, T, 3) the surface on circles of any radii in (0, 1]."""
    grid = polar.polar_grid(*f.shape[:2])
    circles = np.asarray(radii)[:, None, None] * grid.points[-1]
    return table.lookup(table.coefficients(f, grid), circles)


def _resample(curves, samples):
    """Periodic curves (..., T) at `samples` points by their Fourier series."""
    count = curves.shape[-1]
    waves = np.fft.rfft(curves, axis=-1)
    kept = min(waves.shape[-1], samples // 2 + 1)
    out = np.zeros((*curves.shape[:-1], samples // 2 + 1), dtype=complex)
    out[..., :kept] = waves[..., :kept]
    if samples < count:
        out[..., -1] = 2 * out[..., -1].real  # both signs of the Nyquist wave fall on one sample pattern
    elif samples > count:
        out[..., kept - 1] /= 2
    return np.fft.irfft(out * (samples / count), n=samples, axis=-1)


def spread(f, count, spacing):
    """(J,) radii of `count` curves on a public template f (R, T, 3), the last at 1.

    radius : equal steps of r (the paper). arc : equal steps of length along the template's radii, in the mean.
    area : equal areas of the template between neighbouring curves.
    """
    share = np.arange(1, count + 1) / count
    if spacing == "radius":
        return share
    r = polar.radii(len(f))
    fine = np.linspace(0, 1, FINE)
    along_x, along_y = polar.polar_grid(*f.shape[:2]).gradient(f)
    if spacing == "arc":
        theta = 2 * np.pi * np.arange(f.shape[1]) / f.shape[1]
        along = np.cos(theta)[:, None] * along_x + np.sin(theta)[:, None] * along_y
        density = np.linalg.norm(along, axis=-1).mean(axis=1)
    else:
        density = np.linalg.norm(np.cross(along_x, along_y), axis=-1).mean(axis=1) * r
    steps = np.interp(fine, r, density)
    grown = np.concatenate([[0.0], np.cumsum((steps[1:] + steps[:-1]) / 2)])
    radii = np.interp(share, grown / grown[-1], fine)
    radii[-1] = 1.0
    return radii
