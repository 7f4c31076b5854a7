"""Start Snakemake as `python -m snakemake` does, but from a process that has imported it: two of its three seconds.

Each run still has a process of its own, forked from one that has imported Snakemake and nothing of this project: it
reads the workflow, the library and the settings as a fresh one does. Tests that kill runs, tutorials and the tests of
clusters start the command itself (runs.start).
"""

import atexit
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["snakemake.cli", "smart_open"])  # Snakemake imports the latter at its first file


def run(words, env, timeout):
    """Run `[python, "-m", "snakemake", ...]`; returns the finished process, its output as text.

    env : the environment of the new process
    timeout : seconds after which it is killed
    """
    with tempfile.TemporaryDirectory() as folder:
        said = [Path(folder) / name for name in ("stdout", "stderr")]
        process = CONTEXT.Process(target=_run_snakemake, args=(words[3:], env, said))
        process.start()
        process.join(timeout)
        if process.exitcode is None:
            os.killpg(process.pid, signal.SIGKILL)  # with the jobs that it started
            raise subprocess.TimeoutExpired(words, timeout)
        return subprocess.CompletedProcess(words, process.exitcode, *(path.read_text("utf-8") for path in said))


def _run_snakemake(arguments, env, said):
    """Be what `python -m snakemake` is: its environment, its arguments, its modules' folders, its three streams."""
    from snakemake import cli

    os.setsid()
    os.environ.clear()
    os.environ.update(env)
    sys.argv = [cli.__file__.replace("cli.py", "__main__.py"), *arguments]
    tests = str(Path(__file__).parents[1])
    sys.path[:] = [folder for folder in sys.path if not folder.startswith(tests)]
    places = (Path(os.devnull), os.O_RDONLY), *((path, os.O_WRONLY | os.O_CREAT) for path in said)
    for stream, (path, flags) in enumerate(places):
        os.dup2(os.open(path, flags), stream)
    try:
        cli.main(arguments)
    finally:
        atexit._run_exitfuncs()  # a forked process leaves them out; the workflow's last words are one
