"""A node that crashes, a job over its time, a job over its memory: the workflow recovers, and names the batch."""

import re
import shutil
import signal
import time

import psutil
import pytest

from cluster import local_slurm
from workflow import runs

pytestmark = pytest.mark.skipif(bool(local_slurm.missing()), reason=local_slurm.missing())

TARGET = "results/private/faces/mesh/1.h5"
PROFILE = runs.ROOT / "workflow/profiles/slurm"
BATCH = "mesh_faces/faces/1: Mesh the scans"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with local_slurm.cluster(tmp_path_factory.mktemp("slurm")) as running:
        yield running


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    """A folder with the demo's scans, and the artifact as a local run makes it."""
    folder = tmp_path_factory.mktemp("local")
    runs.snakemake(folder, TARGET, settings=runs.tiny(runs.TWO_FACES))
    return folder


class Run:
    """The workflow on the cluster, in a folder that has the scans but not the artifact."""

    def __init__(self, local, folder, *arguments):
        self.folder = folder
        shutil.copytree(local, folder, dirs_exist_ok=True)
        (folder / TARGET).unlink()
        self._log = (folder / "output.txt").open("w")
        self._process = runs.start(
            folder,
            "--workflow-profile",
            str(PROFILE),
            TARGET,
            "--printshellcmds",
            *arguments,
            cores=None,
            output=self._log,
        )

    def job(self):
        """The process that meshes, once it runs."""
        while self._process.poll() is None:
            for process in psutil.process_iter(["cmdline"]):
                words = " ".join(process.info["cmdline"] or [])
                if str(self.folder) in words and words.endswith(".take_to_disk.py"):
                    return process
            time.sleep(0.1)
        raise AssertionError(f"no job has run\n{self.words()}")

    def wait(self):
        """Wait for the end; the exit code."""
        try:
            return self._process.wait(runs.PATIENCE)
        finally:
            runs.kill(self._process)
            self._log.close()

    def words(self):
        """What the user has seen."""
        return (self.folder / "output.txt").read_text(encoding="utf-8")


def recovered(run, local):
    """The run ended well, with the local run's bytes."""
    assert run.wait() == 0, run.words()
    assert (run.folder / TARGET).read_bytes() == (local / TARGET).read_bytes()


def submissions(words):
    return len(re.findall(r"submitted.*SLURM jobid", words))


def test_a_node_that_crashes_and_comes_back_costs_only_time(cluster, local, tmp_path):
    run = Run(local, tmp_path)
    job = run.job()
    job.send_signal(signal.SIGSTOP)  # it cannot be over before the crash
    cluster.kill_node()
    assert not (tmp_path / TARGET).exists()
    cluster.start_node()
    recovered(run, local)


def test_a_job_over_its_time_is_named_and_gets_more(cluster, local, tmp_path):
    run = Run(local, tmp_path, "--set-resources", "mesh_faces:runtime=1 if attempt == 1 else 60")
    run.job().send_signal(signal.SIGSTOP)
    recovered(run, local)
    words = run.words()
    assert submissions(words) == 2
    assert "TIMEOUT" in words
    assert BATCH in words


def test_a_job_over_its_memory_is_named_and_gets_more(cluster, local, tmp_path):
    run = Run(local, tmp_path, "--set-resources", "mesh_faces:mem_mb=60 if attempt == 1 else 4000")
    recovered(run, local)
    words = run.words()
    assert submissions(words) == 2
    assert BATCH in words
