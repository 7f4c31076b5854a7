"""The forecast of mean faces: noise in mm of each mechanism, nothing spent, and what the operator should stop at."""

import csv

import numpy as np
import pytest

import forecast_releases
from library.privacy.cohort import KERNEL, Workspace
from shapedp.ledger.ledger_folder import Ledger
from shapedp.surfaces.chain import cohort

LEARNED = {
    "directions": 4,
    "harmonics": 4,
    "quantile": 0.95,
    "assumed_mean_shift": 0.35,
    "assumed_shift_outside_modes": 1.2,
}


@pytest.fixture
def forecast(tmp_path):
    """Makes a forecast: (its rows, its words)."""
    workspace = Workspace(tmp_path)
    stack = workspace.stack()
    public = tmp_path / "variation.h5"
    cohort.learn_variation(stack, tmp_path / "template.h5", public, LEARNED, "a public set")
    public_quality = tmp_path / "reference.tsv"
    public_quality.write_text("id\tstatus\tcode\n" + "a\trejected\tno_face\n" * 3 + "b\tok\t\n" * 9)
    privacy = {
        "population": {"faces": "people"},
        "cap": {"faces": {"mu_total": 2.0}},
        "ledger": str(tmp_path / "ledger"),
        "groups": {"membership": "private", "sizes": {}},
    }

    def make(with_public=True, **more):
        paths = {"template": tmp_path / "template.h5", "bounds": None}
        paths["public_quality"] = public_quality if with_public else None
        paths |= {
            "table": tmp_path / "forecast.tsv",
            "no_better": tmp_path / "no_better.tsv",
            "words": tmp_path / "forecast.txt",
        }
        paths |= {"variation": public, "reference": stack} if with_public else {"variation": None, "reference": None}
        settings = {"kernel": KERNEL, "tau": [0.02, 0.03, 0.04]}
        forecast_releases.forecast_faces(paths, settings, privacy, 10, **more)
        rows = []
        for name in ("table", "no_better"):
            with paths[name].open(encoding="utf-8") as stream:
                rows += csv.DictReader(stream, delimiter="\t")
        assert Ledger(tmp_path / "ledger").list_populations() == []
        return rows, paths["words"].read_text(encoding="utf-8")

    return make


def test_with_a_public_population_bias_and_chance_are_foretold(forecast):
    rows, words = forecast()
    assert "shaped" in {row["mechanism"] for row in rows}
    assert all(float(row["bias"]) > 0 for row in rows if row["mechanism"] == "shaped")
    assert all(float(row["sampling"]) > 0 for row in rows)
    assert "caution: 3 of 12 faces of the public set were rejected (25%: 3 x no_face) and are not used" in words
    assert "mechanism: shaped" in words or "publish the public reference" in words
    first, second, third, *_ = words.splitlines()
    assert any(line.startswith("What to do: ") for line in (first, second, third))
    heads = next(line for line in words.splitlines() if line.startswith("  mechanism"))
    for row in rows:
        if (row["verdict"], row["mechanism"], row["mu"]) == ("cannot be told", "shaped", "1"):
            told = next(line for line in words.splitlines() if line.startswith("  shaped ") and " mu = 1 " in line)
            error = float(told[heads.index("error") :].split()[0].rstrip("*"))
            assert error == pytest.approx(np.hypot(float(row["noise"]), float(row["bias"])), rel=5e-3)


def test_what_is_no_better_than_the_reference_stands_in_a_table_of_its_own(forecast):
    rows, words = forecast()
    useless = {row["mechanism"] for row in rows if row["verdict"] == "no better"}
    assert useless and all(
        f"\n  {name} " not in words for name in useless - {r["mechanism"] for r in rows if r["verdict"] != "no better"}
    )
    assert "No better than the public reference, which costs nothing:" in words


def test_without_one_the_noise_alone_is(forecast):
    rows, words = forecast(with_public=False)
    assert {row["mechanism"] for row in rows} == {"matched_joint", "matched", "rkhs", "rkhs_paper"}
    assert {(row["bias"], row["sampling"]) for row in rows} == {("", "")}
    assert "mechanism: matched_joint" in words


def test_the_operator_is_told_what_to_stop_at(forecast):
    _, words = forecast()
    assert "10 people are few" in words


def test_a_mean_of_one_time_is_foretold_for_the_people_of_that_time(forecast):
    late = {"name": "late", "time": "adult", "mechanism": "matched_joint", "reference": "template"}
    late["budget"] = {"mu_total": 1.0}
    paper = late | {"name": "paper", "mechanism": "rkhs_paper", "budget": {"mu": [0.2, 0.2, 0.55]}}
    rows, words = forecast(own=[(late, None, 2), (paper, None, 10), (late | {"name": "nobody"}, None, 0)])
    told = words.split("late, mean face of 2 people at 'adult', by matched_joint:\n  mu = 1: ")[1].splitlines()[0]
    of_all = [float(row["noise"]) for row in rows if (row["mechanism"], row["mu"]) == ("matched_joint", "1")]
    assert float(told.split("noise ")[1].split()[0]) == pytest.approx(of_all[0] * 10 / 2, rel=1e-2)
    assert "paper, mean face of 10 people at 'adult', by rkhs_paper: no forecast can be made for its mechanism" in words
    assert "nobody, mean face of 0 people at 'adult': a mean needs at least 2, so it would be refused" in words
    assert "caution: faces, 'late': 2 people are few" in words and "faces, 'paper'" not in words


def test_groups_have_rows_of_their_own_and_a_release_is_foretold_for_its_own_people(forecast, tmp_path):
    model = {"name": "model", "kind": "face_model", "mechanism": "shaped", "budget": {"mu_total": 8.0}}
    poor, learned = model | {"name": "poor"}, tmp_path / "variation.h5"
    given = {"sizes": {"a": 6, "b": 4}, "own": [(poor, learned, 1), (model, learned, 6)], "is_in_settings": False}
    rows, words = forecast(**given)
    noise = {
        row["group"]: float(row["noise"]) for row in rows if (row["mechanism"], row["mu"]) == ("matched_joint", "1")
    }
    assert noise["a"] == pytest.approx(noise[""] * 10 / 6, rel=1e-3) and set(noise) == {"", "a", "b"}
    assert "Groups, private membership: a has 6, b has 4." in words
    assert "model, face model of 6 people at mu = 8: its mean has noise" in words
    assert "poor, face model: 1 people are listed, and a model needs at least 2" in words
    assert 'its entry in `releases`: {"name": "model", "kind": "face_model"' in words
