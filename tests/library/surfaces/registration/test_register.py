"""Registration: known answers, laws of the result, refusals, and independence of everything around a face."""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from library.surfaces.registration.examples import (
    demo_face,
    demo_template,
    diffeomorphism,
    fine_grid,
    on_disk,
    turned_disk,
    wavy,
)
from shapedp.base.errors import Rejected
from shapedp.surfaces import table
from shapedp.surfaces.polar import polar_grid
from shapedp.surfaces.registration import descent, srnf
from shapedp.surfaces.registration.register import register, usable_normals
from shapedp.surfaces.registration.template import CHECK, Options, level_table, prepare, unit_srnf
from tolerances import ON_THE_CIRCLE

UNTURNED = Options(search="never")
FREE = Options(basis=400, regularisation=0.0, search="never")
SEEDS = (1, 2, 3)


@cache
def template():
    """The demo's mean face, prepared."""
    return prepare(demo_template()[2], UNTURNED)


@cache
def registered(seed):
    return register(demo_face(seed)[2], template())


def relative_error(found, gamma, grid):
    """||found - gamma|| / ||gamma - id||."""
    return np.sqrt(((found - gamma) ** 2).sum() / ((gamma - grid.points) ** 2).sum())


@pytest.mark.slow
@pytest.mark.parametrize(("displacement", "largest"), [(0.1, 0.003), (0.2, 0.01)])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_known_diffeomorphism_is_recovered(displacement, largest, seed):
    """The template is f(gamma), the data f: the answer is gamma, and no rotation."""
    grid = fine_grid()
    gamma, _ = diffeomorphism(displacement, seed, grid)
    found = register(wavy(grid.points), prepare(wavy(gamma), FREE))
    assert relative_error(found.gamma, gamma, grid) < largest
    assert_allclose(found.rotation, np.eye(3), atol=1e-3)
    assert np.linalg.norm(found.surface - wavy(gamma), axis=-1).mean() < largest * displacement


@pytest.mark.slow
@pytest.mark.parametrize("displacement", [0.1, 0.2, 0.4])
def test_on_a_face_too(displacement):
    grid, (_, _, f) = fine_grid(), demo_template()
    gamma, jacobian = diffeomorphism(displacement, 5, grid)
    assert jacobian.min() > 0.1
    composed = table.lookup(table.coefficients(f, grid), gamma)
    found = register(f, prepare(composed, Options(regularisation=1e-3, search="never")))
    assert relative_error(found.gamma, gamma, grid) < 0.05


@pytest.mark.slow
def test_the_template_itself_stays_as_it_is():
    found = register(demo_template()[2], template())
    assert found.energy_after < 1e-10
    assert_allclose(found.gamma, fine_grid().points, atol=1e-8)
    assert found.converged


@pytest.mark.parametrize("seed", SEEDS)
def test_energies_fall(seed):
    found = registered(seed)
    assert found.energy_after < found.energy_rotation_only <= found.energy_before
    assert all((np.diff(level) < 0).all() for level in found.energies)
    assert found.iterations == sum(len(level) - 1 for level in found.energies)
    assert found.energy_after == found.energies[-1][-1]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_disk_goes_to_the_disk(seed):
    found = registered(seed)
    assert_allclose(np.linalg.norm(found.gamma[-1], axis=-1), 1, atol=ON_THE_CIRCLE)
    assert np.linalg.norm(found.gamma[:-1], axis=-1).max() < 1
    grid, fine = polar_grid(*CHECK), fine_grid()
    u = table.coefficients(found.gamma - fine.points, fine)
    least = descent.jacobian(descent.positions(u, grid.points) - grid.points, grid).min()
    assert found.min_jacobian > 0.3
    assert_allclose(least, found.min_jacobian, atol=0.02)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_surface_is_looked_up_in_the_original(seed):
    """O f(gamma), f's own table, and no reflection."""
    found, grid = registered(seed), fine_grid()
    f = table.coefficients(demo_face(seed)[2], grid)
    assert_allclose(found.surface, table.lookup(f, found.gamma) @ found.rotation.T, atol=1e-14)
    assert_allclose(found.rotation @ found.rotation.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(found.rotation) > 0


def test_the_surface_has_the_energy_that_was_reported():
    """The other energy, of the registered surface's own field, is near: both are integrals of the same distance."""
    found, grid = registered(1), fine_grid()
    energy = srnf.distance_squared(unit_srnf(found.surface, grid), unit_srnf(demo_template()[2], grid), grid.weights)
    assert_allclose(energy, found.energy_after, rtol=0.25)


def test_a_turned_and_resized_face_gives_the_same_registration():
    turn = Rotation.from_euler("xyz", [30, 20, -100], degrees=True).as_matrix()
    f = demo_face(1)[2]
    found = register(2.5 * f @ turn.T, template())
    assert_allclose(found.gamma, registered(1).gamma, atol=1e-9)
    assert_allclose(found.rotation @ turn, registered(1).rotation, atol=1e-9)
    assert_allclose(found.surface, 2.5 * registered(1).surface, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("columns", [37, 128, 200])
def test_a_face_at_any_roll_of_the_disk(columns):
    """The search takes the turn back: the same surface, at the template's angle."""
    searching = prepare(demo_template()[2], Options(search="auto"))
    found = register(turned_disk(demo_face(2)[2], columns), searching)
    assert np.linalg.norm(found.surface - registered(2).surface, axis=-1).max() < 5e-3
    assert_allclose(found.energy_after, registered(2).energy_after, rtol=0.02)


@pytest.mark.slow
def test_the_full_search_agrees_with_the_quick_one():
    f = turned_disk(demo_face(3)[2], 90)
    quick, full = (register(f, prepare(demo_template()[2], Options(search=one))) for one in ("auto", "always"))
    assert_allclose(full.energy_after, quick.energy_after, rtol=1e-2)


@pytest.mark.slow
def test_a_start_far_worse_than_another_is_not_descended_from(monkeypatch):
    turned = turned_disk(demo_face(2)[2], 128)
    tried = angles_tried(monkeypatch, turned, Options(search="auto"))
    assert 0.0 not in tried
    assert 0.0 in angles_tried(monkeypatch, demo_face(2)[2], Options(search="auto"))


def angles_tried(monkeypatch, f, options):
    """The turns of the disk from which a registration descends."""
    angles, descend = [], descent.descend
    with monkeypatch.context() as patched:
        patched.setattr(descent, "descend", lambda *given: angles.append((*given, 0.0)[3]) or descend(*given))
        register(f, prepare(demo_template()[2], options))
    return angles


def test_a_surface_finds_a_start_where_rounding_leaves_less_than_nothing_of_its_energy(monkeypatch):
    level = template().levels[0]
    q_table = level_table(unit_srnf(demo_template()[2], template().grid), level.kernel, template().grid)
    monkeypatch.setattr(srnf, "find_roll_energies", lambda *_: np.append(1e-16, np.full(level.grid.angles - 1, -1e-16)))
    assert descent._start_angles(q_table, level, Options(search="auto"))[0] == 0.0


def test_a_step_that_promises_next_to_nothing_is_not_tried(monkeypatch):
    level = template().levels[0]
    q_table = level_table(unit_srnf(demo_face(1)[2], template().grid), level.kernel, template().grid)
    there = descent.descend(q_table, np.zeros_like(level.grid.points), level)
    monkeypatch.setattr(descent, "take_step", None)  # not to be called
    again = descent.descend(q_table, there.u, level)
    assert again.converged
    assert again.energies == (there.energy,)


def correspondence_errors(mean, face, gamma):
    """(before, after): mean distance from where the template's vertices lie on the face to the face's own vertices."""
    z, target = (np.stack([one[1].real, one[1].imag], axis=-1) for one in (mean, face))
    grid, surface = fine_grid(), table.coefficients(face[2], fine_grid())
    moved = z + table.lookup(table.coefficients(gamma - grid.points, grid), z)
    truth = table.lookup(surface, target)
    return [np.linalg.norm(table.lookup(surface, place) - truth, axis=-1).mean() for place in (z, moved)]


def test_anatomy_corresponds():
    """The demo's vertices correspond across faces: gamma brings them together."""
    errors = [correspondence_errors(demo_template(), demo_face(seed), registered(seed).gamma) for seed in SEEDS]
    before, after = np.transpose(errors)
    assert (after < before).all()
    assert after.mean() < 0.6 * before.mean()


@pytest.mark.slow
def test_anatomy_of_real_faces_corresponds(shared_data):
    """Faces of the ICT model; sqrt(area) is 225 mm: less than 2 mm each, from more, and a third of the energy gone."""
    data = np.load(shared_data / "faces" / "ict_faces.npz", allow_pickle=False)
    rng, triangles, nose = np.random.default_rng(11), data["triangles_disk"], int(data["nose_tip"])
    mean = on_disk(data["mean"].astype(float), triangles, nose)
    prepared = prepare(mean[2], UNTURNED)
    for weights in rng.standard_normal((3, 100)):
        face = on_disk(data["mean"] + np.tensordot(weights, data["modes"].astype(float), axes=1), triangles, nose)
        found = register(face[2], prepared)
        before, after = correspondence_errors(mean, face, found.gamma)
        assert after < min(2 / 225, before)
        assert found.energy_after < 0.7 * found.energy_rotation_only
        assert found.min_jacobian > 0.3


@pytest.mark.slow
def test_there_and_back():
    """f to t, then t to f: the composed diffeomorphism moves points of the surface by less than 1/1000 of its size."""
    grid, f = fine_grid(), demo_face(1)[2]
    back = register(demo_template()[2], prepare(f, UNTURNED))
    u = table.coefficients(back.gamma - grid.points, grid)
    both = descent.positions(u, registered(1).gamma)
    surface = table.coefficients(demo_template()[2], grid)
    assert np.linalg.norm(table.lookup(surface, both) - demo_template()[2], axis=-1).mean() < 1e-3


def test_the_same_bits_in_any_order():
    first = [register(demo_face(seed)[2], template()) for seed in (3, 1)]
    assert np.array_equal(first[1].gamma, registered(1).gamma)
    assert np.array_equal(first[1].surface, registered(1).surface)


def test_a_face_that_does_not_converge_says_so(monkeypatch):
    monkeypatch.setattr(descent, "MOST_STEPS", 1)
    found = register(demo_face(1)[2], template())
    assert not found.converged
    assert "stopped short" in found.message
    assert f"{found.energy_after:.4g}" in found.message


def test_a_surface_that_is_not_finite_is_refused():
    f = demo_face(1)[2].copy()
    f[5, 7, 1] = np.nan
    with pytest.raises(Rejected, match="not finite") as refusal:
        register(f, template())
    assert refusal.value.code == "non_finite"


@pytest.mark.parametrize(
    "f", [np.zeros((96, 256, 3)), np.repeat(np.linspace(0, 1, 96)[:, None, None], 256, 1) * [1, 2, 3]]
)
def test_a_surface_without_area_is_refused(f):
    with pytest.raises(Rejected, match="area") as refusal:
        register(f, template())
    assert refusal.value.code == "zero_area"


def test_a_folded_grid_is_refused():
    """The disk folded over along a diameter, and pushed back and forth along its radius."""
    grid, surface = fine_grid(), table.coefficients(demo_template()[2], fine_grid())
    x, y = grid.points[..., 0], grid.points[..., 1]
    for folded in (np.stack([x, np.abs(y)], axis=-1), grid.points * (0.8 + 0.2 * np.cos(20 * grid.r))[:, None, None]):
        with pytest.raises(Rejected, match="turns back on itself") as refusal:
            register(table.lookup(surface, folded), template())
        assert refusal.value.code == "folded_grid"


@pytest.mark.parametrize("shape", [(48, 128), (96, 256)])
def test_folds_across_a_grid_are_told_from_lids_on_any_grid(shape):
    """A fold has as many opposite neighbours as the grid has points on a side; two overhanging lids have fewer."""
    grid = polar_grid(*shape)
    x, y = grid.points[..., 0], grid.points[..., 1]
    with pytest.raises(Rejected, match=r"along 1\.2 times a side of the grid \(at most 1\)"):
        usable_normals(np.stack([np.abs(x), y, 0.3 * x**2], axis=-1), grid)
    lids = sum(np.exp(-(((x - a) / 0.15) ** 2) - (y / 0.03) ** 2) for a in (-0.4, 0.4))
    usable_normals(np.stack([x, y - 0.08 * np.tanh(y / 0.02) * lids, 0.3 * x**2], axis=-1), grid)


def test_another_grid_is_refused():
    with pytest.raises(ValueError, match="sampled on 96 x 256"):
        register(np.zeros((64, 192, 3)), template())


@pytest.mark.parametrize("wrong", [{"levels": 4}, {"basis": 3}, {"regularisation": -1.0}, {"search": "maybe"}])
def test_options_out_of_bounds_are_refused(wrong):
    with pytest.raises(ValueError, match="must be"):
        Options(**wrong)
