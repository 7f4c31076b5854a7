"""What the release of a change or an asymmetry would be worth: noise, chance, how many people find a shift.

All of it follows from n, mu and public people's differences, or from public people's faces where none was scanned
twice: then the bound is that of whole faces, and so is the noise.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.people.samples import CHANGE
from shapedp.privacy import worth
from shapedp.privacy.curves.base import CurveSettings
from shapedp.privacy.differences import ShapedWithSpread, ShapesWithSpread, noise_of_square
from shapedp.privacy.learned.face_variation import Variation
from shapedp.privacy.shapes.base import Ball
from shapedp.releases.forecasting import find_least, tell_too_few
from shapedp.releases.kinds.change.release import (
    chance,
    chance_of_landmarks,
    noise_at_points,
    outside,
    outside_of_landmarks,
)
from shapedp.releases.model import released_model
from shapedp.surfaces.curve_mesh import Mirror

# People that are looked through; beyond it the forecast says that more than 100,000 are needed.
MOST = 1 << 17
# How near the number of people is found: the forecast says "about", and each step plans a mechanism anew.
CLOSE = 1.03
# A bulge such as a cheek: it is tried at so many places round the middle, this share of the face away from it, and
# falls off with so steep an edge.
PLACES, MIDDLE, STEEP = 8, 0.6, 3
POWER = 0.8
# What public people who were scanned twice save, about, since changes are so much smaller than faces.
FEW_TIMES = 5.0


def mechanism(variation: Variation, n: int, mu: float) -> ShapedWithSpread:
    """Return the mechanism that a release of n people's differences at mu would have."""
    center = variation.center
    return ShapedWithSpread.from_settings(CurveSettings(center.shape, n, variation, center, {"mu_total": mu}, {}))


def make_bulges(center: NDArray[np.float64], kind: str, share: float = released_model.SHARE) -> NDArray[np.float64]:
    """Return shifts (PLACES, J, 3, m) of length 1, changes that a forecast plants to see whether they are found.

    They lead outward, each over this share of the face, such as a cheek, round the nose; of asymmetries inward where
    the mirror image lies.
    """
    count, _, samples = center.shape
    r, theta = np.arange(1, count + 1)[:, None] / count, 2 * np.pi * np.arange(samples) / samples
    outward = center - center.mean(axis=(0, 2))[None, :, None]
    outward = outward / np.linalg.norm(outward, axis=1, keepdims=True)
    turn = 2 * np.pi * (np.arange(PLACES)[:, None, None] + 0.5) / PLACES
    far = (r * np.cos(theta) - MIDDLE * np.cos(turn)) ** 2 + (r * np.sin(theta) - MIDDLE * np.sin(turn)) ** 2
    shifts = np.exp(-((far / share) ** STEEP))[:, :, None] * outward
    return shifts if kind == CHANGE else shifts - Mirror.from_template(center)(shifts)


def is_found(planned: ShapedWithSpread, kind: str, shift: float) -> bool:
    """Return whether the release would show a bulge of this height, by which a forecast counts the people it takes.

    It is found if 8 times in 10 it is at most of its points, wherever it lies. It is planted in public people's
    differences, who are then clipped as the release will clip them; the axes that are released show a part of it; noise
    and chance are with what the noise on people's spread adds.
    """
    variation, chosen = planned.variation, planned.plan
    spread = float(variation.variances[chosen.axes].sum())
    people = variation.held_out[:, chosen.axes].astype(float)
    people -= people.mean(axis=0)
    # Tested at a share of the rate, as Benjamini and Hochberg test where that share of the points is found.
    needed = released_model.noncentrality(3, released_model.RATE * released_model.SHARE, POWER)
    for planted in shift * make_bulges(planned.center, kind):
        where = np.linalg.norm(planted, axis=1) > shift / 2
        # An asymmetry's bulge may lie where its own mirror image cancels it.
        if not where.any():
            continue
        shown, _, (_, off) = planned.simulate_without_noise(people + planned.project_on_axes(planted))
        axes = planned.axes.transpose(0, 2, 1, 3)[:, :, where][:, None]
        covariance = noise_at_points(shown, axes) + chance(variation, chosen, spread + off, planned.n, axes)
        moved = np.tensordot(shown.mean_along[0], axes, axes=1)[0].T
        squares = np.einsum("ma,ma->m", moved, np.linalg.solve(covariance[0], moved[..., None])[..., 0])
        # The worst of the places decides: nobody knows beforehand where people will change.
        if np.median(squares) < needed:
            return False
    return True


def people_needed(variation: Variation, kind: str, mu: float, shift: float) -> int | None:
    """Return about how many people a release takes to show a bulge of this height; None where MOST are not enough."""
    enough = lambda n: is_found(mechanism(variation, n, mu), kind, shift)  # noqa: E731
    # By ratios, since what matters of a number of people is how many times as many they are.
    halfway = lambda low, high: round(np.sqrt(low * high))  # noqa: E731
    is_close = lambda low, high: high <= low * CLOSE + 1  # noqa: E731
    return find_least(2, MOST, enough, middle=halfway, close=is_close)


def lines(entry: Mapping[str, Any], variation: Variation | None, n: int, scale: float) -> Iterator[str]:
    """Yield what the forecast says of a change or an asymmetry of faces: its error, and which bulge it would show.

    Parameters
    ----------
    entry : mapping
        Of `releases`.
    variation : Variation or None
        How public people's differences vary; not needed of too few.
    n : int
        People whom it is of.
    scale : float
        mm of the unit.
    """
    if n < 2:
        yield tell_too_few(entry, n, _times(entry))
        return
    mu = entry["budget"]["mu_total"]
    planned, kind = mechanism(variation, n, mu), entry["kind"].replace("_", " ")
    squares = (
        planned.expected_noise_square(),
        outside(variation, planned.plan, n),
        variation.spread / n,
    )
    noise, left_out, by_chance = (scale * np.sqrt(square) for square in squares)
    yield (
        f"{entry['name']}, {kind} of {n} people at mu = {mu:g}: noise {noise:.2g} mm, left out {left_out:.2g} mm if "
        "the mean differs from no difference by as much as the settings assume, "
        f"chance {by_chance:.2g} mm if people differ as in {variation.source}; "
        f"{worth.word_verdict(planned.worth().verdict, None)}"
    )
    needed = people_needed(variation, entry["kind"], mu, released_model.SHIFT / scale)
    from_n = "more than 100,000 people are needed" if needed is None else f"about {needed:,} people are needed"
    yield f"  to find {released_model.SHIFT:g} mm over {released_model.SHARE:.0%} of the face 8 times in 10, {from_n}"
    if entry["kind"] == CHANGE and " faces of " in variation.source:
        yield (
            "  no public person was scanned twice, so the noise is scaled to how far faces lie from each other: people "
            f"scanned twice in faces.bounds.reference_set (column `time`) make it about {FEW_TIMES:g} times smaller"
        )


def lines_of_landmarks(entry: Mapping[str, Any], ball: Ball, twice: bool) -> Iterator[str]:
    """Yield what the forecast says of a change or an asymmetry of shapes: how far it would err.

    Parameters
    ----------
    entry : mapping
        The entry.
    ball : Ball
        What is public of the shapes, with the number of people.
    twice : bool
        Whether a sheet names public people's times.
    """
    if ball.n < 2:
        yield tell_too_few(entry, ball.n, _times(entry))
        return
    planned = ShapesWithSpread(ball, entry["budget"])
    coordinates, kind = planned.coordinates, entry["kind"].replace("_", " ")
    noise, left_out, by_chance = (
        np.sqrt(square)
        for square in (coordinates.choice.noise, outside_of_landmarks(planned), coordinates.choice.sampling)
    )
    yield (
        f"{entry['name']}, {kind} of {planned.n} people at mu = {entry['budget']['mu_total']:g}: "
        f"noise {noise:.2g} rad, "
        f"left out {left_out:.2g} rad if the mean differs from no difference by as much as the settings assume, "
        f"chance {by_chance:.2g} rad if people differ as public ones do; "
        f"{worth.word_verdict(planned.worth().verdict, None)}"
    )
    spread, errors = float(coordinates.variation.held_out[: coordinates.choice.axes].sum()), planned.errors_along
    off = np.hypot(planned.noise_of_squares, noise_of_square(np.zeros_like(errors), errors))
    covariance = planned.noise_covariance() + chance_of_landmarks(planned, spread + off)
    shift = float(np.median(released_model.detectable(covariance, released_model.RATE * released_model.SHARE)))
    yield (
        f"  a shift of {released_model.SHARE:.0%} of the landmarks by {shift:.2g} of the shape's size (median over "
        "landmarks), along the released directions, is found 8 times in 10"
    )
    if entry["kind"] == CHANGE and not twice:
        yield (
            "  no public person was measured twice, so the noise is scaled to how far shapes lie from each other: "
            "records of people measured twice, with shapes.reference_sheet, make it smaller"
        )


def _times(entry):
    """Return at which times people had to be measured, in words; "" of an asymmetry."""
    return f" at both times, {' and '.join(map(repr, entry['times']))}" if entry["kind"] == CHANGE else ""
