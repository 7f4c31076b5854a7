"""The forecast of mean faces: noise in mm of each mechanism, nothing spent, and what the operator should stop at."""

import csv

import pytest

import forecast_faces
import learn_variation
from library.mechanisms.cohort import KERNEL, Workspace
from shapedp.releases.ledger import Ledger

LEARNED = {"modes": 4, "harmonics": 4, "quantile": 0.95, "shift": 0.35, "novelty": 1.2}


@pytest.fixture
def forecast(tmp_path):
    """Makes a forecast: (its rows, its words)."""
    workspace = Workspace(tmp_path)
    stack = workspace.stack()
    public, quality = tmp_path / "variation.h5", tmp_path / "quality.tsv"
    learn_variation.learn_variation(stack, tmp_path / "template.h5", public, LEARNED, "a public set")
    quality.write_text("id\tstatus\n" + "a\trejected\n" * 2 + "b\tok\n" * 8)
    privacy = {
        "population": {"faces": "people"},
        "cap": {"faces": {"mu_total": 2.0}},
        "ledger": str(tmp_path / "ledger"),
    }

    def make(with_public=True):
        paths = {"template": tmp_path / "template.h5", "quality": quality, "bounds": None}
        paths |= {"table": tmp_path / "forecast.tsv", "words": tmp_path / "forecast.txt"}
        paths |= {"variation": public, "reference": stack} if with_public else {"variation": None, "reference": None}
        settings = {"kernel": KERNEL, "tau": [0.02, 0.03, 0.04]}
        forecast_faces.forecast_faces(paths, settings, privacy, 10)
        with paths["table"].open(encoding="utf-8") as stream:
            rows = list(csv.DictReader(stream, delimiter="\t"))
        assert Ledger(tmp_path / "ledger").populations() == []
        return rows, paths["words"].read_text(encoding="utf-8")

    return make


def test_with_a_public_population_bias_and_chance_are_foretold(forecast):
    rows, words = forecast()
    assert rows[0]["mechanism"] == "shaped"
    assert all(float(row["bias"]) > 0 for row in rows if row["mechanism"] == "shaped")
    assert all(float(row["sampling"]) > 0 for row in rows)
    assert "mechanism: shaped" in words


def test_without_one_the_noise_alone_is(forecast):
    rows, words = forecast(with_public=False)
    assert {row["mechanism"] for row in rows} == {"matched_joint", "matched", "rkhs", "rkhs_paper"}
    assert {(row["bias"], row["sampling"]) for row in rows} == {("", "")}
    assert "mechanism: matched_joint" in words


def test_the_operator_is_told_what_to_stop_at(forecast):
    _, words = forecast()
    assert "2 of 10 records were rejected (20%)" in words
    assert "10 people are few" in words
