"""A full disk, read-only results, a wrong clock, two runs at once: clear words, nothing lost, and what to do."""

import os
import shutil
import signal
import subprocess
import time

import pytest

from workflow import runs

pytestmark = pytest.mark.thorough

TARGET = "results/private/faces/mesh/1.h5"


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    runs.snakemake(folder, TARGET, settings=runs.tiny(runs.TWO_FACES))
    return folder


@pytest.fixture
def scanned(undisturbed, tmp_path):
    """A folder with the settings and the scans, without results."""
    shutil.copytree(undisturbed / "data", tmp_path / "data")
    shutil.copy(undisturbed / "config.yaml", tmp_path)
    return tmp_path


def words(finished):
    return finished.stderr + finished.stdout


def bytes_of(folder):
    return (folder / TARGET).read_bytes()


@pytest.fixture
def small_disk(scanned):
    """results/ on a disk of its own, as large as `small_disk(options)` says."""
    place = scanned / "results"
    place.mkdir()

    def mount(options):
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            pytest.skip(f"no disk can be mounted here: {done.stderr.strip()}")

    yield mount
    subprocess.run(["umount", "-l", str(place)], capture_output=True, check=False)


def test_a_full_disk_is_told_and_the_run_goes_on_when_there_is_room(small_disk, scanned, undisturbed):
    shared = (undisturbed / "results/private/template.h5").stat().st_size  # comes first, and fits
    small_disk(f"size={shared + len(bytes_of(undisturbed)) // 2}")
    failed = runs.snakemake(scanned, TARGET, check=False)
    assert failed.returncode != 0
    assert f"{TARGET}: cannot be written: No space left on device" in words(failed)
    assert "make room, then start the same command again: what is finished is kept" in words(failed)
    assert not (scanned / TARGET).exists()
    small_disk("remount,size=64m")
    runs.snakemake(scanned, TARGET)
    assert bytes_of(scanned) == bytes_of(undisturbed)


def test_results_that_cannot_be_written_are_refused_before_any_work(small_disk, scanned):
    small_disk("size=1m,ro")
    failed = runs.snakemake(scanned, TARGET, check=False)
    assert failed.returncode != 0
    assert "results/private: cannot be written: Read-only file system; make the folder writable" in words(failed)
    assert "Traceback" not in words(failed)


def test_a_scan_may_bear_any_date(scanned, undisturbed):
    """It is part of one person's record, which decides of no run whether it goes."""
    scan = min((scanned / "data/demo/faces").glob("*_0001.*"))
    tomorrow = time.time() + 86_400
    os.utime(scan, (tomorrow, tomorrow))
    runs.snakemake(scanned, TARGET)
    assert bytes_of(scanned) == bytes_of(undisturbed)


def test_artifacts_from_the_future_stay_and_are_named(scanned, undisturbed):
    """The clock was ahead when they were made, and was set back."""
    shutil.copytree(undisturbed / "results", scanned / "results")
    tomorrow = time.time() + 86_400
    os.utime(scanned / TARGET, (tomorrow, tomorrow))
    failed = runs.snakemake(scanned, "results/private/faces/disk_map/1.h5", check=False)
    assert failed.returncode != 0
    assert f"'{TARGET}'" in words(failed)
    assert bytes_of(scanned) == bytes_of(undisturbed)


def test_of_two_runs_in_one_folder_the_second_is_refused_and_the_first_ends_well(scanned, undisturbed):
    first = runs.start(scanned, TARGET, cores=1)
    runs.wait_for_lock(scanned, first)
    os.killpg(first.pid, signal.SIGSTOP)  # it cannot be over before the second has tried
    second = runs.snakemake(scanned, TARGET, check=False)
    os.killpg(first.pid, signal.SIGCONT)
    assert first.wait(runs.PATIENCE) == 0
    assert second.returncode != 0
    assert "Directory cannot be locked" in words(second)
    assert "no other Snakemake process is trying to create the same files" in words(second)
    assert bytes_of(scanned) == bytes_of(undisturbed)


HOSTILE_SETTINGS = """
faces: !!python/object/apply:os.system ["touch touched"]
"""


def test_settings_never_run_code(tmp_path):
    (tmp_path / "config.yaml").write_text(HOSTILE_SETTINGS, encoding="utf-8")
    failed = runs.snakemake(tmp_path, TARGET, check=False)
    assert failed.returncode != 0
    assert not (tmp_path / "touched").exists()
    assert "Config file is not valid" in words(failed)


@pytest.mark.parametrize(
    ("target", "told"),
    [("missing.png", "No such file or directory: 'results/missing.png'"), ("made.png", "UnicodeDecodeError")],
)
def test_a_target_after_the_settings_ends_in_the_line_that_the_documentation_explains(root, tmp_path, target, told):
    """Snakemake takes it for more settings, and ends before it reads the workflow: nobody here is asked."""
    (tmp_path / "results").mkdir()
    (tmp_path / "results/made.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    runs.write_settings(tmp_path, runs.tiny(runs.TWO_FACES))
    command = ("snakemake", "--snakefile", root / "Snakefile", "--cores", "1", "--configfile", "config.yaml")
    done = runs.command(tmp_path, *command, f"results/{target}", check=False)
    assert done.returncode == 1
    assert told in [line for line in words(done).splitlines() if line.strip()][-1]
    assert told.replace(target, "...") in (root / "docs/clusters.md").read_text(encoding="utf-8")
    assert sorted(one.name for one in (tmp_path / "results").iterdir()) == ["made.png"]
