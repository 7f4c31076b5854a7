"""Studies, letters, sources of a pool and folders that strangers made up: taken, or refused in one line."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from unittest import mock

import h5py
import numpy as np
import pytest

from benchmarks import fuzz_strangers
from library.laboratories import five_labs
from shapedp.app.cli import commands
from shapedp.base import artifacts
from shapedp.laboratories import rounds

COUNT = 300


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return fuzz_strangers.Workspace(tmp_path)


@pytest.mark.slow
@pytest.mark.thorough
def test_whatever_strangers_send_is_taken_or_refused_in_one_line(tmp_path):
    seen = Counter()
    with np.errstate(all="ignore"):
        inputs, escaped, _ = fuzz_strangers.fuzz(tmp_path, COUNT, seed=1, seen=seen)
    told = [outcome for outcome in seen if outcome[1].startswith("escaped")]
    assert (inputs, escaped) == (COUNT, 0), told
    assert {kind for kind, found in seen if found == "refused"} == set(fuzz_strangers.SHARES)


@pytest.mark.slow
def test_what_nobody_spoiled_is_taken(place):
    """Else the lane above would attack what fails anyway."""
    rounds.compute_answer(place.round, five_labs.WholeSums())
    with mock.patch.object(fuzz_strangers.Workspace, "_spoil", lambda *_: None):
        for seed in range(12):
            assert place.of_folder(np.random.default_rng(seed))[0] in ("taken", "refused")
        found = [place.of_source(np.random.default_rng(seed))[0] for seed in range(2)]
    assert "taken" in found
    with mock.patch.object(fuzz_strangers, "spoiled", lambda value, rng: value):
        rng = mock.Mock(random=lambda: 0.9, integers=lambda *_: 1)
        assert place.of_study(rng)[0] == "taken"


@pytest.mark.slow
@pytest.mark.parametrize("harm", ["traceback", "two_lines", "unnamed", "writes", "removes", "imports"])
def test_the_lane_sees_harm(place, harm, monkeypatch):
    def act():
        match harm:
            case "traceback":
                raise KeyError("release")
            case "two_lines":
                print("a\nb", file=fuzz_strangers.sys.stderr)
            case "unnamed":
                print("shapedp: something is wrong", file=fuzz_strangers.sys.stderr)
            case "writes":
                (place.folder / "data/ledger/key").write_bytes(b"another")
            case "removes":
                (place.folder / "thesis.txt").unlink()
            case "imports":
                (place.folder / "ran").write_text("")
        return 3

    found, _ = place.met(act, ["study.yaml"])
    assert found.startswith("escaped")


def test_a_terminal_that_lacks_a_letter_is_no_fault_of_a_release(tmp_path):
    page, release = tmp_path / "für.html", Path(__file__).parents[2] / "releases/of_older_version/mean_shape"
    command = [sys.executable, "-c", "import sys; from shapedp.app.cli.commands import main; sys.exit(main())"]
    found = subprocess.run(
        [*command, "board", str(release), str(page)],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (found.returncode, found.stderr) == (0, "") and page.is_file()
    assert r"f\xfcr.html: 15 questions answered" in found.stdout


def test_a_fault_is_one_line_whatever_signs_it_bears(monkeypatch, capsys, tmp_path):
    name = tmp_path / "a\x1b[31m\nb\u202e.h5"
    monkeypatch.setattr("sys.argv", ["shapedp", "describe", str(name)])
    assert commands.main() == 4
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and said.rstrip("\n").isprintable()


@pytest.mark.slow
def test_fields_that_do_not_fit_each_other_are_refused_with_the_name_of_their_file(place, capsys):
    path = place.sources[0] / "drawn.h5"
    with h5py.File(path, "r+") as file:
        noise = file["noise"][:3]
        del file["noise"]
        file["noise"] = noise
    artifacts.seal(path, artifacts.DRAWN)
    assert fuzz_strangers.command("pool", *map(str, place.sources), "--results", str(place.output)) == 4
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and str(path) in said and "field 'noise'" in said
