"""Size panels: the places that serve people best, and who is served by each."""

import numpy as np
import pytest

from library.releases.model.test_at_landmarks import cohort, release  # noqa: F401
from library.releases.model.test_morphospace import release as release_of_shapes
from shapedp.base.errors import ConfigError
from shapedp.releases.model import panel


def test_two_places_are_those_of_the_normal_law():
    """The best two points for a normal law lie at +-sqrt(2/pi) standard deviations (Max 1960)."""
    places, shares = panel.place_sizes(2, np.array([3.0, 1.0]))
    np.testing.assert_allclose(np.sort(places[:, 0]), 3 * np.sqrt(2 / np.pi) * np.array([-1, 1]), rtol=0.02)
    np.testing.assert_allclose(places[:, 1], 0.0, atol=1e-9)
    np.testing.assert_allclose(shares, 0.5, atol=0.02)


def test_five_places_are_a_medium_one_and_four_about_it():
    places, shares = panel.place_sizes(5, np.array([1.0, 1.0]))
    away = np.linalg.norm(places, axis=1)
    assert np.sum(away < 0.1) == 1 and np.all(away[away > 0.1] > 1.0)
    assert shares.sum() == pytest.approx(1.0) and shares.min() > 0.1


@pytest.mark.parametrize("sizes", [3, 5, 8])
def test_each_place_is_the_mean_of_those_whom_it_serves(sizes):
    widths = np.array([3.0, 1.0])
    people = np.random.default_rng(0).standard_normal((40_000, 2)) * widths
    places, shares = panel.place_sizes(sizes, widths)
    nearest = np.argmin(np.sum((people[:, None] - places) ** 2, axis=2), axis=1)
    means = np.array([people[nearest == at].mean(axis=0) for at in range(sizes)])
    np.testing.assert_allclose(means / widths, places / widths, atol=0.05)
    np.testing.assert_allclose(np.bincount(nearest) / len(people), shares, atol=0.02)


@pytest.mark.parametrize("sizes", range(panel.FEWEST, panel.MOST + 1))
def test_more_places_are_nearer(sizes):
    people = np.random.default_rng(0).standard_normal((4000, 2)) * [2.0, 1.0]
    near = lambda places: np.mean(np.min(np.sum((people[:, None] - places) ** 2, axis=2), axis=1))  # noqa: E731
    assert near(panel.place_sizes(sizes, np.array([2.0, 1.0]))[0]) < near(np.zeros((1, 2)))


def test_forms_of_a_shape_model_serve_everybody():
    model, u, _ = release_of_shapes(np.random.default_rng(0))
    forms = panel.make_panel(model)
    assert len({one.name for one in forms}) == 5 and forms[0].name == "medium"
    assert sum(one.share for one in forms) == pytest.approx(1.0)
    curves = np.array([one.curves.ravel() for one in forms])
    away = np.linalg.norm(u[:, None] - curves, axis=2)
    assert np.mean(away.min(axis=1)) < 0.9 * np.mean(np.linalg.norm(u - u.mean(axis=0), axis=1))
    served = np.bincount(away.argmin(axis=1), minlength=5) / len(u)
    np.testing.assert_allclose(served, [one.share for one in forms], atol=0.1)


def test_forms_by_two_measures_have_these_measures(cohort):  # noqa: F811
    model, known = release(cohort, 3.0)
    between = known.measures.names[:2]
    forms = panel.make_panel(model, by=tuple(name.replace(" ", "_") for name in between), known=known)
    assert len(forms) == 5 and sum(one.share for one in forms) == pytest.approx(1.0)
    values = np.array([known.measures.values(one.curves)[:2] for one in forms])
    assert np.ptp(values[:, 0]) > 0 and np.ptp(values[:, 1]) > 0


def test_what_cannot_be_a_panel_is_refused(cohort):  # noqa: F811
    model, known = release(cohort, 3.0)
    with pytest.raises(ConfigError, match="a panel has 2 to 12"):
        panel.make_panel(model, 1)
    with pytest.raises(ConfigError, match="no measure 'shoe_size'"):
        panel.make_panel(model, by=("shoe_size", "face_height"), known=known)
    with pytest.raises(ConfigError, match="does not say where its landmarks are"):
        panel.make_panel(model, by=("face_height", "mouth_width"))
