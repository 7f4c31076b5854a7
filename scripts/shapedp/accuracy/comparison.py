"""The error table of the faces paper: how far releases of each mechanism lie from the means that are not private.

(a) of the point-wise mean: mean square distance, point by point; (b) of the curves to the nearest point of the
point-wise mean, after the least-squares scale a; (c) of the curves to the RKHS mean, point by point. Computed on the
private side, with seeded noise: it spends nothing because it is not published. `Cohort` gives them as lengths in mm,
with noise and bias apart.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from shapedp.mechanisms import curve_mean, smoothing

NO_DATA, CHANCE = "public reference, no data", "sampling error"
COLUMNS = (
    *("mechanism", "name", "reference", "bounds", "budget", "mu", "noise_mm", "bias_mm", "error_mm"),
    *("nearest_point_mm", "rkhs_mean_mm", "formally_private"),
)


def points(curves):
    """(J m, 3) the points of curves (J, 3, m)."""
    return np.moveaxis(curves, 1, 2).reshape(-1, 3)


def mean_square(one, other):
    """Mean over points of the squared distance between corresponding points of two sets of curves."""
    return float(np.mean(np.sum((points(one) - points(other)) ** 2, axis=1)))


def nearest_square(curves, target, tree):
    """Mean over the points a V_j of the squared distance to the nearest target point, a the least-squares scale.

    target : curves whose points stand in the tree, in correspondence with `curves` for the scale
    """
    mine, theirs = points(curves), points(target)
    a = np.sum(mine * theirs) / np.sum(mine**2)
    return float(np.mean(tree.query(a * mine)[0] ** 2))


def errors(mechanism, sums, pointwise_mean, rkhs_mean, source, draws):
    """(draws, 2) squared errors of seeded releases: to the point-wise mean, and to the RKHS mean.

    A release by points is compared point by point (a); curves by their nearest points (b); both with (c).
    """
    tree = cKDTree(points(pointwise_mean))
    rows = []
    for _ in range(draws):
        released = mechanism.draw(sums, source)
        if mechanism.gives_curves:
            to_mean = nearest_square(released, pointwise_mean, tree)
        else:
            to_mean = mean_square(released, pointwise_mean)
        rows.append((to_mean, mean_square(released, rkhs_mean)))
    return np.array(rows)


def summary(samples):
    """(mean, standard error) of each column."""
    return samples.mean(axis=0), samples.std(axis=0, ddof=1) / np.sqrt(len(samples))


@dataclass(frozen=True)
class Cohort:
    """A cohort's mean (J, 3, m); spread : mean squared distance of its people's points from it; n people; scale : mm
    of the unit; kernel : the settings that the RKHS mean is smoothed with.
    """

    mean: np.ndarray
    spread: float
    n: int
    scale: float
    kernel: dict

    @classmethod
    def of(cls, read, n, scale, kernel):
        """read(start, stop) gives people's curves."""
        mean = sum(read(*chunk).sum(axis=0) for chunk in curve_mean.chunks(n)) / n
        far = sum(np.sum((read(*chunk) - mean) ** 2) for chunk in curve_mean.chunks(n))
        return cls(mean, float(far) / mean[:, 0].size / max(n - 1, 1), n, scale, kernel)

    def without_noise(self, reference):
        """Rows beside the mechanisms: no data at all, and the chance in who takes part."""
        yield {"mechanism": NO_DATA, "error_mm": self._mm(mean_square(reference, self.mean))}
        yield {"mechanism": CHANCE, "error_mm": self._mm(self.spread / self.n)}

    def errors(self, made, sums, reference, source, draws):
        """{column: mm}: noise, bias (of the release without noise, from the mean) and both; and over seeded draws the
        paper's distances, to the mean and to the RKHS mean about the reference, which may be None.
        """
        noise, bias = made.noise_size() ** 2, mean_square(made.exact(sums), self.mean)
        center = 0.0 if reference is None else reference
        rkhs = center + smoothing.smooth(self.mean - center, smoothing.filters(self.mean.shape[-1], **self.kernel))
        nearest, to_rkhs = summary(errors(made, sums, self.mean, rkhs, source, draws))[0]
        return {
            "noise_mm": self._mm(noise),
            "bias_mm": self._mm(bias),
            "error_mm": self._mm(noise + bias),
            "nearest_point_mm": self._mm(nearest),
            "rkhs_mean_mm": self._mm(to_rkhs),
        }

    def _mm(self, square):
        return self.scale * float(np.sqrt(square))


def lines(rows):
    """Lines of a tab-separated table; what a row does not have stays empty."""
    yield "\t".join(COLUMNS)
    for row in rows:
        cells = (row.get(column, "") for column in COLUMNS)
        yield "\t".join(f"{cell:.4g}" if isinstance(cell, float) else str(cell) for cell in cells)
