"""Where a scan reaches as far as the whole template, the mean of two registrations: in the extent, and to the whole.

What lies beyond the extent helps a registration within it, but only where the scan has it; a front view has less of it
than a whole face, and the two must come out alike. Hence half at most, by shares that rise with the scan's own reach.
"""

from dataclasses import dataclass, replace

import numpy as np

from shapedp.surfaces import carrying, extent, normalise
from shapedp.surfaces.polar import polar_grid
from shapedp.surfaces.registration import rotation
from shapedp.surfaces.registration.template import unit_srnf

MOST = 0.5  # share of the registration to the whole
SHORT, FULL = 0.95, 1.05  # of the whole template's reach: where a scan's gives no share, and where it gives MOST
BESIDE = 4  # directions on either side over which shares are averaged


@dataclass(frozen=True)
class Surroundings:
    """places : (R, T, 2) where the grid of the common part lies in the disk of the whole template
    directions : (R, T) of those points about the nose; extent : that of the whole
    """

    places: np.ndarray
    directions: np.ndarray
    extent: extent.Extent


def surroundings(whole, places):
    """The Surroundings of what of a template (R, T, 3) lies at places of its disk."""
    chosen = extent.of_template(whole, np.inf)
    points = (carrying.read_at(whole, places) - chosen.nose) @ chosen.axes.T
    return Surroundings(places, extent.directions(points.reshape(-1, 3)).reshape(places.shape[:2]), chosen)


def shares(rim_placed, around):
    """(R, T, 1) the share of the registration to the whole, by how far a scan's rim (b, 3) reaches."""
    reach = extent.reaches(rim_placed) / around.extent.reach
    share = MOST * np.clip((reach - SHORT) / (FULL - SHORT), 0, 1)
    smooth = np.mean([np.roll(share, step) for step in range(-BESIDE, BESIDE + 1)], axis=0)
    return np.interp(around.directions, np.arange(extent.DIRECTIONS), smooth, period=extent.DIRECTIONS)[..., None]


def blended(within, whole, share, around, common):
    """The Aligned within the extent, its surface a mean with the one to the whole; common : the template's (R, T, 3).

    What is said of the fit is said of the registration within the extent. Points of a mean lie beside the scan by the
    square of the distance of the two over the scan's curvature: some hundredths of a millimeter for two millimeters.
    """
    moved, grid = carrying.moved(whole, around.places), polar_grid(*common.shape[:2])
    surface, scale, centroid = normalise.unit_surface((1 - share) * within.points + share * moved.points)
    turn = rotation.best_rotation(rotation.covariance(unit_srnf(common, grid), unit_srnf(surface, grid), grid))
    registered = replace(within.registered, surface=rotation.rotate(turn, surface), rotation=turn)
    return replace(within, registered=registered, scale=scale, centroid=centroid)
