"""Radial curves of a registered surface, the radii at which they are taken, and a triangulated surface through them.

The mesh is closed at the nose, with triangles of like size all over. Near the nose a curve is short: of its samples
only as many become vertices as keep neighbours about as far apart as curves are. All of m lie on the outer curves, half
of them farther in, then a quarter, and so on.

Four neighbours make two triangles, whose common side runs across the face rather than up and down it, since lids and
lips do: a side that crosses a fold makes it ragged.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shapedp.base.errors import RefusedRelease

# Radii on which lengths and areas are accumulated, which says how exactly curves are spread.
FINE = 2000


def extract(f, radii, samples):
    """Return (J, 3, m), the curves of a registered surface that stand for the face in releases: theta -> f(r_j, theta).

    They are taken at theta_k = 2 pi k/m.

    Along each diameter a cubic spline, through the pole; along each circle the Fourier series, cut or padded to m.

    Parameters
    ----------
    f : (R, T, 3) array
        The surface on the polar grid.
    radii : (J,) array
    samples : int
        m, points on each curve.
    """
    # Late: who has curves needs no compiler, and releases start with them.
    from shapedp.surfaces import polar, table

    coefficients = table.coefficients(f, polar.polar_grid(*f.shape[:2]))
    return _resample(np.moveaxis(table.lookup_circles(coefficients, radii, f.shape[1]), 1, 2), samples)


def _resample(curves, samples):
    """Return a surface's circles (..., T), read at its grid angles, with the `samples` points a curve has in releases.

    They lie at equal steps along the angle, by the circles' Fourier series.
    """
    count = curves.shape[-1]
    waves = np.fft.rfft(curves, axis=-1)
    wave_count = min(waves.shape[-1], samples // 2 + 1)
    out = np.zeros((*curves.shape[:-1], samples // 2 + 1), dtype=complex)
    out[..., :wave_count] = waves[..., :wave_count]
    if samples < count:
        # Both signs of the Nyquist wave fall on one pattern of the samples.
        out[..., -1] = 2 * out[..., -1].real
    elif samples > count:
        out[..., wave_count - 1] /= 2
    return np.fft.irfft(out * (samples / count), n=samples, axis=-1)


def spread(f, count, spacing):
    """Return (J,), the radii on a public template at which every face's `count` curves are taken, the last at 1.

    Parameters
    ----------
    f : (R, T, 3) array
        The template.
    count : int
        J.
    spacing : str
        radius: equal steps of r (the paper); arc: equal steps of length along the template's radii, in the mean; area:
        equal areas of the template between neighbouring curves.
    """
    share = np.arange(1, count + 1) / count
    if spacing == "radius":
        return share
    from shapedp.surfaces import polar

    r = polar.radii(len(f))
    fine = np.linspace(0, 1, FINE)
    along_x, along_y = polar.polar_grid(*f.shape[:2]).gradient(f)
    if spacing == "arc":
        theta = 2 * np.pi * np.arange(f.shape[1]) / f.shape[1]
        along = np.cos(theta)[:, None] * along_x + np.sin(theta)[:, None] * along_y
        density = np.linalg.norm(along, axis=-1).mean(axis=1)
    else:
        density = np.linalg.norm(np.cross(along_x, along_y), axis=-1).mean(axis=1) * r
    steps = np.interp(fine, r, density)
    grown = np.concatenate([[0.0], np.cumsum((steps[1:] + steps[:-1]) / 2)])
    radii = np.interp(share, grown / grown[-1], fine)
    radii[-1] = 1.0
    return radii


# The circle j has at least 6 j vertices, as in a lattice of equal triangles.
EACH = 6
# Curves, and about as many points, between two arrows that are drawn on a surface.
APART = 5


def center(curves, radii):
    """Return the point f(0) in the middle of the curves, (3,), which no curve holds: the middle vertex of their mesh.

    The mean of f over a circle of radius r is f(0) + c r^2 + O(r^4); two circles remove c.
    """
    inner, outer = curves[0].mean(axis=-1), curves[1].mean(axis=-1)
    a, b = radii[0] ** 2, radii[1] ** 2
    return (b * inner - a * outer) / (b - a)


def rings(count, samples):
    """Return (J,), how many vertices of the mesh lie on each curve, fewer inwards so that triangles stay even.

    Each is m over a power of 2.

    Parameters
    ----------
    count : int
        J, the curves.
    samples : int
        m, samples of each.
    """
    listed_rings = []
    for j in range(1, count + 1):
        ring_size = samples
        while ring_size % 2 == 0 and ring_size // 2 >= EACH * j:
            ring_size //= 2
        listed_rings.append(ring_size)
    return listed_rings


def choose_arrow_places(points):
    """Return [(curve, those of its points)], where pictures start the arrows of a displacement, evenly over the
    surface.

    points : (J,) how many are on each curve
    """
    curves = range(len(points) % APART, len(points), APART)
    return [(j, range(0, points[j], max(1, round(points[j] * APART / (2 * np.pi * (j + 1)))))) for j in curves]


def at_vertices(values):
    """Return (1 + n, ...), values (J, m, ...) on the curves as values at the vertices of `mesh`, to colour it by.

    First the mean of the innermost curve, then what lies on each.
    """
    count, samples = values.shape[:2]
    parts = [values[j, :: samples // ring_size] for j, ring_size in enumerate(rings(count, samples))]
    return np.concatenate([values[0].mean(axis=0)[None], *parts])


def mesh(curves, radii):
    """Return (vertices (1 + n, 3), triangles (t, 3)), the surface through curves, to be shown and exported as a mesh.

    n is the sum of `rings`; triangles run counter-clockwise as seen from outside.

    Parameters
    ----------
    curves : (J, 3, m) array
        J >= 2; curve j lies at radius radii[j], its sample k at the angle 2 pi k/m.
    radii : (J,) array
    """
    vertices = at_vertices(curves.transpose(0, 2, 1))
    vertices[0] = center(curves, radii)
    return vertices, triangles(curves.shape[0], curves.shape[2], middle(curves))


def middle(curves):
    """Return the angle in [0, pi) of the line that halves the surface best, so that its mesh can be symmetric about it.

    It is where curves (J, 3, m) are most like their mirror: of distances d from the innermost curve's mean, over all a,
    sum_b d(a + b) d(a - b) is the largest.
    """
    distances = np.linalg.norm(curves - curves[0].mean(axis=-1)[:, None], axis=1)
    alike = np.fft.irfft((np.fft.rfft(distances, axis=1) ** 2).sum(axis=0), n=curves.shape[2])
    # Rounded, since on a disk all are alike, and rounding would choose among them.
    most = np.argmax(np.round(alike / (alike.max() or 1), 9))
    return np.pi * most / curves.shape[2]


def triangles(count, samples, along=0.0):
    """Return (t, 3), the triangles of the mesh through `count` curves of m samples, which depend on no values of the
    curves.

    along : the angle of the line that halves it, about which the triangles are symmetric
    """
    ring_sizes = rings(count, samples)
    first = 1 + np.concatenate([[0], np.cumsum(ring_sizes)])
    k = np.arange(ring_sizes[0])
    fan = np.column_stack([np.zeros_like(k), 1 + k, 1 + (k + 1) % ring_sizes[0]])
    bands = [_band(first[j], ring_sizes[j], first[j + 1], ring_sizes[j + 1], along) for j in range(count - 1)]
    return np.concatenate([fan, *bands])


def nearest(points, vertices, triangles):
    """Return the places of a mesh nearest to points, so that a landmark is tied to the surface and moves with it.

    They are (triangle (k,), weights of its corners (k, 3), distance (k,)).

    Parameters
    ----------
    points : (k, 3) array
    vertices : (n, 3) array
    triangles : (t, 3) integer array
    """
    # Late: it costs a second of start.
    from trimesh.triangles import closest_point, points_to_barycentric

    corners = vertices[triangles]
    on_each = np.array([closest_point(corners, np.tile(point, (len(corners), 1))) for point in points])
    away = np.linalg.norm(on_each - points[:, None], axis=-1)
    inside, which = away.argmin(axis=1), np.arange(len(points))
    return inside, points_to_barycentric(corners[inside], on_each[which, inside]), away[which, inside]


def weights(triangle, corners, triangles, radii, samples):
    """Return (k, J, m), by which a place of the mesh is read off any face's curves: the sum of weights times their
    points.

    The places are given as `nearest` gives them.
    """
    count = len(radii)
    at = np.rint(at_vertices(np.arange(count * samples).reshape(count, samples))).astype(int)
    shares = np.zeros((len(triangle), count * samples))
    for row, share, vertex in zip(shares, corners, triangles[triangle], strict=True):
        row[at[vertex[vertex > 0]]] = share[vertex > 0]
        a, b = radii[:2] ** 2
        row[: 2 * samples] += np.repeat([b, -a], samples) / (b - a) / samples * share[vertex == 0].sum()
    return shares.reshape(-1, count, samples)


def coarser(count, samples, along=0.0):
    """Return (t, 3), about a quarter of the triangles of `mesh`, over its vertices: the page shows them while it is
    turned.

    It has about a quarter of the triangles, between vertices of `mesh`.

    Parameters
    ----------
    count : int
        J, the curves.
    samples : int
        m, samples of each.
    along : float
        The angle of the line that halves the surface, as `middle` finds it.
    """
    kept_curves, few = range((count - 1) % 2, count, 2), samples // 2 if samples % 2 == 0 else samples
    all_ring_sizes, ring_sizes = rings(count, samples), rings(len(kept_curves), few)
    first = 1 + np.concatenate([[0], np.cumsum(all_ring_sizes)])
    on_each = [
        first[j] + np.arange(0, all_ring_sizes[j], all_ring_sizes[j] // n)
        for j, n in zip(kept_curves, ring_sizes, strict=True)
    ]
    return np.concatenate([[0], *on_each])[triangles(len(kept_curves), few, along)]


def _band(inner, few, outer, many, along):
    """Return the triangles of `mesh` between a curve of `few` vertices and the next of `many`, as many or twice.

    inner, outer : the number of the first vertex of each; along : as of `triangles`
    """
    k = np.arange(few)
    vertices_before, vertices_after = inner + k, inner + (k + 1) % few
    if many == few:
        beyond, beyond_after = outer + k, outer + (k + 1) % few
        is_turned = np.sin(2 * (2 * np.pi * (k + 0.5) / few - along)) < 0
        first = vertices_before, beyond, np.where(is_turned, vertices_after, beyond_after)
        corners_of = [first, (np.where(is_turned, beyond, vertices_before), beyond_after, vertices_after)]
    else:
        beyond, middle, beyond_after = outer + 2 * k, outer + 2 * k + 1, outer + (2 * k + 2) % many
        corners_of = [
            (vertices_before, beyond, middle),
            (vertices_before, middle, vertices_after),
            (vertices_after, middle, beyond_after),
        ]
    return np.concatenate([np.column_stack(corners) for corners in corners_of])


# Of the unit of area, which is 2 to 3 mm on a face: a template that lies farther from its mirror image has none.
ASYMMETRIC = 0.02


@dataclass(frozen=True)
class Mirror:
    """The mirror image of a face on the template's curves: sample k of a curve goes to sample turn - k, across a plane
    through the origin with this unit normal (3,). Twice mirrored is the face itself.
    """

    turn: int
    normal: NDArray[np.float64]

    @classmethod
    def from_template(cls, curves: NDArray[np.float64]) -> "Mirror":
        """Return the mirror that brings the template (J, 3, m) nearest to itself, by which each face's asymmetry is
        measured.

        It is a public map of the template on itself. For the plane with normal n, |T - R T'|^2 with R = I - 2nn' is
        least at the least eigenvector of sum T'T^T.
        """
        candidates = []
        for turn in range(curves.shape[-1]):
            mirrored_samples = curves[..., (turn - np.arange(curves.shape[-1])) % curves.shape[-1]]
            moment = np.einsum("jak,jbk->ab", mirrored_samples, curves)
            values, vectors = np.linalg.eigh((moment + moment.T) / 2)
            candidates.append((float(np.trace(moment) - 2 * values[0]), turn, vectors[:, 0]))
        _, turn, normal = max(candidates, key=lambda candidate: candidate[0])
        mirror = cls(turn, normal)
        off = float(np.sqrt(np.mean(np.sum((mirror(curves) - curves) ** 2, axis=1))))
        if off > ASYMMETRIC:
            raise RefusedRelease(
                f"asymmetry: the template lies {off:.3g} of the root of its area from its own mirror image, more than "
                f"{ASYMMETRIC:g}, so its points have no mirror partners; take faces.template: built_in"
            )
        return mirror

    def __call__(self, curves: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the mirror images of faces (..., J, 3, m)."""
        mirrored_samples = curves[..., (self.turn - np.arange(curves.shape[-1])) % curves.shape[-1]]
        along = np.einsum("...jck,c->...jk", mirrored_samples, self.normal)
        return mirrored_samples - 2 * along[..., None, :] * self.normal[:, None]


def normals(curves, radii):
    """Return (J, m, 3), the outward unit normals of the surface through curves, by which movement in and out is told
    apart.

    Parameters
    ----------
    curves : (J, 3, m) array
    radii : (J,) array
    """
    vertices, triangles = mesh(curves, radii)
    corners = vertices[triangles]
    summed = np.zeros_like(vertices)
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    for corner in range(3):
        np.add.at(summed, triangles[:, corner], across)
    (count, _, samples), parts, first = curves.shape, [], 1
    # Where a curve has fewer vertices than samples, a sample takes the normal of the nearest vertex on the same curve.
    for ring_size in rings(count, samples):
        nearest = np.rint(np.arange(samples) * ring_size / samples).astype(int) % ring_size
        parts.append(summed[first : first + ring_size][nearest])
        first += ring_size
    crossed = np.array(parts)
    return crossed / np.linalg.norm(crossed, axis=-1, keepdims=True)
