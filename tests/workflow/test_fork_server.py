"""A run that is forked from a process with Snakemake in it is what the command itself is."""

import subprocess
import sys

import pytest

from workflow import fork_server, runs

SNAKEFILE = """
rule a:
    output: "a"
    shell: "echo $WORD > {output}; sleep $SECONDS_ASLEEP"

onsuccess:
    print("the last words")
"""


def both(folder, *arguments):
    """What a forked run and the command say, each in a folder of its own, [finished process of each]."""
    done = []
    for name, run in (("fork", fork_server.run), ("command", runs.run_process)):
        place = folder / name
        place.mkdir()
        (place / "Snakefile").write_text(SNAKEFILE)
        line = [sys.executable, "-m", "snakemake", "--snakefile", str(place / "Snakefile"), "--directory", str(place)]
        env = runs.environment() | {"WORD": "said", "SECONDS_ASLEEP": "0"}
        done.append(run([*line, "--cores", "1", *arguments], env, runs.PATIENCE))
    return done


def test_it_makes_and_says_the_same(tmp_path):
    fork, command = both(tmp_path)
    assert fork.returncode == command.returncode == 0
    assert (tmp_path / "fork/a").read_text() == (tmp_path / "command/a").read_text() == "said\n"
    assert "the last words" in fork.stdout + fork.stderr
    assert fork.stdout == command.stdout
    kept = [
        [line for line in done.stderr.splitlines() if "rule a" in line or "steps" in line] for done in (fork, command)
    ]
    assert kept[0] == kept[1] and len(kept[0]) > 1


def test_it_fails_in_the_same_way(tmp_path):
    fork, command = both(tmp_path, "nowhere")
    assert fork.returncode == command.returncode != 0
    assert "nowhere" in fork.stderr and "nowhere" in command.stderr


def test_what_takes_too_long_is_killed_with_its_jobs(tmp_path):
    (tmp_path / "Snakefile").write_text(SNAKEFILE)
    line = [sys.executable, "-m", "snakemake", "--snakefile", str(tmp_path / "Snakefile"), "--directory", str(tmp_path)]
    env = runs.environment() | {"WORD": "said", "SECONDS_ASLEEP": "611.25"}
    with pytest.raises(subprocess.TimeoutExpired):
        fork_server.run([*line, "--cores", "1"], env, 15)
    found = subprocess.run(["pgrep", "-f", "sleep 611.25"], capture_output=True, text=True, check=False)
    assert not found.stdout
