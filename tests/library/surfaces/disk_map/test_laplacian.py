"""The intrinsic Delaunay triangulation: a hand case, no negative weight inside, and what it may not change."""

import numpy as np
import pytest

from library.surfaces import analytic
from shapedp.base.errors import Rejected
from shapedp.surfaces import topology
from shapedp.surfaces.disk_map import conformal, laplacian

KITE = np.array([[0.0, 0, 0], [4, 0, 0], [2, 0.5, 0], [2, -0.5, 0]])  # 0 and 1 far apart, 2 and 3 close
LONG_DIAGONAL = np.array([[0, 1, 2], [1, 0, 3]], dtype=np.int32)


def free(vertices):
    return np.zeros(len(vertices), dtype=bool)


def poor_mesh(rings):
    """Vertices and triangles of the analytic surface over a squeezed disk: many angles near 180 degrees."""
    z, triangles = analytic.disk_mesh(rings)
    return analytic.lift(z.real + 0.15j * z.imag), triangles


def dirichlet_energy(corners, half, values):
    across = values[corners[:, [1, 2, 0]]] - values[corners[:, [2, 0, 1]]]
    return (half * across**2).sum() / 2


def weights_inside(corners, half):
    """Weights of edges with an end inside the surface, by the boundary of `corners`' own disk."""
    ends = np.sort(np.column_stack([corners[:, [1, 2, 0]].ravel(), corners[:, [2, 0, 1]].ravel()]), axis=1)
    edges, which, count = np.unique(ends, axis=0, return_inverse=True, return_counts=True)
    return np.bincount(which.ravel(), half.ravel(), minlength=len(edges))[count > 1]


def test_the_long_diagonal_of_a_kite_is_flipped_to_the_short_one():
    """Far corners have tan(a/2) = 0.5/2, so cot a = (1 - 1/16)/(2/4) = 15/8."""
    corners, half, _ = laplacian.half_cotangents(KITE, LONG_DIAGONAL, free(KITE))
    assert sorted(map(sorted, corners.tolist())) == [[0, 2, 3], [1, 2, 3]]
    far = half[np.isin(corners, [0, 1])]
    assert far * 2 == pytest.approx(15 / 8)


def test_corners_keep_their_turn():
    corners, *_ = laplacian.half_cotangents(KITE, LONG_DIAGONAL, free(KITE))
    assert np.all(conformal.signed_areas(KITE[:, 0] + 1j * KITE[:, 1], corners) > 0)


def test_no_weight_inside_is_negative_and_the_mesh_stays_a_disk():
    vertices, triangles = poor_mesh(12)
    _, before, _ = laplacian.half_cotangents(vertices, triangles, ~free(vertices))
    assert weights_inside(triangles, before).min() < -1
    corners, after, _ = laplacian.half_cotangents(vertices, triangles, free(vertices))
    assert weights_inside(corners, after).min() > -laplacian.MARGIN
    assert topology.fault(corners, len(vertices)) == ""


def test_flips_lower_the_energy_of_every_function():
    """Rippa's theorem: of all triangulations of the surface the Delaunay one has the least Dirichlet energy."""
    vertices, triangles = poor_mesh(8)
    delaunay = laplacian.half_cotangents(vertices, triangles, free(vertices))
    given = laplacian.half_cotangents(vertices, triangles, ~free(vertices))
    for values in np.random.default_rng(3).normal(size=(20, len(vertices))):
        assert dirichlet_energy(*delaunay[:2], values) < dirichlet_energy(*given[:2], values)


def test_on_a_plane_linear_functions_keep_their_energy():
    """The energy of x over a flat mesh is half its area, before and after the flips."""
    z, triangles = analytic.disk_mesh(9)
    flat = np.column_stack([z.real, 0.1 * z.imag, 0 * z.real])
    area = conformal.signed_areas(z.real + 0.1j * z.imag, triangles).sum()
    for fixed in (free(flat), ~free(flat)):
        assert dirichlet_energy(*laplacian.half_cotangents(flat, triangles, fixed)[:2], flat[:, 0]) == pytest.approx(
            area / 2
        )


def test_triangles_of_fixed_vertices_stay():
    fixed = np.array([True, False, False, False])
    corners, *_ = laplacian.half_cotangents(KITE, LONG_DIAGONAL, fixed)
    assert sorted(map(sorted, corners.tolist())) == [[0, 1, 2], [0, 1, 3]]


def test_a_flat_triangle_gives_finite_weights():
    line = np.array([[0.0, 0, 0], [1, 0, 0], [0.5, 0, 0], [0.5, 1, 0]])
    _, half, _ = laplacian.half_cotangents(line, np.array([[0, 2, 1], [0, 1, 3]]), free(line))
    assert np.isfinite(half).all()


def test_joined_vertices_at_one_place_are_refused():
    twice = KITE[[0, 1, 2, 2]]
    with pytest.raises(Rejected, match="same place"):
        laplacian.half_cotangents(twice, np.array([[0, 1, 2], [0, 2, 3]]), free(twice))


def test_twins_run_the_other_way():
    z, triangles = analytic.disk_mesh(4)
    twin = topology.twins(triangles)
    paired = twin >= 0
    assert np.array_equal(twin[twin[paired]], np.flatnonzero(paired))
    starts, ends = triangles[:, [1, 2, 0]].ravel(), triangles[:, [2, 0, 1]].ravel()
    assert np.array_equal(starts[paired], ends[twin[paired]])
    assert np.all(np.abs(np.abs(z[starts[~paired]]) - 1) < 1e-12)


def test_an_edge_from_a_vertex_to_itself_weighs_nothing():
    """Flips lead to such edges: here the base of a cone, a triangle (0, 1, 1) whose other two sides are one edge."""
    half, twin = np.array([0.5, 0.2, 0.1]), np.array([-1, 2, 1])
    starts, columns, weights = laplacian._gather_rows(np.array([0, 1, 1]), half, twin, 2)
    np.testing.assert_array_equal(starts, [0, 2, 4])
    np.testing.assert_array_equal(columns, [0, 1, 1, 0])
    np.testing.assert_allclose(weights, [0, 0.3, 0, 0.3])


def test_flips_without_end_are_a_refusal(monkeypatch):
    def endless(corners, lengths, twin, fixed):
        return np.zeros(len(corners)), topology.MOST_FLIPS * len(KITE)

    monkeypatch.setattr(laplacian, "_flip_all", endless)
    with pytest.raises(Rejected, match="too thin to compute with") as caught:
        laplacian.half_cotangents(KITE, LONG_DIAGONAL, free(KITE))
    assert caught.value.code == "degenerate"


def test_a_mesh_of_needles_asks_for_few_flips():
    points, triangles = analytic.grid(40, 40)
    points[:, 0] *= 1e-3
    corners, twin = triangles.astype(np.int64).ravel(), topology.twins(triangles)
    lengths = topology.lengths(points, triangles).ravel()
    _, flips = laplacian._flip_all(corners, lengths, twin, np.zeros(len(points), dtype=bool))
    assert len(triangles) / 10 < flips < topology.MOST_FLIPS * len(triangles) / 3
