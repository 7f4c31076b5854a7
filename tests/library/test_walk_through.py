"""CONTRIBUTING.md's walk-throughs, walked: a manifold and mechanisms from outside go where the library's own go."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
import yaml

import center_shapes
import read_shapes
import release_mean_shape
import shape_settings
from library.toys import Flat, TangentLaplace, Unsmoothed
from shapedp.accuracy import planner, shape_comparison
from shapedp.audit import attack, curve_attacks, shape_attacks
from shapedp.demo import outlines
from shapedp.manifolds import frechet
from shapedp.manifolds.base import Manifold
from shapedp.manifolds.kendall import shape_of
from shapedp.mechanisms import bounds, contour, curve_mechanisms, integer_sums, noise, shape_mechanisms
from shapedp.mechanisms.base import Mechanism
from shapedp.mechanisms.shapes.ball import Ball

ROOT = Path(__file__).resolve().parents[2]
P0 = shape_of(outlines.template())
FOUR = contour.basis(len(P0), 4)
IN_FOUR_MODES = contour.from_basis(FOUR, contour.to_basis(FOUR, P0))  # a basis that cuts a center's detail is refused
MOST = 1e-3  # chance that a Clopper-Pearson bound is wrong; noise is seeded, so the outcome is fixed


@pytest.fixture
def toys(monkeypatch):
    """The second step of the walk-through: the class stands in the list."""
    monkeypatch.setitem(shape_mechanisms.MECHANISMS, TangentLaplace.name, TangentLaplace)
    monkeypatch.setitem(curve_mechanisms.MECHANISMS, Unsmoothed.name, Unsmoothed)


def test_a_mechanism_is_released_with_a_statement(toys, tmp_path):
    np.savez(tmp_path / "people.npz", X=outlines.population(20, 1)[0])
    read_shapes.read_shapes(tmp_path / "people.npz", tmp_path / "landmarks.h5")
    center_shapes.center_shapes(tmp_path / "landmarks.h5", tmp_path / "shapes.h5", "demo")
    entry = {"name": "toy", "mechanism": "tangent_laplace", "budget": {"epsilon": 1.0}}
    privacy = shape_settings.privacy(tmp_path, cap={"shapes": {"epsilon": 2.0}})
    output = tmp_path / "results" / "release" / "shapes" / "toy"
    settings = {"radius": 0.2, "modes": 10, "center": "demo", "persons": "refuse"}
    paths = tmp_path / "shapes.h5", tmp_path / "landmarks.h5", output
    release_mean_shape.release_mean_shape(*paths, entry, settings, privacy)
    stated = json.loads((output / "statement.json").read_text())
    assert stated["formally_private"], stated["reasons"]
    assert stated["mechanism"]["words"] == TangentLaplace.words
    assert stated["guarantee"]["epsilon"] == 1.0


def test_a_mechanism_stands_in_the_comparison(toys):
    z = np.array([shape_of(one) for one in outlines.population(30, 3)[0]])
    made = [one for one in shape_comparison.compared(Ball(30, P0, 0.2, 10)) if one.name == "tangent_laplace"]
    assert [one.ball.modes for one in made] == [0, 10]
    assert shape_comparison.draws(made[1], z, 3).shape == (3, 50)
    assert shape_comparison.guarantee(made[1]) == "epsilon = 1"


def test_a_pure_mechanism_under_attack_keeps_its_claim_and_half_its_noise_does_not(toys):
    """Its worst pair: one person at either end of a line through p0. The statistic is the log ratio of densities."""
    made = shape_mechanisms.make("tangent_laplace", Ball(5, IN_FOUR_MODES, 0.2, 4), {"epsilon": 1.0})
    first = made.ball.space.tangent_basis(made.ball.center)[0]
    ends = made.ball.from_points(made.ball.space.exp(made.ball.center, 0.2 * np.stack([first, -first])))
    pair = [np.stack([ends[0]] * 4 + [last]) for last in ends]
    rng, means = np.random.default_rng(0), [made.mean(z) for z in pair]

    def found(scale):
        logs = []
        for mean in means:
            v = rng.standard_normal((20_000, len(mean)))
            drawn = mean + v / np.linalg.norm(v, axis=1)[:, None] * scale * rng.gamma(len(mean), size=(20_000, 1))
            away = [np.linalg.norm(drawn - one, axis=1) for one in means]
            logs.append((away[0] - away[1]) / scale)
        return attack.attack(*logs).epsilon

    assert 0.5 < found(made.scale()) <= 1
    assert found(made.scale() / 3) > 1


def test_a_curve_mechanism_under_attack_comes_near_its_claim(toys):
    claim, found = curve_attacks.of_mechanism("unsmoothed", noise.SeededNoise(2), 4_000)
    assert 0.75 * claim < found <= claim
    one, other = curve_attacks.worst_pair(curve_attacks.mechanism("unsmoothed"))
    assert 0.999 * integer_sums.SENSITIVITY < np.linalg.norm(one.sums - other.sums) <= integer_sums.SENSITIVITY


def test_a_curve_mechanism_is_planned_with(toys):
    kernel = {"rho": 1.0, "alpha": 1.0, "phi": [0.01, 0.01, 0.005]}
    limits = bounds.from_numbers([0.1] * 3, 4)
    plain, smoothed = (planner.strength(name, (4, 3, 16), limits, None, kernel) for name in ("unsmoothed", "matched"))
    assert plain > smoothed


PLANE = shape_attacks.Space("R2", Flat(2), np.zeros(2), 1.0)


def test_a_manifold_has_a_mean():
    points = np.random.default_rng(0).standard_normal((3, 40, 2))
    np.testing.assert_allclose(frechet.mean(Flat(2), points).point, points.mean(axis=1), atol=1e-12)


def test_a_manifold_is_attacked_as_the_others_are():
    source = noise.SeededNoise(5)
    assert 0.75 * shape_attacks.MU < shape_attacks.tangent_gaussian(PLANE, source, 4_000) <= shape_attacks.MU
    assert 0.3 < shape_attacks.laplace_draws(PLANE, PLANE.laplace_sigma(), source, 20_000) <= shape_attacks.EPSILON
    assert 0 < shape_attacks.kng_draws(PLANE, PLANE.kng_sigma(), source, 20_000) <= shape_attacks.EPSILON
    assert shape_attacks.laplace_draws(PLANE, PLANE.laplace_sigma() / 3, source, 20_000) > shape_attacks.EPSILON


@pytest.mark.parametrize(("base", "toy"), [(Manifold, Flat), (Mechanism, TangentLaplace)])
def test_what_is_left_out_is_named(base, toy):
    """Python refuses the class, by the name of what is missing; `move`, which the mean needs, among them."""
    for name in base.__abstractmethods__:
        part = type("Part", (toy,), {name: base.__dict__[name]})
        with pytest.raises(TypeError, match=f"abstract.*{name}"):
            part(2) if base is Manifold else part(None, None)
    assert "move" in Manifold.__abstractmethods__


def test_a_mechanism_is_named_in_three_files_at_most():
    """Its own, the list and the settings' schema; what else knows mechanisms one by one are papers' experiments."""
    schema = yaml.safe_load((ROOT / "workflow/schemas/config.schema.yaml").read_text())
    for branch, found in (("faces", curve_mechanisms), ("shapes", shape_mechanisms)):
        entry = schema["properties"][branch]["properties"]["releases"]["items"]["properties"]["mechanism"]
        assert set(entry["enum"]) == set(found.MECHANISMS)
    rooms = [ROOT / "scripts/shapedp" / room for room in ("releases", "accuracy", "artifacts", "page")]
    names = "|".join((*curve_mechanisms.NAMES, *shape_mechanisms.MECHANISMS))
    switches = re.compile(rf'(==|!=|\bin) *\(?"({names})"')
    found = {str(path): switches.findall(path.read_text()) for room in rooms for path in room.rglob("*.py")}
    assert not {path: hits for path, hits in found.items() if hits}
