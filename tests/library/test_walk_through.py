"""CONTRIBUTING.md's walk-throughs, walked: a manifold and mechanisms from outside go where the library's own go."""

import inspect
import json
import re
from pathlib import Path

import numpy as np
import pytest

import center_shapes
import read_shapes
import release_shapes
import shape_settings
from library.privacy import cohort
from library.toys import Flat, PureUnsmoothed, TangentLaplace, Unsmoothed, WhiteTangent
from shapedp.app.forecast import comparison, predictions
from shapedp.audit import attack, curve_attacks, shape_attacks
from shapedp.base.errors import ConfigError
from shapedp.base.settings import checks, registry
from shapedp.landmarks import outlines
from shapedp.privacy import integer_sums, noise
from shapedp.privacy.curves import bounds
from shapedp.privacy.manifolds import frechet
from shapedp.privacy.manifolds.base import Manifold
from shapedp.privacy.manifolds.projective import shape_of
from shapedp.privacy.shapes import contour
from shapedp.privacy.shapes.base import Ball
from shapedp.privacy.statistic import Mechanism
from shapedp.releases import allow_list, curve_mechanisms, shape_mechanisms

ROOT = Path(__file__).resolve().parents[2]
P0 = shape_of(outlines.template())
FOUR = contour.basis(len(P0), 4)
IN_FOUR_MODES = contour.from_basis(FOUR, contour.to_basis(FOUR, P0))  # a basis that cuts a center's detail is refused
MOST = 1e-3  # chance that a Clopper-Pearson bound is wrong; noise is seeded, so the outcome is fixed


TOYS = (TangentLaplace, WhiteTangent, Unsmoothed, PureUnsmoothed)


@pytest.fixture
def toys(tmp_path, monkeypatch):
    """The second step of the walk-through: a package of one's own names its classes in entry points."""
    described = tmp_path / "strangers" / "strangers-1.0.dist-info"
    described.mkdir(parents=True)
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: strangers\nVersion: 1.0\n")
    lines = [f"{toy.name} = {toy.__module__}:{toy.__name__}" for toy in TOYS]
    (described / "entry_points.txt").write_text("\n".join([f"[{registry.GROUP}]", *lines]))
    monkeypatch.syspath_prepend(tmp_path / "strangers")
    monkeypatch.setattr(registry, "_loaded", {})


SHAPE_TOYS = [("tangent_laplace", {"epsilon": 1.0}), ("white_tangent", {"mu_total": 1.0})]
FACE_TOYS = [("unsmoothed", {"mu_total": 1.0}), ("pure_unsmoothed", {"epsilon": 1.0})]


def check_statement(stated, toy, budget):
    assert stated["formally_private"], stated["reasons"]
    assert stated["mechanism"]["words"] == toy.words
    assert stated["settings"]["mechanism"] == toy.name
    (number,) = budget.values()
    assert stated["guarantee"]["epsilon" if "epsilon" in budget else "mu"] == number


@pytest.mark.parametrize(("name", "budget"), SHAPE_TOYS)
def test_a_mechanism_for_shapes_is_released_with_a_statement(toys, tmp_path, name, budget):
    np.savez(tmp_path / "people.npz", X=outlines.population(20, 1)[0])
    read_shapes.read_shapes(tmp_path / "people.npz", tmp_path / "landmarks.h5")
    center_shapes.center_shapes(tmp_path / "landmarks.h5", tmp_path / "shapes.h5", "demo")
    entry = {"name": "toy", "mechanism": name, "budget": budget}
    privacy = shape_settings.privacy(tmp_path, cap={"shapes": {"mu_total": 3.0}})
    output = tmp_path / "results" / "release" / "shapes" / "toy"
    settings = {"radius": 0.2, "contour_modes": 10, "center": "demo", "persons": "refuse"}
    paths = tmp_path / "shapes.h5", tmp_path / "landmarks.h5", output
    release_shapes.release_shapes(*paths, entry, settings, privacy)
    check_statement(json.loads((output / "statement.json").read_text()), registry.own_class("shapes", name), budget)
    assert allow_list.check_releases(tmp_path / "results" / "release") == [output]


@pytest.mark.parametrize(("name", "budget"), FACE_TOYS)
def test_a_mechanism_for_faces_is_released_with_a_statement(toys, tmp_path, name, budget):
    workspace = cohort.Workspace(tmp_path)
    stated, curves = workspace.release(workspace.stack(), mechanism=name, budget=budget)
    check_statement(stated, registry.own_class("faces", name), budget)
    assert np.isfinite(curves).all()


@pytest.mark.parametrize(("branch", "given"), [("faces", FACE_TOYS), ("shapes", SHAPE_TOYS)])
@pytest.mark.parametrize("by_place", [False, True])
def test_settings_name_a_mechanism_by_entry_point_or_place_and_know_its_budget(toys, branch, given, by_place):
    settings = checks.load()
    for name, budget in given:
        own = registry.own_class(branch, name)
        asked = f"{own.__module__}:{own.__name__}" if by_place else name
        entry = {"name": "toy", "mechanism": asked, "budget": budget}
        settings[branch]["releases"] = [entry | ({"bounds": "reference_set"} if branch == "faces" else {})]
        checks.check(settings)
        (other,) = {"mu_total", "epsilon"} - set(budget)
        settings[branch]["releases"][0]["budget"] = {other: 1.0}
        with pytest.raises(ConfigError, match=f"budget: {asked} takes "):
            checks.check(settings)


@pytest.mark.parametrize(
    ("word", "words"),
    [
        ("library.toys:Flat", "does not define branch, name"),
        ("library.toys:Missing", "cannot be imported"),
        ("tangent_laplace", "it is for shapes, but stands in faces.releases"),
        ("shapedp.privacy.curves.fourier:Matched", "is one of the library's"),
        ("unsmothed", "did you mean 'unsmoothed'?"),
    ],
)
def test_what_is_no_mechanism_for_faces_is_refused_in_words(toys, word, words):
    with pytest.raises(ConfigError, match=re.escape(words)):
        registry.own_class("faces", word)


def test_the_registry_says_of_the_librarys_mechanisms_what_their_classes_say():
    for branch, found in (("faces", curve_mechanisms), ("shapes", shape_mechanisms)):
        said = {
            name: (one.budgets, one.learns, one.exact_arithmetic, getattr(one, "in_space", False), one.branch)
            for name, one in found.MECHANISMS.items()
        }
        assert said == {
            name: (one.budgets, one.learns, one.private, one.sized, branch)
            for name, one in registry.BUILT_IN[branch].items()
        }


def test_a_mechanism_stands_in_the_comparison(toys):
    z = np.array([shape_of(one) for one in outlines.population(30, 3)[0]])
    made = [one for one in comparison.compared(Ball(30, P0, 0.2, 10)) if one.name == "tangent_laplace"]
    assert [one.ball.modes for one in made] == [0, 10]
    assert comparison.draws(made[1], z, 3).shape == (3, 50)
    assert comparison.guarantee(made[1]) == "epsilon = 1"


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
        return attack.bound_privacy_loss(*logs).epsilon

    assert 0.5 < found(made.scale()) <= 1
    assert found(made.scale() / 3) > 1


def test_a_curve_mechanism_under_attack_comes_near_its_claim(toys):
    claim, found = curve_attacks.attack_mechanism("unsmoothed", noise.SeededNoise(2), 4_000)
    assert 0.75 * claim < found <= claim
    one, other = curve_attacks.make_worst_pair(curve_attacks.make_mechanism("unsmoothed"))
    assert 0.999 * integer_sums.SENSITIVITY < np.linalg.norm(one.sums - other.sums) <= integer_sums.SENSITIVITY


def test_a_curve_mechanism_is_planned_with(toys):
    kernel = {"rho": 1.0, "alpha": 1.0, "phi": [0.01, 0.01, 0.005]}
    limits = bounds.from_numbers([0.1] * 3, 4)
    plain, smoothed = (
        predictions.noise_constant(name, (4, 3, 16), limits, None, kernel) for name in ("unsmoothed", "matched")
    )
    assert plain > smoothed


PLANE = shape_attacks.Space("R2", Flat(2), np.zeros(2), 1.0)


def test_a_manifold_has_a_mean():
    points = np.random.default_rng(0).standard_normal((3, 40, 2))
    np.testing.assert_allclose(frechet.mean(Flat(2), points).point, points.mean(axis=1), atol=1e-12)


def test_a_manifold_is_attacked_as_the_others_are():
    source = noise.SeededNoise(5)
    claim, found = shape_attacks.attack_tangent_gaussian(PLANE, source, 4_000)
    assert 0.75 * claim < found <= claim == shape_attacks.MU
    claim, found = shape_attacks.attack_laplace(PLANE, source, 20_000)
    assert 0.3 < found <= claim == shape_attacks.EPSILON
    claim, found = shape_attacks.attack_kng(PLANE, source, 20_000)
    assert 0 < found <= claim == shape_attacks.EPSILON
    claim, found = shape_attacks.attack_laplace(PLANE, source, 20_000, 1 / 3)
    assert found > claim == shape_attacks.EPSILON


@pytest.mark.parametrize(("base", "toy"), [(Manifold, Flat), (Mechanism, TangentLaplace)])
def test_what_is_left_out_is_named(base, toy):
    """Python refuses the class, by the name of what is missing; `move`, which the mean needs, among them."""
    for name in base.__abstractmethods__:
        part = type("Part", (toy,), {name: inspect.getattr_static(base, name)})
        with pytest.raises(TypeError, match=f"abstract.*{name}"):
            part(2) if base is Manifold else part(None, None)
    assert "move" in Manifold.__abstractmethods__


def test_the_rooms_between_settings_and_mechanisms_know_none_by_name():
    """What else knows mechanisms one by one are papers' experiments."""
    rooms = [ROOT / "scripts/shapedp" / room for room in ("base/settings", "releases", "app/forecast")]
    names = "|".join((*curve_mechanisms.NAMES, *shape_mechanisms.MECHANISMS))
    switches = re.compile(rf'(==|!=|\bin) *\(?"({names})"')
    found = {str(path): switches.findall(path.read_text()) for room in rooms for path in room.rglob("*.py")}
    assert not {path: hits for path, hits in found.items() if hits}
