"""The simulation branch as a user runs it: `snakemake simulation`, killed once, at the scale `quick`."""

import csv
import time

import pytest

from shapedp.base import artifacts
from shapedp.reproduction import experiments
from workflow import runs

CELLS = "results/simulation"
PAPERS = {"Laplace 2021", "KNG 2022", "Faces 2024", "Geodesic regression 2025", "Riemannian Gaussian 2023", "Heat 2026"}
pytestmark = [pytest.mark.thorough, pytest.mark.timeout(2 * runs.PATIENCE)]  # a whole run beside those of other tests


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """A run killed when Snakemake has said that jobs are finished: its folder, and what they had left."""
    folder = tmp_path_factory.mktemp("simulation")
    runs.write_settings(folder, runs.tiny())
    said, left = folder / "output.txt", {}
    with said.open("w") as output:
        running = runs.start(folder, "simulation", "-p", cores=1, output=output)  # -p: Snakemake's own lines, too
    while running.poll() is None and not left:
        seen = cells(folder)
        # one job at a time: where as many are finished as have left cells, those have
        left = seen if said.read_text().count("Finished jobid") >= len(seen) else {}
        time.sleep(0.1)
    runs.kill(running)
    runs.snakemake(folder, "--unlock")
    return folder, left


@pytest.fixture(scope="module")
def finished(killed):
    """The killed run, finished: its folder."""
    runs.snakemake(killed[0], "simulation")
    return killed[0]


def cells(folder):
    """{artifact: time it was written} of a run's simulated cells."""
    return {path: path.stat().st_mtime_ns for path in (folder / CELLS).glob("*/*.h5") if path.name[0] != "."}


def test_what_a_killed_run_leaves_is_whole(killed):
    assert killed[1]
    for path in killed[1]:
        artifacts.check(path, artifacts.SIMULATION)


def test_it_goes_on_without_recomputing_what_is_done(killed, finished):
    before, after = killed[1], cells(finished)
    assert {path: after[path] for path in before} == before
    assert len(after) > len(before)


def test_every_figure_is_there_and_no_face_was_needed(finished):
    for figure in experiments.FIGURES:
        assert (finished / CELLS / "figures" / f"{figure}.png").stat().st_size > 10_000
    assert not (finished / "results/private/faces").exists()


def test_the_claims_are_tabulated_for_all_papers(finished):
    with (finished / CELLS / "claims.tsv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    assert {row["paper"] for row in rows} == PAPERS
    assert {row["verdict"] for row in rows} == {"agrees", "differs", "not told apart", "not testable"}
    page = (finished / CELLS / "claims.md").read_text(encoding="utf-8")
    assert all(f"## {paper}" in page for paper in PAPERS)


def test_the_same_bytes_on_another_number_of_cores(finished, tmp_path):
    target = f"{CELLS}/sensitivity/all.h5"
    runs.snakemake(tmp_path, target, settings=runs.tiny(), cores=1)
    assert (tmp_path / target).read_bytes() == (finished / target).read_bytes()


def test_a_second_run_does_nothing(finished):
    again = runs.snakemake(finished, "simulation")
    assert "Nothing to be done" in again.stderr + again.stdout
