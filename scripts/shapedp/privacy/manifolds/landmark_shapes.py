"""Shapes of k landmarks in the plane or in space, seen from one public shape p0: turned to it, then in the flat space
tangent to the sphere of centered unit configurations at p0.

Turning without reflection; size and position are taken off. In the plane this is Kendall's space, with its distance and
logarithm; in space the same formulas hold wherever the best rotation is unique, and any best one serves where it is
not, so that every record has its deviation. Configurations are real (..., k, d), d = 2 or 3.

A landmark that a record lacks stands where the public center and the public covariance expect it, record by record.
Semilandmarks slide along p0's curves to the least distance from p0, or to the least bending energy, and a shape
averaged with its mirror image leaves out what is asymmetric: linear maps of the deviation that p0 alone decides, so
that no record has a say in another's; see "What does not count" in docs/mathematics.md.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from shapedp.base.errors import ConfigError, Rejected
from shapedp.privacy.manifolds import axes as canonical

# Of the covariance's mean variance: what landmarks vary by themselves.
RIDGE = 1e-3
# Of the largest energy along a direction: what bends less is affine, and does not slide.
LEAST_BENT = 1e-10
# Of a public mean: steps, and the length of the last one.
MOST_STEPS, TOLERANCE = 50, 1e-12
# The share of a shape's distance that a mistake must take off to be named, and how many landmarks are looked at.
SLIP, TRIED = 0.5, 30
# What semilandmarks slide to the least of, unless it is the bending energy.
PROCRUSTES = "procrustes"


def fill_missing(records, p0, covariance=None):
    """Return records with each missing landmark where p0 has it, once p0 is laid on the landmarks that are there.

    One with fewer than d + 1 landmarks is left as it is.

    Parameters
    ----------
    records : (n, k, d) float
        Landmarks; those that are not finite are missing.
    p0 : (k, d) float
        The public center.
    covariance : (k d, k d) float or None
        Of deviations from p0. With it a missing landmark is also moved as it goes with those that are there.
    """
    out = np.array(records, dtype=float)
    is_present = np.isfinite(out).all(axis=-1)
    if covariance is not None and not np.trace(covariance) > 0:
        # Public shapes that are all alike tell nothing of how one landmark goes with another.
        covariance = None
    for row in np.flatnonzero(~is_present.all(axis=1) & (is_present.sum(axis=1) > out.shape[2])):
        is_present_here = is_present[row]
        middle, size = _frame(out[row, is_present_here])
        expected = (
            _expected(p0, covariance, (out[row, is_present_here] / size - middle), is_present_here)
            if size > 0
            else np.nan
        )
        with np.errstate(over="ignore"):
            out[row, ~is_present_here] = (expected + middle) * size
    return out


# The audit breaks this function, to see that numbers without it would be seen.
def _frame(points):
    """Return (middle, size) by which a record's points are scaled so that no square overflows, whatever they are.

    points / size - middle lie within [-2, 2]; the size is a power of 2. So the decomposition that follows comes to an
    end for each.
    """
    size = 2.0 ** min(np.frexp(np.abs(points).max())[1], 1023)
    return (points / size).mean(axis=0), size


def _expected(p0, covariance, points, is_present):
    """Return a record's missing landmarks, as expected from its known ones, points: E[missing | known].

    They are those of p0 by the turn and the scale that lay it on the known ones, moved by C_mk C_kk^-1 (points - p0).
    """
    from_mean, to_mean = p0[is_present].mean(axis=0), points.mean(axis=0)
    turn, size = _best_turn((p0[is_present] - from_mean).T @ (points - to_mean)), np.linalg.norm(points - to_mean)
    with np.errstate(all="ignore"):
        scale = size / np.linalg.norm(p0[is_present] - from_mean)
        expected = p0[~is_present]
        if covariance is not None:
            offsets = np.nan_to_num((points - to_mean) @ turn.T / scale + from_mean - p0[is_present]).ravel()
            rows = np.repeat(is_present, p0.shape[1])
            ridge = RIDGE * np.trace(covariance) / len(covariance) * np.eye(rows.sum())
            moves = np.linalg.solve(covariance[np.ix_(rows, rows)] + ridge, offsets)
            expected = expected + (covariance[np.ix_(~rows, rows)] @ moves).reshape(expected.shape)
        return (expected - from_mean) @ turn * scale + to_mean


def bending_matrix(p0):
    """Return the thin-plate matrix B (k, k) that says how much a deviation bends a center p0 (k, d).

    Axes are ordered by it, and semilandmarks slide to the least. The spline that takes p0 to p0 + x bends by trace(x' B
    x) but for a constant. All landmarks of p0 must differ. B = N (N' K N)^-1 N', N a basis of what is orthogonal to 1
    and p0's coordinates, K the kernel r^2 log r in the plane and -r in space (Bookstein 1989).
    """
    r = np.linalg.norm(p0[:, None] - p0[None], axis=-1)
    distances = r + np.eye(len(p0))
    if not distances.all():
        raise ConfigError(
            "shapes.sliding: two landmarks of the center coincide, so no spline can be bent to it; use procrustes"
        )
    kernel = r**2 * np.log(distances) if p0.shape[1] == 2 else -r
    n = scipy.linalg.null_space(np.column_stack([np.ones(len(p0)), p0]).T)
    return n @ np.linalg.solve(n.T @ kernel @ n, n.T)


def find_sliding(p0, along):
    """Return the linear map by which semilandmarks slide to the least bending energy: x to x - (x normals') steps.

    It is (normals, steps), each (s, k d).

    Parameters
    ----------
    p0 : (k, d) float
        The center.
    along : (s', k, d) float
        Directions along which landmarks may slide.
    """
    u = along.reshape(len(along), -1)
    bent_directions = (bending_matrix(p0) @ along).reshape(u.shape)
    energy, directions = np.linalg.eigh(u @ bent_directions.T)
    is_bending = energy > LEAST_BENT * energy.max(initial=0.0)
    directions = (directions[:, is_bending] / np.sqrt(energy[is_bending])).T
    return directions @ bent_directions, directions @ u


@dataclass(frozen=True)
class LandmarkShapes:
    """Shapes of landmarks, seen from p0; see the module.

    p0 : (k, d), centered and of unit size
    ignored : (i, k, d) public directions in which deviations do not count
    slid : (s, k, d) those along which a record slides to the least bending energy
    """

    p0: np.ndarray
    ignored: np.ndarray | None = None
    slid: np.ndarray | None = None

    @property
    def dim(self):
        """Return k d - d - 1 - d (d - 1)/2 less what is ignored: without position, size and rotation."""
        return self.p0.size - len(self.fixed())

    def fixed(self):
        """Return orthonormal directions (f, k d) in which deviations do not count: size, place, turn, what is ignored.

        In some no shape differs from p0; others are ignored; in the rest no shape differs that has slid.
        """
        k, d = self.p0.shape
        axes = np.eye(d)
        shifts = [np.outer(np.ones(k), axis) for axis in axes]
        generators = (np.outer(axes[i], axes[j]) - np.outer(axes[j], axes[i]) for i in range(d) for j in range(i))
        ignored = [] if self.ignored is None else self.ignored
        directions = np.array([self.p0, *shifts, *(self.p0 @ turn for turn in generators), *ignored]).reshape(-1, k * d)
        normals = self._sliding[0]
        normals = normals / np.linalg.norm(normals, axis=1, keepdims=True)
        return scipy.linalg.orth(np.concatenate([directions, normals]).T).T

    @cached_property
    def _sliding(self):
        """Return how this center's semilandmarks slide, (normals, steps) (s, k d) of `find_sliding`, found once."""
        no_directions = np.zeros((0, self.p0.size))
        return (
            (no_directions, no_directions)
            if self.slid is None or not len(self.slid)
            else find_sliding(self.p0, self.slid)
        )

    def kept(self, shapes):
        """Return unit shapes (n, k, d) without what is ignored of their deviations."""
        x, fixed = self.deviations(shapes), self.fixed()
        return self.shape(x - (x @ fixed.T) @ fixed)

    def deviations(self, records):
        """Return how records (n, k, d) deviate from p0, log_p0 (n, k d), slid: vectors that are clipped and averaged.

        A record that has no shape (see `unit`) counts as p0, without any deviation.
        """
        shapes, is_whole = unit(fill_missing(records, self.p0))
        turned = align(self.p0, np.where(is_whole[:, None, None], shapes, self.p0))
        cosine = np.sum(turned * self.p0, axis=(-2, -1))
        tangents = turned - cosine[:, None, None] * self.p0
        sine = np.linalg.norm(tangents, axis=(-2, -1))
        # A record that is not whole has no deviation: it counts as p0.
        stretch = is_whole * np.arctan2(sine, cosine) / np.where(sine > 0, sine, 1.0)
        x = (tangents * stretch[:, None, None]).reshape(len(records), self.p0.size)
        normals, steps = self._sliding
        return x - (x @ normals.T) @ steps

    def shape(self, deviations):
        """Return the shapes (..., k, d) of deviations (..., k d), exp_p0 of them: unit configurations to publish."""
        v = deviations.reshape(*deviations.shape[:-1], *self.p0.shape)
        length = np.linalg.norm(v, axis=(-2, -1), keepdims=True)
        return np.cos(length) * self.p0 + np.sinc(length / np.pi) * v


def _best_turn(products):
    """Return the rotations (..., d, d) that lay shapes best on others, without reflection, from their products.

    They have the largest inner product with these matrices.
    """
    left, _, right = np.linalg.svd(products)
    # Where the best orthogonal map mirrors, the direction of the least product is turned back.
    left[..., :, -1] *= np.sign(np.linalg.det(left @ right))[..., None]
    return left @ right


def unit(records):
    """Return the shapes (n, k, d) of records, position and size taken off, and whether each record has one (n,).

    They are centered and of size 1. Not finite or without extent is not whole. Scaled by the largest coordinate first,
    so that no square overflows.
    """
    with np.errstate(all="ignore"):
        largest = np.abs(records).max(axis=(-2, -1), keepdims=True)
        scaled = records / largest
        centered = scaled - scaled.mean(axis=-2, keepdims=True)
        size = np.linalg.norm(centered, axis=(-2, -1), keepdims=True)
        shapes = centered / size
    least = records.shape[-2] * np.finfo(float).eps
    return shapes, np.isfinite(shapes).all(axis=(-2, -1)) & (size[..., 0, 0] > least)


def log_sizes(records):
    """Return the logarithms (n,) of records' centroid sizes, which are released beside shapes and told as odd.

    A centroid size is the root of the summed squared distances from the centroid.
    """
    with np.errstate(all="ignore"):
        largest = np.abs(records).max(axis=(-2, -1))
        scaled = records / largest[:, None, None]
        size = np.linalg.norm(scaled - scaled.mean(axis=-2, keepdims=True), axis=(-2, -1))
        return np.log(size) + np.log(largest)


def align(p0, shapes):
    """Return unit shapes turned to lie best on p0, without reflection, so that a rotation counts as no difference.

    In the plane that is by the angle of the complex inner product, where a shape without one stays as it is.

    Parameters
    ----------
    p0 : (..., k, d) float
        What they are turned to.
    shapes : (..., k, d) float
        Centered unit shapes.
    """
    if p0.shape[-1] == 3:
        return shapes @ _best_turn(shapes.mT @ p0)
    z, w = (x[..., 0] + 1j * x[..., 1] for x in (shapes, p0))
    inner = (z.conj() * w).sum(axis=-1)
    size = np.abs(inner)
    turned = z * np.where(size > 0, inner / np.where(size > 0, size, 1.0), 1.0)[..., None]
    return np.stack([turned.real, turned.imag], axis=-1)


def slip(p0, shape):
    """Return how landmarks of a shape may have been mixed up, for a warning to the operator: exchanged, or mirrored.

    It is what brings the shape to SLIP of its distance from p0, or nearer. Of two landmarks that change places only the
    TRIED are looked at that lie farthest off.

    Parameters
    ----------
    p0 : (k, d) float
        The center.
    shape : (k, d) float
        A unit shape.

    Returns
    -------
    tuple or None
        (i, j): that these two landmarks change places; (): that the shape is mirrored; None: nothing does.
    """
    far_landmarks = np.argsort(np.linalg.norm(align(p0, shape) - p0, axis=1))[-TRIED:]
    i, j = np.sort(far_landmarks)[np.array(np.triu_indices(len(far_landmarks), 1))]
    products = shape.T @ p0
    exchanged_products = products - (shape[i] - shape[j])[:, :, None] * (p0[i] - p0[j])[:, None]
    products = np.array([products, np.diag([-1, *[1] * (len(products) - 1)]) @ products, *exchanged_products])
    # What the best turn of each would bring, without the turn: each shape of a cohort asks for it dozens of times.
    inner = np.linalg.svd(products, compute_uv=False)
    inner[:, -1] *= np.sign(np.linalg.det(products))
    angles = np.arccos(np.minimum(inner.sum(axis=1), 1.0))
    best = int(angles.argmin())
    if angles[best] > SLIP * angles[0]:
        return None
    return () if best == 1 else (int(i[best - 2]), int(j[best - 2]))


def dist(a, b):
    """Return the Riemannian distances (...) of unit shapes: the angle left after the best rotation.

    Parameters
    ----------
    a, b : (..., k, d) float
        Centered unit shapes.
    """
    turned = align(a, b)
    cosine = np.sum(turned * a, axis=(-2, -1))
    return np.arctan2(np.linalg.norm(turned - cosine[..., None, None] * a, axis=(-2, -1)), cosine)


def find_frechet_mean(records):
    """Return the Fréchet mean (k, d) of records, without noise: a public set's center, or a cohort's for its owner.

    A cohort's stays private. It steps to the mean of the records' deviations.
    """
    shapes, is_whole = unit(records)
    if not is_whole.any():
        raise Rejected("no_shape", f"none of {len(records)} public records has a shape; check the file")
    shapes = shapes[is_whole]
    mean = shapes[0]
    for _ in range(MOST_STEPS):
        shapes_about_mean = LandmarkShapes(mean)
        step = shapes_about_mean.deviations(shapes).mean(axis=0)
        mean = unit(shapes_about_mean.shape(step)[None])[0][0]
        if np.linalg.norm(step) < TOLERANCE:
            break
    return mean


def gradient(mean, shapes):
    """Return how exactly a Fréchet mean of shapes was solved for: its residual, which is stored beside it.

    That is the length of the shapes' mean deviation from it, 0 at the exact mean.

    Parameters
    ----------
    mean : (k, d) float
        A centered unit shape.
    shapes : (n, k, d) float
        Centered unit shapes.
    """
    return float(np.linalg.norm(LandmarkShapes(mean).deviations(shapes).mean(axis=0)))


def find_noise_ellipse(covariance):
    """Return the ellipse of one standard deviation to draw at a planar landmark: half axes, larger first, and angle.

    The angle (degrees) is the larger one's; covariance (2, 2) is that of the noise at the landmark.
    """
    values, vectors = np.linalg.eigh(covariance)
    small, large = np.sqrt(np.maximum(values, 0.0))
    return float(large), float(small), float(np.degrees(np.arctan2(vectors[1, 1], vectors[0, 1])))


def symmetric(p0, pairs):
    """Return p0 (k, d) averaged with its mirror image; pairs : ((left, right), ...) landmarks that change places."""
    mirrored = align(p0, _mirrored(p0, pairs))
    return unit(((p0 + mirrored) / 2)[None])[0][0]


def halves(p0, pairs):
    """Return (symmetric, asymmetric) directions, each (i, k, d), to keep the one half of how shapes differ alone.

    They are those that the mirror image of p0 keeps or turns. The mirror image is an isometry of shapes that leaves a
    symmetric p0 where it is, so that a deviation's part along the second is (log_p0(shape) - log_p0(its mirror
    image))/2.
    """
    k, d = p0.shape
    image = _mirrored(p0, pairs)
    units = np.eye(k * d).reshape(-1, k, d)
    odd = (units - _mirrored(units, pairs) @ _best_turn(image.T @ p0)) / 2
    values, vectors = canonical.decompose(odd.reshape(k * d, -1))
    return vectors[:, values <= 0.5].T.reshape(-1, k, d), vectors[:, values > 0.5].T.reshape(-1, k, d)


def with_ignored_directions(p0, pairs=(), semilandmarks=(), sliding=PROCRUSTES, ignores_symmetric=False):
    """Return the center as releases of shapes take it, with the directions that settings ignore, such as sliding.

    Parameters
    ----------
    p0 : (k, d) float
        The public center.
    pairs : rows of two int
        Landmarks, counted from 1, that a mirror image exchanges.
    semilandmarks : rows of three int
        A landmark that slides along the chord between two others: (before, sliding, after).
    sliding : str
        By which criterion they slide.
    ignores_symmetric : bool
        With pairs, whether what is symmetric is ignored, rather than what is not.

    Returns
    -------
    p0 : (k, d) float
        Made symmetric where there are pairs.
    ignored : (i, k, d) float
        Directions that do not count.
    slid : (s, k, d) float
        Directions along which records slide to the least bending energy.
    """
    for name, rows in (("pairs", pairs), ("semilandmarks", semilandmarks)):
        if any(not 1 <= landmark <= len(p0) for row in rows for landmark in row) or any(
            len(set(row)) < len(row) for row in rows
        ):
            raise ConfigError(f"shapes.{name}: landmarks are numbered from 1 to {len(p0)}, each once in a row")
    flat = [landmark for row in pairs for landmark in row]
    if len(set(flat)) < len(flat):
        raise ConfigError("shapes.pairs: a landmark stands in two pairs; keep it in one of them")
    pairs, curves = ([[landmark - 1 for landmark in row] for row in rows] for rows in (pairs, semilandmarks))
    p0 = symmetric(p0, pairs) if len(pairs) else p0
    half_directions = halves(p0, pairs)[not ignores_symmetric] if len(pairs) else np.zeros((0, *p0.shape))
    along, no_directions = np.zeros((len(curves), *p0.shape)), np.zeros((0, *p0.shape))
    for direction, (before, moving, after) in zip(along, curves, strict=True):
        chord = p0[after] - p0[before]
        direction[moving] = chord / np.linalg.norm(chord)
    nearest_directions, slid_directions = (along, no_directions) if sliding == PROCRUSTES else (no_directions, along)
    return p0, np.concatenate([half_directions, nearest_directions]), slid_directions


def join_landmarks(settings, landmarks, center=None):
    """Return how a picture joins landmarks, which count from 1: {"closed", "links", "near", "sliding"}.

    closed : whether they follow a contour
    links : pairs, as the settings have them and along their curves of semilandmarks; sliding : the semilandmarks;
    near : pairs of the shortest tree, where nothing else joins landmarks, not even the order of a closed contour: of
    the public center, so that all pictures of all releases about it have the same; of the landmarks without one

    Parameters
    ----------
    settings : mapping
        Public ones of a release.
    landmarks : (k, d) float
        Which are shown.
    center : (k, d) float or None
        The public center; None or NaN where there is none.
    """
    curves = settings.get("semilandmarks") or []
    links = [list(pair) for pair in settings.get("links") or []]
    links += sorted({tuple(sorted(pair)) for before, slid, after in curves for pair in ((before, slid), (slid, after))})
    closed = bool(settings.get("basis" if "basis" in settings else "modes"))
    tree_pairs = []
    points = landmarks if center is None or np.isnan(center).any() else center
    if not (links or closed) and np.isfinite(points).all():
        distances = np.linalg.norm(points[:, None] - points[None], axis=2)
        # A tree of sparse matrices takes 0 for no edge: landmarks in one place are joined, too.
        distances += 1e-12 * distances.max()
        tree = scipy.sparse.csgraph.minimum_spanning_tree(distances).nonzero()
        tree_pairs = [[int(first) + 1, int(second) + 1] for first, second in zip(*tree, strict=True)]
    sliding = sorted({moving for _, moving, _ in curves})
    return {"closed": closed, "links": [list(map(int, pair)) for pair in links], "near": tree_pairs, "sliding": sliding}


def _mirrored(shapes, pairs):
    """Return shapes' mirror images, with the landmarks of each pair exchanged, to tell symmetric from asymmetric."""
    image = shapes * np.where(np.arange(shapes.shape[-1]) == 0, -1, 1)
    order = np.arange(shapes.shape[-2])
    for left, right in pairs:
        order[left], order[right] = right, left
    return image[..., order, :]
