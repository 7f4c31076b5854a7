"""Foretell, before anybody is asked, how far a mean that is drawn to the public one will lie from the truth."""

import numpy as np

from shapedp.privacy.learned.clips import (
    find_left_by_clipping,
    forecast_clipping_bias,
)
from shapedp.privacy.learned.face_variation import describe_unreleased
from shapedp.privacy.learned.likely_shares import FAR, LIKE, find_error_shares, find_likely_shares, group_axes
from shapedp.privacy.learned.noised_means import CAREFULLY


def forecast_squares(variation, plan, n, unit):
    """Return (noise, bias) that forecasts state of a mean face, squares per point, of n people like the public set.

    Noise is as much of it as is left beside chance; the bias is what is not released or clipped.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    plan : ReleasePlan
        The released axes and their bound.
    n : int
        People in the cohort.
    unit : float
        Variance of the noise on the mean of u.
    """
    drawn = unit * plan.weights / find_left_by_clipping(variation, plan) ** 2
    return forecast_noise(variation, plan, n, drawn), forecast_unreleased(variation, plan, n)


def forecast_noise(variation, plan, n, drawn):
    """Return the squared error by noise that forecasts expect once noise is taken off: what is left beside chance.

    It is of n people like the public ones.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    plan : ReleasePlan
        The released axes and their bound.
    n : int
        People in the cohort.
    drawn : (k,) array
        Variances of the noise, in squared lengths on the face.
    """
    spread, chance = variation.falling_variances[plan.axes], 1 / n + 1 / variation.people
    seen = np.sqrt(spread * chance + drawn)
    likely = chance * (1 + FAR[:, None, None]) * spread
    shares, doubt = find_likely_shares(seen, likely, drawn, group_axes(variation, plan), like=LIKE)
    return float(find_error_shares(shares, doubt, seen / np.sqrt(drawn), CAREFULLY) @ drawn)


def forecast_unreleased(variation, plan, n):
    """Return the squared error that forecasts expect by what is not released of a mean, or clipped.

    It is of n people like the public ones.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    plan : ReleasePlan
        The released axes and their bound.
    n : int
        People in the cohort.
    """
    left = describe_unreleased(variation, plan, n)
    return float(left.errors @ left.errors) + left.outside + forecast_clipping_bias(variation, plan, n)
