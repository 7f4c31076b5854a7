"""Few people, many rejections and weak guarantees are always told; what is well is not."""

import pytest

from shapedp import artifacts
from shapedp.errors import ArtifactError
from shapedp.forecast import cautions
from shapedp.runs import summary


def settings(mu):
    release = {"name": "a", "mechanism": "matched_joint", "budget": {"mu_total": mu}}
    return {"faces": {"curves": {"count": 4}, "releases": [release]}, "shapes": None}


@pytest.mark.parametrize(("mu", "told"), [(1.0, False), (1.6, False), (1.7, True), (5.0, True)])
def test_a_weak_guarantee_is_told(mu, told):
    assert any("weak guarantee" in line for line in cautions.of_settings(settings(mu), {})) is told


@pytest.mark.parametrize(("people", "told"), [(16, True), (99, True), (100, False)])
def test_few_people_are_told(people, told):
    assert any("are few" in line for line in cautions.of_settings(settings(1.0), {"faces": people})) is told


@pytest.mark.parametrize(("rejected", "told"), [(0, False), (9, False), (10, True), (40, True)])
def test_many_rejections_are_told(tmp_path, rejected, told):
    table = tmp_path / "quality.tsv"
    states = ["rejected"] * rejected + ["ok"] * (100 - rejected)
    table.write_text("id\tstatus\n" + "".join(f"f{i}\t{state}\n" for i, state in enumerate(states)))
    assert bool(list(cautions.of_rejections(table))) is told


def test_shapes_of_another_version_stop_no_run(tmp_path):
    """They are made anew by the run that asks: no line, and no error before its first job."""
    path = tmp_path / "private/shapes/shapes.h5"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"shapedp shapes 0\n" + bytes(600))
    with pytest.raises(ArtifactError), artifacts.reader(path, artifacts.SHAPES):
        pass
    assert list(cautions.of_results({"faces": None, "shapes": {"releases": []}}, tmp_path)) == []
    assert [line for line in summary.lines(tmp_path) if "shapes" in line] == []
