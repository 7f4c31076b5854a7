"""How far seeded releases lie from the mean that is not private: faces by the paper's table, shapes by their distance.

The error table of the faces paper has the distances (a) of the point-wise mean: mean square distance, point by point;
(b) of the curves to the nearest point of the point-wise mean, after the least-squares scale a; (c) of the curves to the
RKHS mean, point by point. Computed on the private side, with seeded noise: it spends nothing because it is not
published. `Cohort` gives them as lengths in mm, with noise and bias apart.

Mean shapes are released by every mechanism at matched guarantees. Pure releases have epsilon = 1; the Gaussian one has
the mu whose (epsilon, delta) curve passes through (1, 1e-6), which is the weaker promise. Seeded, so that a table
repeats; they spend nothing because they are not published.
"""

from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
import scipy

from shapedp.base.errors import RefusedRelease
from shapedp.privacy import noise
from shapedp.privacy.accounting.cost import PURE, gdp_mu
from shapedp.privacy.curves.bounds import filters, smooth
from shapedp.privacy.manifolds.landmark_shapes import LandmarkShapes, dist
from shapedp.privacy.shapes import contour
from shapedp.privacy.shapes.base import as_real
from shapedp.privacy.statistic import Rows, ask, chunks
from shapedp.releases import shape_mechanisms

# Noised means of which errors are told, where a correction follows from them.
MEANS_DRAWN = 20
NO_DATA, CHANCE = "public reference, no data", "sampling error"
COLUMNS = (
    *("mechanism", "name", "reference", "bounds", "budget", "mu", "noise_mm", "bias_mm", "error_mm"),
    *("nearest_point_mm", "rkhs_mean_mm", "formally_private"),
)


def flatten_points(curves):
    """Return the points (J m, 3) of curves (J, 3, m)."""
    return np.moveaxis(curves, 1, 2).reshape(-1, 3)


def mean_squared_distance(first, second):
    """Return the mean squared distance of corresponding points of two sets of curves, by which releases are compared.

    The faces paper has it as its errors (a) and (c).

    Parameters
    ----------
    first, second : (J, 3, m) array
        Curves in one unit, in correspondence.
    """
    return float(np.mean(np.sum((flatten_points(first) - flatten_points(second)) ** 2, axis=1)))


def mean_squared_nearest(curves, target, tree):
    """Return the mean squared distance from points a V_j to the nearest target point, by which releases are compared.

    The faces paper has it as its error (b); a is the least-squares scale.

    Parameters
    ----------
    curves : (J, 3, m) array
        Whose points are V_j.
    target : (J, 3, m) array
        In correspondence with `curves`, for the scale.
    tree : scipy.spatial.cKDTree
        Of the target's points.
    """
    moved, fixed = flatten_points(curves), flatten_points(target)
    a = np.sum(moved * fixed) / np.sum(moved**2)
    return float(np.mean(tree.query(a * moved)[0] ** 2))


def draw_errors(mechanism, sums, pointwise_mean, rkhs_mean, source, draws):
    """Return squared errors (draws, 2) of seeded releases of faces, for the private table that compares mechanisms.

    They are to the point-wise mean, and to the RKHS mean of the faces paper, whose error table has three distances: a
    release by points is compared with the first point by point (a), one by curves by their nearest points (b); both
    with the second (c).
    """
    # Noise of centimetres visits most leaves: large ones.
    tree = scipy.spatial.cKDTree(flatten_points(pointwise_mean), leafsize=64)
    rows = []
    for _ in range(draws):
        released = mechanism.draw(sums, source)
        if mechanism.gives_curves:
            to_mean = mean_squared_nearest(released, pointwise_mean, tree)
        else:
            to_mean = mean_squared_distance(released, pointwise_mean)
        rows.append((to_mean, mean_squared_distance(released, rkhs_mean)))
    return np.array(rows)


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
    def from_reader(cls, read, n, scale, kernel):
        """Return the Cohort whose mean mechanisms are compared by; read(start, stop) gives curves of some of n people.

        So not all need be in memory at once.
        """
        mean = sum(read(start, stop).sum(axis=0) for start, stop in chunks(n)) / n
        squared_distance = sum(np.sum((read(start, stop) - mean) ** 2) for start, stop in chunks(n))
        return cls(mean, float(squared_distance) / mean[:, 0].size / max(n - 1, 1), n, scale, kernel)

    def without_noise(self, reference):
        """Yield the rows beside the mechanisms: no data at all, and the chance in who takes part."""
        yield {"mechanism": NO_DATA, "error_mm": self._mm(mean_squared_distance(reference, self.mean))}
        yield {"mechanism": CHANCE, "error_mm": self._mm(self.spread / self.n)}

    def errors(self, mechanism, sums, reference, source, draws):
        """Return {column: mm} of a mechanism's errors on this cohort, a row of the table that compares mechanisms.

        They are the noise, the bias (of the release without noise, from the mean) and both; and over seeded draws the
        paper's distances, to the mean and to the RKHS mean about the reference, which may be None.

        What is corrected follows from the noised mean: errors are then of MEANS_DRAWN seeded ones, over what the same
        err by uncorrected, times what that is known to be; bias is what errs beyond the noise left.
        """
        exact = mechanism.exact_mean(sums)
        noise, bias = mechanism.noise_left() ** 2, mean_squared_distance(mechanism.decode(exact), self.mean)
        if mechanism.decoder_for(exact) is not mechanism:
            means = [mechanism.noised_mean(sums, source)[0] for _ in range(MEANS_DRAWN)]
            corrected_mechanisms = [mechanism.decoder_for(mean) for mean in means]
            squared_errors = sum(
                mean_squared_distance(corrected.decode(mean), self.mean)
                for corrected, mean in zip(corrected_mechanisms, means, strict=True)
            )
            error = (
                (noise + bias)
                * squared_errors
                / sum(mean_squared_distance(mechanism.decode(mean), self.mean) for mean in means)
            )
            noise = np.mean([corrected.noise_left() ** 2 for corrected in corrected_mechanisms])
            bias = max(0.0, error - noise)
        center = 0.0 if reference is None else reference
        rkhs = center + smooth(self.mean - center, filters(self.mean.shape[-1], **self.kernel))
        nearest, to_rkhs = draw_errors(mechanism, sums, self.mean, rkhs, source, draws).mean(axis=0)
        squares = {"noise": noise, "bias": bias, "error": noise + bias, "nearest_point": nearest, "rkhs_mean": to_rkhs}
        return {f"{name}_mm": self._mm(square) for name, square in squares.items()}

    def _mm(self, square):
        """Return a squared length in units of the template as a length in mm."""
        return self.scale * float(np.sqrt(square))


def format_table(rows):
    """Yield the lines of the private table of errors: how far each mechanism's releases lie from the cohort's mean.

    They are tab-separated; what a row does not have stays empty.
    """
    yield "\t".join(COLUMNS)
    for row in rows:
        cells = (row.get(column, "") for column in COLUMNS)
        yield "\t".join(f"{cell:.4g}" if isinstance(cell, float) else str(cell) for cell in cells)


EPSILON, DELTA, SEED = 1.0, 1e-6, 409
CENTER, SAMPLING = "public center, no data", "sampling error"


def compared(ball):
    """Return the mechanisms of mean shapes that an operator sees compared on a cohort's own records, in private.

    Each is in all landmarks and in the ball's modes. A mechanism whose conditions on the radius do not hold is left
    out. Those that look at the contour come first.
    """
    follows_contour = lambda named_mechanism: named_mechanism[1].in_basis or named_mechanism[1].along_contour  # noqa: E731
    mechanisms = []
    for name, mechanism in sorted(shape_mechanisms.list_mechanisms().items(), key=follows_contour, reverse=True):
        for modes in [ball.modes] if mechanism.along_contour else sorted({0, ball.modes if mechanism.in_basis else 0}):
            with suppress(RefusedRelease):
                mechanisms.append(make_mechanism(name, ball, modes))
    return mechanisms


def make_mechanism(name, ball, modes):
    """Return the mechanism at the budget that all have in the comparison, whatever it is worth there.

    It is in a basis of its own.
    """
    # Each mechanism takes one of the two.
    budget = {"epsilon": EPSILON, "mu_total": gdp_mu(EPSILON, DELTA)}
    return shape_mechanisms.make(name, replace(ball, modes=modes), budget, worth_it_anyway=True)


def guarantee(mechanism):
    """Return what a release of this mechanism promises, in words for a row of the comparison's table."""
    if mechanism.calibration != "proved":
        return "none (as published)"
    cost = mechanism.cost()
    return f"epsilon = {cost.epsilon:g}" if cost.kind == PURE else f"mu = {cost.mu:.4g}: ({EPSILON:g}, {DELTA:g})"


def draws(mechanism, z, count, bandwidth=None):
    """Return seeded releases (count, *p0.shape) of the mean of shapes z, to compare their distances to the true mean.

    Each asks the same of the same people first, who are summed once.

    Parameters
    ----------
    mechanism : mechanism of shapes
        As `make_mechanism` returns it.
    z : (n, k) complex array, or (n, k, 3) array
        People's shapes.
    count : int
        How many releases.
    bandwidth : float
        Of the smoothing along the contour; None: not smoothed.
    """
    source, people = noise.SeededNoise(SEED), Rows.of(as_real(z))
    stage = mechanism.stage(())
    sums = stage.sums(people)
    answers = (ask(mechanism, people, source, (stage.noised(sums, source),)) for _ in range(count))
    return np.array([mechanism.published(answer, bandwidth) for answer in answers])


def list_without_noise(z, p0, mean):
    """Yield the rows that mechanisms are judged by: the public center with no data, and the mean's error by chance.

    Chance is in who takes part.

    Parameters
    ----------
    z : (n, k) complex array, or (n, k, 3) array
        People's shapes.
    p0 : (k,) complex array, or (k, 3) array
        The public center; None leaves its row out.
    mean : as `p0`
        The mean shape of the people, which is not private.
    """
    sampling = np.sqrt(np.mean(dist(as_real(mean), as_real(z)) ** 2) / len(z))
    rows = [] if p0 is None else [(CENTER, "no data", p0, dist(as_real(mean), as_real(p0)))]
    for name, guarantee, shape, distance in [*rows, (SAMPLING, "not released", mean, sampling)]:
        count = float(_count_crossings(shape[None])[0])
        row = {"mechanism": name, "modes": 0, "guarantee": guarantee, "distance": float(distance), "distance_se": 0.0}
        yield row | {"crossings": count, "share_without_crossings": float(count == 0)}


def draw_without_noise(z, p0, mean, count):
    """Return {(basis, row): shapes (., k, d)} of `list_without_noise`'s rows, pictured beside mechanisms' releases.

    They are p0, and `count` means of as many records as z has, drawn from z again with replacement: these lie about the
    mean as it does about that of all people.

    Parameters
    ----------
    z : (n, k) complex array, or (n, k, 3) array
        People's shapes.
    p0 : (k,) complex array, or (k, 3) array
        The public center; None leaves its row out.
    mean : as `p0`
        The mean shape of the people, which is not private.
    count : int
        How many means.
    """
    tangent_space = LandmarkShapes(as_real(mean))
    deviations, rng = tangent_space.deviations(as_real(z)), np.random.default_rng(SEED)
    resampled = np.array(
        [deviations[rng.integers(0, len(deviations), len(deviations))].mean(axis=0) for _ in range(count)]
    )
    center = {} if p0 is None else {("public", CENTER): as_real(p0)[None]}
    return center | {("records drawn again", SAMPLING): tangent_space.shape(resampled)}


def figures(mean, drawn):
    """Return what the comparison's table says of a mechanism's drawn releases.

    That is the distance to the mean, its standard error, how often outlines cross themselves, the share without any.

    Parameters
    ----------
    mean : (k,) complex array, or (k, 3) array
        The mean shape that is not private.
    drawn : (count, k) complex array, or (count, k, 3) array
        Releases.

    Returns
    -------
    dict
        `distance` and `distance_se`, in radian; `crossings` a release; `share_without_crossings`.
    """
    distance = dist(as_real(mean), as_real(drawn))
    crossings = _count_crossings(drawn)
    return {
        "distance": distance.mean(),
        "distance_se": distance.std(ddof=1) / np.sqrt(len(distance)),
        "crossings": crossings.mean(),
        "share_without_crossings": np.mean(crossings == 0),
    }


def _count_crossings(shapes):
    """Return of planar outlines with themselves; none in space."""
    return contour.crossings(shapes) if np.iscomplexobj(shapes) else np.zeros(len(shapes))
