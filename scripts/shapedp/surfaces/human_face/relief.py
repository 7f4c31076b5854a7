"""Measure how much a registered surface has of a face's relief: what is left of its depth without a smooth shape.

Where a registration looks for the best crop of a ball, an egg or the back of a head, these fit a face's outline well
enough for its energy. They have no eyes, nose and mouth: in the template's axes the quartic polynomial z(x, y) that
fits best within r <= NEAR of the nose is subtracted, and what is left is compared with what is left of the template.

Public limits beyond which a registered scan is no face of the template's kind, and is rejected with the cause.
"""

from dataclasses import dataclass, replace

import numpy as np

from shapedp.base.errors import Rejected
from shapedp.surfaces import polar
from shapedp.surfaces.human_face import likely_error
from shapedp.surfaces.registration import extent
from shapedp.surfaces.topology import remember_last_call

# Square roots of the template's area about the nose, within which the relief is looked at.
NEAR = 0.6
DEGREE = 4
# The degree of what is taken off beside the nose, and how far out: a nose on an egg has nothing beside it.
FINE, BESIDE = 7, 0.48
# Of the template's, at least; faces have .47 and more, an egg with a nose at most .41.
DETAIL = 0.44
# Share of the mean diagonal, so that points on a line do no harm.
RIDGE = 1e-12
# Every second ring and angle of the grid is looked at.
STRIDE = 2
# At least; faces have .49 and more, most of them .6; a ball at most .5.
CORRELATION = 0.48
# Of the template's; a ball has at most .4.
AMPLITUDE = 0.5, 2.2
# Of the template's nose, at least; faces have .77 and more, a face whose nose is cut off .26.
NOSE = 0.5
# Of the energy: what a registration leaves of it in the mean of public people.
LEAVES = 1 / 3
# Share of the extent: a scan that lacks less is told by what it shows.
LITTLE = 0.1
# May be expected there: faces have 1.15 and less, what lies in a wrong place 1.3 to 30.
SEEN_MM = 1.35
# Of `unseen`, if that is more.
SEEN = 0.45
# From the tip: what counts as the tip, and the ring that it stands out from.
TIP, AROUND = 0.05, (0.13, 0.2)


@dataclass(frozen=True)
class Relief:
    """correlation with the template's relief; amplitude : its standard deviation over the template's
    nose : how far the tip stands out of the ring about it, over the template's
    detail : what is left beside the nose by a polynomial of degree FINE, its standard deviation over the template's
    """

    correlation: float
    amplitude: float
    nose: float
    detail: float

    def __str__(self):
        limits = f"(at least {CORRELATION:g}, {AMPLITUDE[0]:g}, {NOSE:g}, {DETAIL:g})"
        figures = f"{self.correlation:.2f}, {self.amplitude:.2f}, {self.nose:.2f}, {self.detail:.2f}"
        return f"likeness, strength, nose and detail of its relief, as shares of the template's, are {figures} {limits}"

    @property
    def is_of_a_face(self):
        """Return whether a surface's relief is a face's: all its measures lie within the limits."""
        strong = AMPLITUDE[0] <= self.amplitude <= AMPLITUDE[1]
        return self.correlation >= CORRELATION and strong and self.nose >= NOSE and self.detail >= DETAIL


def measure_relief(surface, template):
    """Return the Relief of a registered surface, by which what is no face is told: how its nose and eyes compare with
    the template's.

    surface, template : (R, T, 3), both of unit area
    """
    nose, axes, areas, places, (of_template, own_left) = _measure_template(template)
    measures, residual = _measure_points(((surface[::STRIDE, ::STRIDE] - nose) @ axes.T).reshape(-1, 3), areas, places)
    w = areas[places[0]]
    correlation = (w / w.sum() * own_left) @ residual / max(of_template[0] * measures[0], 1e-300)
    return Relief(float(correlation), *(float(b / max(a, 1e-300)) for a, b in zip(of_template, measures, strict=True)))


@remember_last_call
def _measure_template(template):
    """Return (nose, axes, areas (n,), places, measures) of a template, with which `measure_relief` compares every
    surface.

    places : the points near the nose, those beside it, its tip and the ring about it, each as a list
    """
    nose, axes = extent.center(template), extent.find_extent(template, np.inf).axes
    areas = polar.plain_areas(template)[::STRIDE, ::STRIDE].ravel()
    own = ((template[::STRIDE, ::STRIDE] - nose) @ axes.T).reshape(-1, 3)
    away = np.hypot(own[:, 0], own[:, 1])
    outside = away > AROUND[0]
    masks = away <= NEAR, outside & (away < BESIDE), away < TIP, outside & (away < AROUND[1])
    places = tuple(np.flatnonzero(chosen_points) for chosen_points in masks)
    return nose, axes, areas, places, _measure_points(own, areas, places)


def _measure_points(points, areas, places):
    """Return ((sd of the relief, how far the nose stands out, sd of the detail beside it), the relief) of points (n,
    3).

    The relief is what a smooth surface leaves of the depths near the nose; places : as of `_measure_template`
    """
    near, around, tip, ring = places
    residual, fine = (
        _take_off_polynomial(points[near], areas[near]),
        _take_off_polynomial(points[around], areas[around], FINE),
    )
    amplitude, detail = (np.sqrt(_mean(a**2, areas[at])) for a, at in ((residual, near), (fine, around)))
    stands_out = _mean(points[tip, 2], areas[tip]) - _mean(points[ring, 2], areas[ring])
    return (amplitude, stands_out, detail), residual


def _mean(values, weights):
    """Return the mean of values with weights."""
    return (weights * values).sum() / weights.sum()


def _take_off_polynomial(points, weights, degree=DEGREE):
    """Return what a polynomial z(x, y) leaves of z, least squares with weights: the relief, without the head's own
    roundness.
    """
    z, columns = points[:, 2] / NEAR, _polynomials(points, degree)
    products = (columns * weights) @ columns.T
    products[np.diag_indices_from(products)] += RIDGE * np.trace(products) / len(products)
    return z - np.linalg.solve(products, columns @ (weights * z)) @ columns


def _polynomials(points, degree):
    """Return (.., n), the smooth head that `_take_off_polynomial` takes off: P_i(x) P_j(y), i + j <= degree,
    Legendre's.
    """
    across, along = (np.polynomial.legendre.legvander(points[:, at] / NEAR, degree).T for at in (0, 1))
    return np.stack([across[i] * along[j] for i in range(degree + 1) for j in range(degree + 1 - i)])


@dataclass(frozen=True)
class Gates:
    """energy : largest energy left; jacobian : least Jacobian; unseen : largest error in mm to be expected of a
    face, see `alignment.Aligned`; unlike : how unlike public people a face may be, see likeness
    """

    energy: float
    jacobian: float
    unseen: float
    unlike: float

    def against(self, farther):
        """Return the gates with more energy allowed, as suits somebody's own template that is unlike public people.

        farther : times farther that public people lie from it than from their own mean (see likeness). A registration
        leaves a share of that: so much grows the energy allowed.
        """
        return replace(self, energy=self.energy * (1 + LEAVES * max(0.0, farther - 1)))

    def limit_unseen(self, missing):
        """Return the largest error in mm to be expected that a scan which lacks a share `missing` may have; beyond, it
        is refused.

        Where that is LITTLE, the error is mostly that of the public model's fit to what the scan shows, which is small
        unless the scan was laid onto a wrong place.
        """
        return min(self.unseen, max(SEEN_MM, SEEN * self.unseen)) if missing < LITTLE else self.unseen


def judge(aligned, gates):
    """Raise Rejected for an Aligned beyond a limit of the gates: it fits badly, is unlike people, or too much of it is
    cut off.
    """
    registered = aligned.registered
    allowed = gates.limit_unseen(aligned.missing) if aligned.expression is None else gates.unseen
    if aligned.expected_mm > allowed and aligned.missing < LITTLE:
        raise Rejected(
            "unlike_people",
            f"the scan lacks {aligned.missing:.0%} of the template's extent, and public people predict the face "
            f"from what it shows only to {aligned.expected_mm:.2f} mm (at most {allowed:.2f}): check that it is "
            "a whole face; if it shows hair or clothes, crop it to the face; if half of the face is cut off, "
            "scan it whole",
        )
    if aligned.expected_mm > allowed:
        raise Rejected(
            "partial_extent",
            f"the scan lacks {aligned.missing:.0%} of the template's extent, which public people predict only to "
            f"{aligned.expected_mm:.2f} mm (at most {allowed:.2f}): part of the face is cut off; scan it whole, "
            "or choose a smaller faces.extent.radius for all",
        )
    if registered.energy_after > gates.energy or registered.min_jacobian < gates.jacobian:
        raise Rejected(
            "unlike_template",
            f"the surface does not fit the template: energy {registered.energy_after:.2g} (at most "
            f"{gates.energy:g}), least Jacobian {registered.min_jacobian:.2g} (at least {gates.jacobian:g}): if "
            "the scan shows hair, clothes or half a face, crop it to the face or scan it whole; if sound faces "
            "are refused, these people need a template that is more like them (faces.template, made from public "
            "scans)",
        )
    if aligned.unlike > gates.unlike:
        raise Rejected(
            "unlike_people",
            f"the registered face is {aligned.unlike:.2f} times as unlike public people as almost any of them is "
            f"(at most {gates.unlike:.2f}), wherever the fit starts: look at the scan, or mark the nose tip in "
            "the sample sheet",
        )


# The likely error is learned on people of the public model. Of others it says too much (the formula's people: up to 3.7
# mm where they err by some 1.5), and a sound scan of theirs must not be lost for it; the review calls it doubtful.
WRONG = 2.0


def refuse_likely_wrong(errors, gates):
    """Raise Rejected for a face that is likely registered wrongly: its likely error exceeds WRONG times the gate
    `unseen`.

    errors : the fields of likely_error
    """
    limit = WRONG * gates.unseen
    if errors["error_mm"] > limit:
        region, mm = likely_error.find_worst(errors)
        raise Rejected(
            "likely_wrong",
            f"the registration is likely to be {errors['error_mm']:.2f} mm off (at most {limit:.2f}), most at the "
            f"{region} ({mm:.1f} mm): crop the scan to the face, mark the nose tip in the sheet, or scan it again",
        )


def refuse_without_relief(surface, template):
    """Raise Rejected for a registered surface that fits the template's outline but is no face: it has no nose and eyes.

    surface, template : (R, T, 3)
    """
    result = measure_relief(surface, template)
    if not result.is_of_a_face:
        raise Rejected(
            "no_face",
            f"the surface fits the template's outline, but is not a face: {result}; look at the scan: it is not "
            "used unless it shows nose, eyes and mouth",
        )
