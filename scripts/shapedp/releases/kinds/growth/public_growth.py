"""What public people tell of growth: the curve that is taken off before the clip, and how much lies beside it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.releases.kinds.growth.functions import Floats, Functions
from shapedp.releases.kinds.growth.likelihood import TURNED, Fit, fit_functions

# Omega of a straight line where public people have no ages, a public guess; a quarter of it for each further degree.
GUESSED = 0.03
# Share of what age is foretold to explain, by which a cohort may grow otherwise than public people.
UNLIKE = 0.25
# Public people for each function of age, below which nothing is learned of their growth.
LEAST = 4


def guess_omegas(functions: Functions) -> Floats:
    """Return the omega (p,) of each function, before anybody was asked."""
    return np.tile(GUESSED / 4.0 ** np.maximum(np.arange(functions.count) - 1, 0), 1 + functions.by)


def spread_along(variation: Any) -> Floats:
    """Return the variances (a,) of public people along all axes, none of them 0."""
    return np.maximum(variation.variances, 1e-6 * variation.variances.max())


@dataclass(frozen=True)
class Public:
    """What public people tell of growth: coefficients (p, a) of z along axes, in lengths; omegas (p,) that are expected
    of how people of the cohort deviate from it.
    """

    functions: Functions
    coefficients: Floats
    omegas: Floats

    @classmethod
    def unknown(cls, functions: Functions, axes: int) -> "Public":
        """Return what holds where no public person's age is known: no growth, and a guess of how much there may be."""
        return cls(functions, np.zeros((functions.size, axes)), guess_omegas(functions))

    @classmethod
    def from_people(
        cls, functions: Functions, seen: "Seen | None", variation: Any, axes: NDArray[np.int64]
    ) -> "Public":
        """Return the public curve of age, taken off people before the clip; a guess where few have known ages."""
        if seen is None or len(seen.coded) < LEAST * functions.size:
            return cls.unknown(functions, len(axes))
        z, variances = functions.evaluate(seen.coded), spread_along(variation)[axes]
        m2 = z.T @ z + 1e-6 * len(z) * np.eye(functions.size)
        m1 = z.T @ seen.along(variation.axes(axes))
        fit = fit_functions(m1, m2, variances, variances, functions.kappa)
        left = np.einsum("qaa,a->qa", fit.covariances, functions.kappa**2) / variances[:, None]
        least_omegas = np.maximum(fit.omegas.mean(axis=1), guess_omegas(functions))
        return cls(functions, fit.coefficients, left.mean(axis=0) + UNLIKE * least_omegas)

    def forecast_omegas(self, functions: Functions) -> tuple[Floats, float]:
        """Return the shares of people's variance that other functions of age may explain, and the share they leave out.

        By these `forecast_errors` compares splines of several degrees before anything is released.

        Parameters
        ----------
        functions : Functions
            Some of the public functions, of the same range.

        Returns
        -------
        omegas : (p,) float
            Of each function, as public people tell it, or as it is guessed.
        missing : float
            Omega of further functions of this range, and of what no spline on these knots follows.
        """
        place = self.functions.find_places(functions)
        beyond = (1 + functions.by) * self.beyond
        return self.omegas[place], beyond + float(np.delete(self.omegas, place).sum())

    @property
    def beyond(self) -> float:
        """Omega of what no spline on these knots follows, of each level: the guess is all that is known."""
        return GUESSED / 4.0 ** (self.functions.count - 1) * 4 / 3


@dataclass(frozen=True)
class Seen:
    """Public people whose ages are known: curves' deviations from the reference (n, J, 3, m), coded covariates."""

    deviations: NDArray[Any]
    coded: Floats

    def along(self, axes: Floats) -> Floats:
        """Return coordinates (n, k) along axes (k, J, 3, m)."""
        flat = self.deviations.reshape(len(self.deviations), -1)
        return (flat @ axes.reshape(len(axes), -1).T).astype(float) / (axes.shape[1] * axes.shape[3])


def with_the_rest(fit: Fit, functions: Functions, public_curve: "Public", sizes: Floats) -> Fit:
    """Return the Fit of `functions` as one of all public functions, so that what was not fitted counts as not known.

    The others are left at 0, their omegas as expected. To what is not known comes a curve that turns near an end of the
    range, as growth does: coefficients of functions that are alike go together in it, so that what smoothing takes of
    them adds up there.
    """
    full = public_curve.functions
    place, every = full.find_places(functions), np.arange(full.size)
    omegas = np.tile(public_curve.omegas[:, None], len(sizes))
    coefficients, (missed, covariances) = np.zeros_like(omegas), np.zeros((2, len(sizes), full.size, full.size))
    # Functions that are not fitted stay at 0 and keep the omegas that public people tell, or that are guessed.
    omegas[place], coefficients[place] = fit.omegas, fit.coefficients
    sd = np.sqrt(omegas * sizes).T / full.kappa
    missed[:, every, every], covariances[:, every, every] = 1.0, sd**2
    missed[:, place[:, None], place], covariances[:, place[:, None], place] = fit.missed, fit.covariances
    turned = np.einsum("qab,qb,cb->qca", missed, sd, full.alike)
    covariances += TURNED / (1 + full.by) * np.einsum("qca,qcb->qab", turned, turned)
    return Fit(coefficients, covariances, missed, omegas)
