"""Harmonic functions: those known in closed form, a dense solve as oracle, meshes whose interior is in parts."""

import numpy as np
import pytest

import tolerances
from library.surfaces import analytic
from shapedp.errors import Rejected
from shapedp.surfaces import dissection, topology
from shapedp.surfaces.harmonic import Harmonic
from shapedp.surfaces.laplacian import laplacian

# Three squares in a row, each fanned from its middle: the three inner vertices are not joined to each other.
ROW = np.array([[0, 0], [1, 0], [2, 0], [3, 0], [0, 1], [1, 1], [2, 1], [3, 1], [0.4, 0.5], [1.5, 0.6], [2.5, 0.4]])
FANS = [[0, 1, 8], [1, 5, 8], [5, 4, 8], [4, 0, 8], [1, 2, 9], [2, 6, 9], [6, 5, 9], [5, 1, 9]]
FANS += [[2, 3, 10], [3, 7, 10], [7, 6, 10], [6, 2, 10]]


def row_of_squares():
    return np.column_stack([ROW, np.zeros(len(ROW))]), np.array(FANS)


def bowl():
    z, triangles = analytic.disk_mesh(7)
    return analytic.bump(z.real, z.imag), triangles


def laplacian_of(vertices, triangles):
    """(matrix, inner vertices)"""
    on_boundary = np.isin(np.arange(len(vertices)), topology.boundary_loops(triangles)[0])
    nowhere = np.zeros(len(vertices), dtype=bool)
    return laplacian(vertices, triangles, on_boundary, nowhere, nowhere), np.flatnonzero(~on_boundary)


def functions(vertices, triangles):
    matrix, inner = laplacian_of(vertices, triangles)
    loop = topology.boundary_loops(triangles)[0]
    return Harmonic(matrix, vertices, loop), matrix.toarray(), loop, inner


@pytest.fixture(scope="module", params=[row_of_squares, bowl])
def case(request):
    return functions(*request.param())


def test_the_schur_complement_is_that_of_a_dense_elimination(case):
    harmonic, matrix, loop, inner = case
    l12 = matrix[np.ix_(inner, loop)]
    dense = matrix[np.ix_(loop, loop)] - l12.T @ np.linalg.solve(matrix[np.ix_(inner, inner)], l12)
    assert np.max(np.abs(harmonic.schur - dense)) < tolerances.ELIMINATION


def test_extended_values_are_harmonic_and_keep_the_boundary(case):
    harmonic, matrix, loop, inner = case
    values = np.random.default_rng(5).normal(size=(len(loop), 2))
    extended = harmonic.extend(values)
    assert np.array_equal(extended[loop], values)
    assert np.max(np.abs((matrix @ extended)[inner])) < tolerances.ELIMINATION


def test_the_measure_is_the_mean_that_gives_the_value_inside(case):
    harmonic, matrix, loop, inner = case
    values = np.random.default_rng(6).normal(size=(len(loop), 1))
    for vertex in inner[:3]:
        measure = harmonic.measure((np.arange(len(matrix)) == vertex).astype(float))
        assert measure.sum() == pytest.approx(1, abs=tolerances.ELIMINATION)
        assert measure @ values[:, 0] == pytest.approx(harmonic.extend(values)[vertex, 0], abs=tolerances.ELIMINATION)


def test_weights_anywhere_move_to_the_boundary(case):
    harmonic, matrix, loop, _ = case
    rng = np.random.default_rng(8)
    values, weights = rng.normal(size=(len(loop), 1)), rng.random(len(matrix))
    moved = harmonic.measure(weights)
    assert moved.sum() == pytest.approx(weights.sum(), abs=tolerances.ELIMINATION)
    assert moved @ values[:, 0] == pytest.approx(weights @ harmonic.extend(values)[:, 0], abs=tolerances.ELIMINATION)


def test_linear_functions_of_the_plane_are_harmonic():
    z, triangles = analytic.disk_mesh(9)
    flat = np.column_stack([z.real, z.imag, np.zeros(len(z))])
    harmonic, _, loop, _ = functions(flat, triangles)
    assert np.max(np.abs(harmonic.extend(flat[loop]) - flat)) < tolerances.ELIMINATION


def test_blocks_tile_the_order_and_separate_what_lies_before_them():
    z, triangles = analytic.disk_mesh(30)
    vertices = analytic.lift(z)
    matrix, inner = laplacian_of(vertices, triangles)
    order, blocks = dissection.order(vertices, matrix.indptr, matrix.indices, inner)
    assert np.array_equal(blocks[:, 1], np.append(0, blocks[:-1, 2]))
    assert blocks[-1, 2] == len(inner)
    place = np.full(len(vertices), -1)
    place[order] = np.arange(len(order))
    for first, _, end in blocks:
        beyond = place[matrix[order[first:end]].indices]
        assert np.all((beyond < 0) | (beyond >= first))


def test_a_vertex_without_weights_is_refused():
    z, triangles = analytic.disk_mesh(5)
    matrix, _ = laplacian_of(analytic.lift(z), triangles)
    matrix.data[matrix.indptr[0] : matrix.indptr[1]] = 0
    with pytest.raises(Rejected, match="too thin"):
        Harmonic(matrix, analytic.lift(z), topology.boundary_loops(triangles)[0])


@pytest.mark.slow
def test_dissection_orders_every_vertex_once_and_keeps_the_factor_sparse():
    z, triangles = analytic.disk_mesh(30)
    vertices = analytic.lift(z)
    matrix, inner = laplacian_of(vertices, triangles)
    order, _ = dissection.order(vertices, matrix.indptr, matrix.indices, inner)
    assert np.array_equal(np.sort(order), inner)

    def filled(sequence):
        return np.count_nonzero(np.abs(np.linalg.cholesky(matrix[np.ix_(sequence, sequence)].toarray())) > 1e-300)

    assert filled(order) < filled(inner) / 2
