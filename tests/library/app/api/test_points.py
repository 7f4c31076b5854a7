"""`shapedp.private_mean`: ledger, statement, the stored release again, refusals in one line."""

import json

import numpy as np
import pytest

import shapedp
from library.privacy.test_point_means import SPACES, near
from shapedp.base.errors import ConfigError, RefusedRelease
from shapedp.ledger.ledger_folder import Ledger
from shapedp.releases import allow_list

SOURCES = {"settings": "chosen on simulated points", "center": "a textbook", "radius": "half of the sphere"}


def release(tmp_path, name="sphere", points=None, folder="first", **changed):
    manifold, center, r = SPACES[name]
    points = near(manifold, center, r, 30, np.random.default_rng(3)) if points is None else points
    asked = {"population": "volunteers", "cap": 3.0, "ledger": tmp_path / "ledger", "sources": SOURCES, "budget": 1.0}
    return shapedp.private_mean(manifold, points, r, center, folder=tmp_path / "out" / folder, **asked | changed)


@pytest.mark.parametrize("name", SPACES)
def test_a_mean_is_recorded_stated_and_allowed_to_be_published(tmp_path, name):
    manifold, center, r = SPACES[name]
    made = release(tmp_path, name)
    assert made.formally_private and made.rejected == {}
    assert made.point.shape == center.shape and np.isfinite(made.point).all()
    assert made.noise_sd == pytest.approx(2 * r / 30)
    stated = made.statement
    assert (stated["release"]["statistic"], stated["release"]["n"]) == ("mean point", 30)
    assert stated["mechanism"]["sensitivity"]["value"] == pytest.approx(2 * r / 30)
    (line,) = Ledger(tmp_path / "ledger").list_releases("volunteers")
    assert line["name"] == "first" and line["mu"] == 1.0
    allow_list.check_folder(made.path.parent, "points")
    words = (made.path.parent / "statement.md").read_text()
    assert "which of two points a person brought" in words and "the noise moves the mean by" in words
    told = words.split("## Words")[0].replace("shapedp", "")
    assert "face" not in told and "shape" not in told
    assert json.loads((made.path.parent / "statement.json").read_text())["settings"]["basis"] == manifold.dim


def test_the_same_again_is_the_stored_release_and_another_adds_up(tmp_path):
    first = release(tmp_path)
    again = release(tmp_path)
    assert (again.point == first.point).all()
    release(tmp_path, budget={"mu_total": 2.0}, folder="second")
    assert len(Ledger(tmp_path / "ledger").list_releases("volunteers")) == 2
    with pytest.raises(RefusedRelease, match="volunteers"):
        release(tmp_path, budget=2.5, folder="third")


def test_what_is_no_point_is_told_and_counts_as_the_center(tmp_path):
    manifold, center, r = SPACES["sphere"]
    points = near(manifold, center, r, 30, np.random.default_rng(3))
    points[[4, 9]] = [[np.nan, 0, 1], [3, 3, 3]]
    made = release(tmp_path, points=points)
    assert set(made.rejected) == {4, 9} and made.formally_private
    assert made.statement["release"]["n"] == 30


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"points": np.zeros((30, 4))}, r"points: found an array of shape \(30, 4\)"),
        ({"points": np.array([["a"] * 3] * 5)}, "points: found an array"),
        ({"budget": {"epsilon": 1}}, "budget: found"),
        ({"sources": {"settings": "x"}}, "sources: 'center' is missing"),
        ({"folder": "a b"}, "cannot be a release's name"),
        ({"cap": "much"}, "cap"),
    ],
)
def test_a_wrong_call_is_refused_in_words_and_spends_nothing(tmp_path, changed, words):
    with pytest.raises(ConfigError, match=words):
        release(tmp_path, **changed)
    assert not (tmp_path / "ledger/volunteers.jsonl").exists()


def test_it_is_read_back(tmp_path):
    made = release(tmp_path)
    found = shapedp.read_release(made.path.parent)
    assert (found.values["point"] == made.point).all() and found.formally_private
