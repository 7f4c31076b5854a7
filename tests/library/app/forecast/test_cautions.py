"""Few people, many rejections and weak guarantees are always told; what is well is not."""

import numpy as np
import pytest

import center_shapes
import read_shapes
from shapedp.app.forecast import budgets
from shapedp.base import artifacts
from shapedp.base.errors import ArtifactError
from shapedp.base.runs import status
from shapedp.landmarks import outlines
from shapedp.ledger import shared_people
from shapedp.ledger.ledger_folder import Ledger
from shapedp.people import samples
from shapedp.privacy.manifolds import landmark_shapes


def settings(mu):
    release = {"name": "a", "mechanism": "matched_joint", "budget": {"mu_total": mu}}
    return {"faces": {"curves": {"count": 4}, "releases": [release]}, "shapes": None}


@pytest.mark.parametrize(("mu", "told"), [(1.0, False), (1.6, False), (1.7, True), (5.0, True)])
def test_a_weak_guarantee_is_told(mu, told):
    assert any("weak guarantee" in line for line in budgets.caution_settings(settings(mu), {})) is told


@pytest.mark.parametrize(("people", "told"), [(16, True), (99, True), (100, False)])
def test_few_people_are_told(people, told):
    assert any("are few" in line for line in budgets.caution_settings(settings(1.0), {"faces": people})) is told


@pytest.mark.parametrize(("rejected", "told"), [(0, False), (9, False), (10, True), (40, True)])
def test_many_rejections_are_told(tmp_path, rejected, told):
    table = tmp_path / "quality.tsv"
    states = ["rejected"] * rejected + ["ok"] * (100 - rejected)
    table.write_text("id\tstatus\n" + "".join(f"f{i}\t{state}\n" for i, state in enumerate(states)))
    assert bool(list(budgets.caution_rejections(table))) is told


@pytest.mark.parametrize("rejected", [0, 1, 35])
def test_any_rejection_of_a_public_set_is_told(tmp_path, rejected):
    """In the plan, and in the run's closing lines: what is rejected teaches nothing."""
    table = tmp_path / "private/reference/quality.tsv"
    table.parent.mkdir(parents=True)
    rows = [f"p{i}\t{'rejected' if i < rejected else 'ok'}\tunlike_template\tfar off\n" for i in range(150)]
    table.write_text("id\tstatus\tcode\treason\n" + "".join(rows))
    told = list(budgets.caution_results({"faces": settings(1.0)["faces"], "shapes": None}, tmp_path))
    said = [line for line in status.describe_results(tmp_path) if "public set" in line]
    assert len(told) == len(said) == (rejected > 0)
    assert all(f"{rejected} of 150 faces of the public set were rejected" in line for line in told)
    assert all(f"rest on the other {150 - rejected}" in line for line in told)


def test_shapes_of_another_version_stop_no_run(tmp_path):
    """They are made anew by the run that asks: no line, and no error before its first job."""
    path = tmp_path / "private/shapes/shapes.h5"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"shapedp shapes 0\n" + bytes(600))
    with pytest.raises(ArtifactError), artifacts.reader(path, artifacts.SHAPES):
        pass
    assert list(budgets.caution_results({"faces": None, "shapes": {"releases": []}}, tmp_path)) == []


@pytest.mark.parametrize(("radius", "told"), [(0.3, 0), (0.05, 1), ("data", 0)])
def test_that_most_people_lie_beyond_the_radius_is_told(tmp_path, radius, told):
    np.savez(tmp_path / "private.npz", X=outlines.population(20, 5)[0])
    paths = tmp_path / "private.npz", tmp_path / "landmarks.h5", tmp_path / "private/shapes/shapes.h5"
    read_shapes.read_shapes(*paths[:2], "demo")
    center_shapes.center_shapes(*paths[1:], "demo")
    found = list(budgets.caution_results({"faces": None, "shapes": {"radius": radius, "releases": []}}, tmp_path))
    assert len(found) == told and all("20 people lie farther from the center than the radius" in one for one in found)


@pytest.mark.parametrize(("scale", "told"), [(1.0, 0), (0.002, 2)])
def test_that_most_sizes_lie_outside_their_public_bounds_is_told(tmp_path, scale, told):
    records = outlines.population(20, 5)[0]
    size = float(np.exp(landmark_shapes.log_sizes(records).mean()))
    np.savez(tmp_path / "private.npz", X=records * scale)
    paths = tmp_path / "private.npz", tmp_path / "landmarks.h5", tmp_path / "private/shapes/shapes.h5"
    read_shapes.read_shapes(*paths[:2], "demo")
    center_shapes.center_shapes(*paths[1:], "demo")
    model = {
        "name": "m",
        "kind": "shape_model",
        "covariates": {"log_size": {"range": list(np.log([size / 2, size * 2]))}},
    }
    given = {"size": [size / 2, size * 2], "releases": [model]}
    found = list(budgets.caution_results({"faces": None, "shapes": given}, tmp_path))
    assert len(found) == told and all("the centroid sizes of 20 of 20 people lie outside" in one for one in found)


def test_people_of_another_population_are_told_before_anything_is_spent(tmp_path):
    """By their files for faces, by their landmarks for shapes; nothing is told, or made, where no ledger is."""
    privacy = {"ledger": tmp_path / "ledger", "population": {"faces": "a", "shapes": "a"}, "disjoint_from": []}
    scans = [(f"p{at}", tmp_path / f"{at}.ply") for at in range(3)]
    for at, (_, path) in enumerate(scans):
        path.write_bytes(bytes([at]) * 50)
    assert list(budgets.caution_shared_people("faces", privacy, scans)) == [] and not (tmp_path / "ledger").exists()
    key = Ledger(tmp_path / "ledger").key()
    landmarks = np.random.default_rng(1).normal(size=(4, 5, 2))
    path = tmp_path / "private/shapes/landmarks.h5"
    path.parent.mkdir(parents=True)
    with artifacts.writer(path, artifacts.LANDMARKS) as out:
        texts = dict.fromkeys(("persons", "faults", "groups", "covariates"), [""] * 4)
        out.set(landmarks=landmarks, ids=list("abcd"), **texts)
    others = [*shared_people.mark_files(key, scans[:2]).values(), *shared_people.mark_records(key, landmarks[1:])]
    shared_people.remember(tmp_path / "ledger", "b", others)
    for branch, count in (("faces", "2 of its 3"), ("shapes", "3 of its 4")):
        (line,) = budgets.caution_shared_people(branch, privacy, scans, tmp_path)
        assert line.startswith("caution: ") and f"{count} people stand in population 'b'" in line


def test_cells_that_are_not_read_are_counted_by_column_and_listed_by_id(tmp_path):
    asked = {"age": {"range": [20, 60]}, "sex": {"levels": ["female", "male"]}}
    given = {"faces": {"releases": [{"name": "model", "covariates": asked}]}, "shapes": None}
    cells = [("18,5", "F"), ("n/a", "Male"), ("", "female "), ("30", "divers")]
    members = [
        samples.Sample(f"s{at}", "", f"s{at}", covariates=(("age", age), ("sex", sex)))
        for at, (age, sex) in enumerate(cells)
    ]
    told = list(budgets.caution_cells(given, members, tmp_path))
    assert ["2 of 4 cells of 'age'" in told[0], "1 of 4 cells of 'sex'" in told[1], len(told)] == [True, True, 2]
    listed = (tmp_path / "private/logs/unread_cells.log").read_text(encoding="utf-8")
    assert listed == "faces, column 'age': s1, s2\nfaces, column 'sex': s3\n"
    given["faces"]["releases"] = []
    assert list(budgets.caution_cells(given, members, tmp_path)) == []


def test_a_cell_is_told_where_no_other_of_the_person_is_read(tmp_path):
    """Of a change the number may stand in either row; of a model at one time, at that time and in scans that count."""
    rows = [("a", "before", "", True), ("a", "after", "2", True), ("b", "before", "?", True), ("b", "after", "", True)]
    rows += [("c", "before", "30", True), ("c", "after", "40", False)]
    members = [
        samples.Sample(f"{who}_{time}", "", who, covariates=(("Years", text),), use=use, time=time)
        for who, time, text, use in rows
    ]
    entry = {"name": "one", "kind": "mean_change", "times": ["before", "after"], "per": {"years": [0.5, 10]}}
    given = {"faces": {"releases": [entry]}, "shapes": None}
    (told,) = budgets.caution_cells(given, members, tmp_path)
    assert "2 of 5 cells of 'years' are not read and count as no change" in told
    entry = {"name": "one", "kind": "face_model", "time": "after", "covariates": {"years": {"range": [0, 50]}}}
    given["faces"]["releases"] = [entry]
    (told,) = budgets.caution_cells(given, members, tmp_path)
    assert "1 of 2 cells of 'years' are not read and count as the middle" in told
