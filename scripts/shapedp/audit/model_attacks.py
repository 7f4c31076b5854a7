"""The worst pair for a face model, without sampling: how far two people move its three sums apart, beside the noise."""

import numpy as np

from shapedp.audit import curve_attacks
from shapedp.model.covariates import Covariate
from shapedp.model.mechanism import FaceModel

TURNS = np.linspace(-1, 1, 81)  # cosines of the angle between the two people's coordinates
COVARIATES = (Covariate("age", 20.0, 60.0),)


def made():
    """The model of the audit's made-up people at the audit's mu, with one covariate."""
    variation = curve_attacks.learned(curve_attacks.public_people())
    return FaceModel.of(variation, curve_attacks.PEOPLE, curve_attacks.MU, COVARIATES, 2)


def distance(moments, one, other):
    """d' of the exact sums of two people (u, a) each: all entries over their noise, matrices in Frobenius' norm."""
    sums = [moments.sums(u[None], a[None]) for u, a in (one, other)]
    parts = [
        np.linalg.norm((x - y).astype(float)) * step / sd
        for x, y, step, sd in zip(*sums, moments.steps, moments.noise, strict=True)
        if np.isfinite(sd)
    ]
    return float(np.linalg.norm(parts))


def exact():
    """(claim, largest d' over pairs at their bounds, at every angle and either end of the covariate)."""
    moments = made().moments
    first, second = moments.tau * np.eye(moments.q)[:2]
    ends = (np.ones(moments.p), -np.ones(moments.p))
    pairs = (((first, ends[0]), (d * first + np.sqrt(1 - d**2) * second, end)) for d in TURNS for end in ends)
    return moments.mu, max(distance(moments, *pair) for pair in pairs)
