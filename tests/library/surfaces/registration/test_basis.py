"""The basis of vector fields: orthonormal, tangent, complete sums, pinned orientation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special

from shapedp.surfaces.polar import in_rays, polar_grid
from shapedp.surfaces.registration.basis import Basis, bessel, bessel_zeros, modes, radial_parts
from tolerances import GRID_SUM, ORTHONORMAL


def field(k, basis):
    """The k-th real field, (R, T, 2)."""
    return basis.field(np.eye(basis.modes.real_size)[k])


def test_the_first_eigenvalues_are_those_of_the_drum():
    """Neumann j'_11 = 1.8412, Dirichlet j_01 = 2.4048, Neumann j'_21 = 3.0542."""
    first = modes(60)
    assert_allclose(first.wave[:3], [1.841184, 2.404826, 3.054237], atol=1e-6)
    assert first.frequency[:3].tolist() == [1, 0, 2]
    assert first.kind[:3].tolist() == [0, 1, 0]
    assert (np.diff(first.eigenvalues) >= 0).all()


def test_no_mode_is_missing():
    """Weyl's law for the two kinds together: k^2 / 2 + O(k^(2/3)) fields below k, the boundary terms cancel."""
    found = modes(600)
    assert abs(found.wave[-1] ** 2 / 2 - found.real_size) < 2 * found.wave[-1]


def test_the_basis_is_orthonormal():
    """Radial Gauss-Legendre quadrature of the formulas, angles exact; modes of other m are orthogonal by symmetry."""
    chosen = modes(300)
    node, weight = np.polynomial.legendre.leggauss(80)
    r, weight = (node + 1) / 2, weight / 2
    p, q, _ = radial_parts(chosen, r)
    for m in np.unique(chosen.frequency):
        here = np.flatnonzero(chosen.frequency == m)
        radial = np.where(chosen.kind[here] == 0, p[:, here], -1j * q[:, here])
        around = np.where(chosen.kind[here] == 0, 1j * q[:, here], p[:, here])
        gram = np.einsum("r,rk,rl->kl", weight * r, radial.conj(), radial)
        gram += np.einsum("r,rk,rl->kl", weight * r, around.conj(), around)
        gram *= 2 * np.pi if m == 0 else np.pi
        assert_allclose(gram, np.eye(len(here)), atol=ORTHONORMAL)


def test_fields_are_tangent_to_the_boundary():
    basis = Basis(modes(100), polar_grid(32, 96))
    v = basis.field(np.random.default_rng(2).standard_normal(basis.modes.real_size))
    assert_allclose(np.einsum("tc,tc->t", v[-1], basis.grid.points[-1]), 0, atol=1e-11)


def test_sums_over_the_grid_and_over_the_modes_agree():
    """products(v, s) = (integral of s div b_k + v . b_k), divergence and product taken on the grid."""
    grid = polar_grid(64, 192)
    basis = Basis(modes(30), grid)
    x, y = grid.points[..., 0], grid.points[..., 1]
    s, v = np.cos(3 * x), np.stack([y**2, x * y + x], axis=-1)
    found = basis.products_in_rays(in_rays(np.concatenate([v, s[..., None]], axis=-1)))
    for k in range(0, basis.modes.real_size, 3):
        b = field(k, basis)
        along_x, along_y = grid.gradient(b)
        direct = grid.integral(s * (along_x[..., 0] + along_y[..., 1]) + np.einsum("rtc,rtc->rt", v, b))
        assert_allclose(found[k], direct, atol=GRID_SUM)


def test_coefficients_come_back_from_the_field():
    basis = Basis(modes(30), polar_grid(64, 192))
    c = np.random.default_rng(3).standard_normal(basis.modes.real_size)
    assert_allclose(basis.products(basis.field(c)), c, atol=GRID_SUM)


def test_signs_and_orientation():
    """The first field, grad J_1(k r) cos theta, points along +x at the center. The third, of potential J_0(k r) that
    falls outwards, turns clockwise: grad^perp psi = psi_r times the counter-clockwise unit vector.
    """
    basis = Basis(modes(30), polar_grid(32, 96))
    first = field(0, basis)
    assert first[0].mean(axis=0)[0] > 0.5
    assert abs(first[0].mean(axis=0)[1]) < 1e-12
    turning = field(2, basis)
    x, y = basis.grid.points[..., 0], basis.grid.points[..., 1]
    curl = x * turning[..., 1] - y * turning[..., 0]
    assert (curl[1:] < 0).all()


def test_a_grid_with_too_few_angles_is_refused():
    with pytest.raises(ValueError, match="angles cannot carry"):
        Basis(modes(300), polar_grid(24, 40))


@pytest.mark.parametrize("derivative", [False, True])
def test_zeros_are_those_that_scipy_finds(derivative):
    theirs = special.jnp_zeros if derivative else special.jn_zeros
    for m, zeros in enumerate(bessel_zeros(40.0, derivative)):
        known = theirs(m, 20)
        assert_allclose(zeros, known[known <= 40], rtol=0, atol=1e-12)


def test_bessel_functions_are_those_of_scipy():
    x = np.linspace(0.001, 60, 300)
    assert_allclose(bessel(60, x), special.jv(np.arange(61)[:, None], x), rtol=0, atol=1e-14)
