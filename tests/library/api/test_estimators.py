"""A release from Python: recorded, published whole, returned again for nothing, refused beyond the cap."""

import numpy as np
import pytest

import shapedp
from shapedp.demo import faces as demo
from shapedp.errors import RefusedRelease
from shapedp.ledger.ledger_folder import Ledger
from shapedp.readers.scans import Scan

SOURCES = {"bounds": "a public face model", "template": "built_in", "settings": "numbers of a paper"}


@pytest.fixture(scope="module")
def scans():
    rng = np.random.default_rng(8)
    return [Scan(demo.face(demo.random_weights(rng)), demo.triangles()) for _ in range(3)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("study")


@pytest.fixture(scope="module")
def asked(folder):
    """What is asked for: the release's settings."""
    template = shapedp.Template.built_in(count=7, samples=20, rings=48, angles=96)
    return {
        "mu": 1.0,
        "tau": (0.022, 0.038, 0.032),
        "mechanism": "matched_joint",
        "worth_it_anyway": True,
        "population": "some",
        "cap": 1.2,
        "ledger": folder / "ledger",
        "folder": folder / "results/release/faces/first",
        "sources": SOURCES,
        "template": template,
    }


@pytest.fixture(scope="module")
def made(scans, asked):
    return shapedp.PrivateMeanFace(**asked).fit(scans)


@pytest.mark.slow
def test_the_release_is_private_recorded_and_read_back(made, asked):
    assert made.release_.formally_private
    assert made.mean_.shape == (7, 3, 20)
    assert (made.noise_sd_ > 0).all()
    (line,) = Ledger(asked["ledger"]).table("some")
    assert (line["branch"], line["name"]) == ("faces", "first")
    assert Ledger(asked["ledger"]).spent("some").mu == pytest.approx(1.0)


def test_its_noise_is_that_of_the_plan(made, asked):
    rms = made.release_.values["scale"] * np.sqrt(np.square(made.noise_sd_).sum(axis=1).mean())
    planned = shapedp.plan(3, 1.0, asked["tau"], size=made.release_.values["scale"], curves=7, samples=20)
    assert rms == pytest.approx(planned, rel=1e-6)


@pytest.mark.slow
def test_the_same_again_costs_nothing_and_is_the_same(made, scans, asked):
    again = shapedp.PrivateMeanFace(**asked).fit(scans)
    assert np.array_equal(again.mean_, made.mean_)
    assert len(Ledger(asked["ledger"]).table("some")) == 1


@pytest.mark.slow
def test_beyond_the_cap_it_is_refused_and_nothing_is_drawn(made, scans, asked, folder):
    other = folder / "results/release/faces/second"
    with pytest.raises(RefusedRelease, match="budget exceeded"):
        shapedp.PrivateMeanFace(**{**asked, "mu": 0.9, "folder": other}).fit(scans)
    assert not other.exists()


def test_points_are_in_mm_curve_after_curve(made):
    release = made.release_
    assert np.allclose(release.points[20], release.values["scale"] * made.mean_[1, :, 0])
