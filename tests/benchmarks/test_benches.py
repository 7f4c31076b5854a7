"""Every bench runs, in a tiny form, in a checkout with nothing beside it; none measures what it was not asked to."""

import math

import pytest

from benchmarks import bench_registration, chained_faces, killed_runs, populations, run


def here(name):
    """The population of a bench that needs no data beside the checkout."""
    return "demo" if "demo" in run.load(name).POPULATIONS else None


LONG = ("kill", "people", "scale")  # by nature, be what they measure few


def lane(name):
    """Whole runs and kills take minutes even in a tiny form: they are in the long lane."""
    return pytest.param(name, marks=pytest.mark.long) if name in LONG else name


@pytest.fixture(scope="module", autouse=True)
def kept_faces(tmp_path_factory):
    """Faces that one bench has taken through the chain are there for the next, as for benches of full size."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(chained_faces.CACHE, str(tmp_path_factory.mktemp("faces")))
        yield


@pytest.mark.parametrize("name", [lane(name) for name in run.benches()])
def test_each_bench_runs_and_says_whom_it_measured(name, tmp_path, capsys, request):
    if name == "shaped":
        request.getfixturevalue("pymeshlab")  # counts the triangles that cut others
    run.report(name, *run.measured(name, here(name), tiny=True), tmp_path)
    header, *lines = (tmp_path / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    population = here(name) or run.load(name).POPULATIONS[0]
    assert header.split("\t") == list(run.COLUMNS)
    assert rows and {row[4] for row in rows} == {population}
    assert [row for row in rows if not math.isfinite(float(row[2]))] == []
    assert f"population: {population}" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["registration", "release", "surfaces"])
def test_no_other_faces_stand_in_where_the_ict_faces_are_missing(name, tmp_path, monkeypatch):
    monkeypatch.setattr(populations, "ICT", tmp_path / "ict_faces.npz")
    with pytest.raises(SystemExit, match=rf"{name}: the ICT faces .* are not beside this checkout; .* POPULATION=demo"):
        run.main([name, "--tiny", "--folder", str(tmp_path)])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["registartion"], "no bench named registartion; there are: .*registration"),
        (["simulation", "--population", "ict"], "simulation is not measured on 'ict', but on: simulated"),
    ],
)
def test_what_is_not_there_is_named(arguments, complaint):
    with pytest.raises(SystemExit, match=complaint):
        run.main(arguments)


def test_the_ict_faces_are_the_whole_model(shared_data):
    model = populations.ict()
    assert model.modes.shape == (100, *model.mean.shape)
    assert bench_registration.POPULATIONS[0] == "ict"


@pytest.mark.long
def test_thirty_kills_leave_nothing_half_written_and_no_other_bytes():
    assert killed_runs.kill_rows(30) == [("kill", "runs", 30, "kills"), ("kill", "differences", 0, "artifacts")]
