"""A face model on the surface: what a release holds, and what follows from it: faces, bands, samples, differences.

Coordinates u lie on the surface as sum_i u_i back_i v_i, v_i the public axes. There, at each point, the noise and the
sampling of a contrast c of effects (`effects`) have the covariances (3, 3)

    noise     s1^2 |g|^2 P + E' Q E,   P = sum_i back_i^2 v_i v_i',   E (1 + p, 3) the effects at the point, g = M2^-1 c
    sampling  c' M2^-1 c R,            R of people about the effects

so that P, R, the effects and M2^-1 say it all.
"""

from dataclasses import dataclass

import numpy as np

from shapedp.model.effects import quadratic

FIELDS = (
    *("reference", "curves", "effects", "average", "inverse", "moment_noise", "noise_unit", "residual"),
    *("modes", "sd", "sd_noise", "kept", "floor", "shown", "radii", "scale"),
)


def fields(made, fitted, found):
    """What is released of a mechanism.FaceModel's draw, in unit-area faces."""
    shaped, leading = made.shaped, made.moments.leading
    basis, shape = _basis(shaped), shaped.center.shape
    effects = np.asarray(fitted.coefficients @ basis, dtype=float).reshape(-1, *shape)
    effects[0] += shaped.center
    directions = (found.axes[: made.modes] @ basis[:leading]).reshape(-1, *shape)
    return {
        "reference": shaped.center,
        "curves": np.tensordot(fitted.average, effects, axes=1),
        "effects": effects,
        "average": fitted.average,
        "inverse": fitted.inverse,
        "moment_noise": np.array([fitted.s1, fitted.s2, made.moments.noise[2]]),
        "noise_unit": _at_points(basis, shape),
        "residual": _at_points((_root(fitted.residual) @ basis).astype(np.float32), shape),
        "modes": directions,
        "sd": found.sd[: made.modes],
        "sd_noise": found.sd_noise[: made.modes],
        "kept": found.kept[: made.modes],
        "floor": found.floor,
        "shown": min(found.shown, made.modes),
    }


def foretold(made):
    """(noise, sampling) covariances (J, m, d, d) of the mean that a mechanism.FaceModel draws, if its people are like
    the public ones; in unit-area faces.
    """
    basis, shape = _basis(made.shaped), made.center.shape
    noise = (made.moments.noise[0] / made.n) ** 2 * _at_points(basis, shape)
    return noise, _at_points(np.sqrt(made.variances)[:, None] * basis, shape) / made.n


def _basis(shaped):
    """(q, J * d * m) what one of each u is on the surface."""
    return (shaped.back[:, None] * shaped.axes.reshape(len(shaped.axes), -1)).astype(np.float32)


def _at_points(rows, shape):
    """(J, m, d, d) sum over rows (q, J * d * m) of their outer products at each point."""
    parts, d = rows.reshape(-1, *shape), shape[1]
    return np.stack(
        [np.stack([np.einsum("qjm,qjm->jm", parts[:, :, a], parts[:, :, b]) for b in range(d)], -1) for a in range(d)],
        -2,
    )


def _root(covariance):
    values, vectors = np.linalg.eigh(covariance)
    return np.sqrt(np.maximum(values, 0))[:, None] * vectors.T


@dataclass(frozen=True)
class Released:
    """A released model of faces, lengths in mm of the template's size, fields as `artifacts.FACE_MODEL` has them; or of
    shapes, lengths in radian, as `artifacts.SHAPE_MODEL` has them, a shape of k landmarks as one curve (1, d, k).

    covariates : covariates.Covariate each, in the order of the rows of `effects` after the first
    """

    reference: np.ndarray
    effects: np.ndarray
    average: np.ndarray
    inverse: np.ndarray
    moment_noise: np.ndarray
    noise_unit: np.ndarray
    residual: np.ndarray
    modes: np.ndarray
    sd: np.ndarray
    shown: int
    radii: np.ndarray | None
    covariates: tuple

    @property
    def unit(self):
        """Of lengths."""
        return "radian" if self.radii is None else "mm"

    def length(self, squares):
        """From squared lengths (J, m) at the points: root mean square of a face's, that of a shape's as a whole."""
        return float(np.sqrt(np.mean(squares) if self.radii is not None else np.sum(squares)))

    @classmethod
    def of(cls, values, covariates):
        """From the fields of a release."""
        scale = float(values["scale"])
        return cls(
            reference=values["reference"] * scale,
            effects=values["effects"] * scale,
            average=values["average"],
            inverse=values["inverse"],
            moment_noise=values["moment_noise"],
            noise_unit=values["noise_unit"] * scale**2,
            residual=values["residual"] * scale**2,
            modes=values["modes"].astype(float),
            sd=values["sd"] * scale,
            shown=int(values["shown"]),
            radii=values["radii"],
            covariates=tuple(covariates),
        )

    @property
    def people(self):
        """How many took part: the first entry of M2."""
        return float(np.linalg.inv(self.inverse)[0, 0])

    @property
    def mean(self):
        """(J, 3, m) of everybody."""
        return self.at(self.average)

    def z(self, given):
        """(1 + p,) for {name: value}; covariates that are not given as they are on average."""
        return np.array(
            [1.0]
            + [
                one.value(given[one.name]) if one.name in given else average
                for one, average in zip(self.covariates, self.average[1:], strict=True)
            ]
        )

    def at(self, contrast):
        """(J, 3, m) the mean face at z = contrast, or a difference of two such."""
        return np.tensordot(contrast, self.effects, axes=1)

    def noise_covariance(self, contrast):
        """(J, m, 3, 3) of the privacy noise."""
        g, (s1, s2, _) = self.inverse @ contrast, self.moment_noise
        b = self.effects.copy()
        b[0] -= self.reference
        weighed = np.tensordot(quadratic(g, s2), b, axes=1)
        return s1**2 * (g @ g) * self.noise_unit + np.einsum("ajkm,ajlm->jmkl", b, weighed)

    def sampling_covariance(self, contrast):
        """(J, m, 3, 3) by chance in who takes part."""
        return float(contrast @ self.inverse @ contrast) * self.residual

    def covariances(self, contrast):
        """(noise, sampling)."""
        return self.noise_covariance(contrast), self.sampling_covariance(contrast)

    def covariance(self, contrast):
        """Both together."""
        return sum(self.covariances(contrast))

    def face(self, weights, contrast=None):
        """(J, 3, m) the face that lies weights (k,) standard deviations along the first k modes from a mean face."""
        k = len(weights)
        moved = np.tensordot(np.asarray(weights) * self.sd[:k], self.modes[:k], axes=1)
        return self.at(self.average if contrast is None else contrast) + moved

    def sample(self, count, rng):
        """(count, J, 3, m) synthetic faces: normal weights on the modes that stand above the noise."""
        return np.stack([self.face(rng.standard_normal(self.shown)) for _ in range(count)])


def band(covariance):
    """(J, m) root mean square distance from covariances (J, m, 3, 3) at the points."""
    return np.sqrt(np.maximum(np.trace(covariance, axis1=-2, axis2=-1), 0))
