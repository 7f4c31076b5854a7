"""Run the workflow as a user does, in a folder of its own, on a small cohort."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import yaml

from workflow import fork_server

ROOT = Path(__file__).resolve().parents[2]
TWO_FACES = {  # changes for a run as small as can be: one batch, and no reference set
    "faces.demo": {"count": 2, "bad": 0, "seed": 7},
    "faces.batch_size": 2,
    "faces.bounds.source": "public",
    "faces.bounds.tau": [0.05, 0.05, 0.05],
}
PATIENCE = 900  # seconds; a run that takes longer hangs


def tiny(changes=None):
    """The shipped settings with a small cohort, and `changes` ({"faces.batch_size": 3, ...}) on top."""
    settings = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    small = yaml.safe_load((ROOT / "tests/config.tiny.yaml").read_text(encoding="utf-8"))
    for path, value in {**small, **(changes or {})}.items():
        *parents, last = path.split(".")
        section = settings
        for key in parents:
            section = section[key]
        section[last] = value
    if "privacy.people" not in (changes or {}):
        settings["privacy"]["people"] = _drawn(settings)
    return settings


def _drawn(settings):
    """How many persons the settings draw, by branch."""
    faces, shapes = settings["faces"], settings["shapes"]
    people = {}
    if faces and faces["scans"] in ("demo", "formula"):
        people["faces"] = faces["demo"]["count"] + faces["demo"]["bad"]
    if shapes and shapes["landmarks"] == "demo":
        people["shapes"] = shapes["demo"]["count"]
    return people


def command(folder, *arguments, check=True):
    """Run any command in `folder`; returns the finished process, its output as text."""
    return checked(run_process(list(map(str, arguments)), environment(), PATIENCE, folder), check)


def run_process(words, env, timeout, folder=None):
    """Run a command in a process of its own; returns the finished process, its output as text."""
    return subprocess.run(
        words,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
    )


def checked(done, check):
    """Return a finished process; with `check` one that has failed is an error that shows the end of its output."""
    if check and done.returncode != 0:
        raise AssertionError(f"{done.args}\n{done.stdout[-6000:]}\n{done.stderr[-6000:]}")
    return done


def snakemake(folder, *arguments, settings=None, cores=2, check=True, file="config.yaml"):
    """Run snakemake in `folder` with the given settings; returns the finished process, its output as text.

    file : the settings file in the folder that is given with --configfile; None gives none
    """
    folder = Path(folder)
    if settings is not None:
        write_settings(folder, settings)
    start = fork_server.run if "PYTEST_CURRENT_TEST" in os.environ else run_process  # benches time what a user starts
    return checked(start(command_of(folder, cores, *arguments, file=file), environment(), PATIENCE), check)


def command_of(folder, cores, *arguments, file="config.yaml"):
    """The command line; the settings' file stands before an option, for it would take targets that follow it, too."""
    return [
        sys.executable,
        "-m",
        "snakemake",
        "--snakefile",
        str(ROOT / "Snakefile"),
        *(["--configfile", str(Path(folder) / file)] if file else []),
        "--directory",
        str(folder),
        *(["--cores", str(cores)] if cores else []),
        *arguments,
    ]


def start(folder, *arguments, cores=2, output=subprocess.DEVNULL):
    """Start snakemake in `folder` in a process group of its own, to be stopped or killed with all its jobs."""
    return subprocess.Popen(
        command_of(folder, cores, *arguments),
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def wait_for_lock(folder, running):
    """Wait until the run has locked the folder, or is over."""
    locks = Path(folder) / ".snakemake" / "locks"
    while running.poll() is None and not (locks.is_dir() and any(locks.iterdir())):
        time.sleep(0.05)


def kill(running):
    """Kill a started run with all its jobs, as a power cut would."""
    with suppress(ProcessLookupError):
        os.killpg(running.pid, signal.SIGKILL)
    running.wait()


def write_settings(folder, settings):
    """Write the config file of a run."""
    (Path(folder) / "config.yaml").write_text(yaml.safe_dump(settings, sort_keys=False), encoding="utf-8")


def environment():
    """The environment of a user's shell with the project's programs in reach."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")} | {"PATH": path}


def artifacts_of(folder):
    """{path below results/private: bytes} of every artifact a run left."""
    private = Path(folder) / "results" / "private"
    return {str(path.relative_to(private)): path.read_bytes() for path in sorted(private.rglob("*.h5"))}
