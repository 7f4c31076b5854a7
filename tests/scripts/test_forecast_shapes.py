"""The forecast of mean shapes: of everybody and of each group of the sheet, by counted or declared sizes."""

import csv
import re

import numpy as np
import pytest

import center_shapes
import forecast_releases
import read_shapes
from shapedp.landmarks import outlines, public_objects
from shapedp.ledger.ledger_folder import Ledger
from shapedp.privacy.shapes.learned import Shaped

GROUPS = ["a"] * 45 + ["b"] * 14 + ["c"]
SETTINGS = {"radius": 0.2, "contour_modes": 16, "center": "demo", "leave_out": []}


@pytest.fixture
def forecast(tmp_path):
    """forecast(groups=settings of privacy.groups) -> (rows, words)."""
    np.savez(tmp_path / "private.npz", X=outlines.population(len(GROUPS), 1)[0])
    rows = [f"private_{i + 1:05d},{one}\n" for i, one in enumerate(GROUPS)]
    (tmp_path / "sheet.csv").write_text("id,group\n" + "".join(rows))
    paths = tmp_path / "landmarks.h5", tmp_path / "shapes.h5"
    read_shapes.read_shapes(tmp_path / "private.npz", paths[0], "demo", sheet=tmp_path / "sheet.csv")
    center_shapes.center_shapes(*paths, "demo")

    def made(center="demo", **groups):
        privacy = {"population": {"shapes": "people"}, "cap": {"shapes": {"mu_total": 9.0}}}
        privacy |= {"ledger": str(tmp_path / "ledger"), "groups": {"membership": "public", "sizes": {}} | groups}
        out = {"table": tmp_path / "forecast.tsv", "words": tmp_path / "forecast.txt"}
        out["no_better"] = tmp_path / "no_better.tsv"
        forecast_releases.forecast_shapes(paths[1], out, SETTINGS | {"center": center}, privacy)
        assert Ledger(tmp_path / "ledger").list_populations() == []
        rows = []
        for name in ("table", "no_better"):
            with out[name].open(encoding="utf-8") as stream:
                rows += csv.DictReader(stream, delimiter="\t")
        return rows, out["words"].read_text(encoding="utf-8")

    made.landmarks, made.shapes = paths
    return made


def test_a_private_center_is_told_its_mechanism_and_no_other(forecast):
    center_shapes.center_shapes(forecast.landmarks, forecast.shapes, "private")
    rows, words = forecast("private")
    assert rows == [] and "mechanism: private_center" in words and "comes from the data" not in words


def noise(rows, group, mechanism="gaussian"):
    """Of a mechanism at mu = 1."""
    return [
        float(row["noise"])
        for row in rows
        if (row["group"], row["mechanism"], row["mu"], row["epsilon"]) == (group, mechanism, "1", "")
    ]


def test_a_group_has_the_noise_of_its_own_members(forecast):
    rows, words = forecast()
    (everybody,), (a,), (b,), none = (noise(rows, group) for group in ("", "a", "b", "c"))
    assert a == pytest.approx(everybody * 60 / 45, rel=1e-3) and b == pytest.approx(everybody * 60 / 14, rel=1e-3)
    assert none == [], "nobody is released alone"
    _, ball = public_objects.read_cohort(forecast.shapes, 0.2, 16)
    for group, n in (("", 60), ("a", 45)):
        for row in rows:
            if (row["group"], row["mechanism"], row["allowed"]) == (group, "shaped", "yes"):
                made = Shaped(type(ball)(n, ball.p0, ball.r, ball.modes), {"mu_total": float(row["mu"])})
                assert float(row["noise"]) == pytest.approx(made.noise_size(), rel=1e-3)
    assert any((row["group"], row["mechanism"]) == ("a", "shaped") for row in rows)
    assert "a has 45, b has 14, c has 1" in words and re.search(r"^  a +gaussian ", words, re.MULTILINE)


def test_private_members_are_forecast_by_their_declared_size_alone(forecast):
    rows, words = forecast(membership="private", sizes={"a": 30})
    (everybody,), (a,), none = (noise(rows, group) for group in ("", "a", "b"))
    assert a == pytest.approx(everybody * 60 / 30, rel=1e-3) and none == []
    assert "Groups, private membership: a has 30." in words
