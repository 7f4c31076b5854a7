"""The doors: who else reads released files, whether the documentation's commands run, whether pages can be used by all.

readers_ok : programs that read every field of every released kind of file, of those that are installed here
commands_run, commands_failed : what the tutorials print for a shell, run in order in a folder like a checkout
first_release : by the clock, all commands of the tutorial for scans
axe_findings : of all pages that the tutorials released, in both modes, at the width of a phone and of a desk
executed : notebooks that run from top to bottom
"""

import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from browser import chrome
from docs import pages, test_tutorials
from shapedp.page import overview
from workflow import runs

POPULATIONS = ("checkout",)
READERS = {  # test of tests/library/artifacts/test_other_readers.py
    "an h5py of 2024": "test_an_older_h5py_reads_the_same_values",
    "h5dump": "test_h5dump_reads_every_field_with_its_unit",
    "Octave": "test_octave_reads_every_field",
    "R": "test_r_reads_every_field",
}
WIDTHS = (390, 1280)


@dataclass(frozen=True)
class Size:
    """readers : of READERS; tutorials : pages of docs/, scans first; notebooks : whether they are run."""

    readers: tuple
    tutorials: tuple
    notebooks: bool


FULL = Size(tuple(READERS), ("first_release_scans", "first_release_landmarks", "bounds_and_budget"), True)
TINY = Size(("h5dump",), ("bounds_and_budget",), False)


def run(_, size):
    """Rows (case, measure, value, unit)."""
    passed = [name for name in size.readers if outcome("library/artifacts/test_other_readers.py", READERS[name]) > 0]
    yield "hdf5", "readers_ok", len(passed), f"of {len(size.readers)}"
    if size.notebooks:
        yield "notebooks", "executed", outcome("docs/test_notebooks.py", "test_it_runs"), "notebooks"
    with tempfile.TemporaryDirectory() as folder:
        done, failed, minutes, released = 0, 0, [], []
        for name in size.tutorials:
            place = checkout(Path(folder) / name)
            start = time.monotonic()
            told, whole = followed(runs.ROOT / f"docs/{name}.md", place)
            minutes.append((time.monotonic() - start) / 60)
            done, failed = done + told, failed + (not whole)
            released += sorted(place.glob("results/release/*/*"))
        yield "docs", "commands_run", done, "commands"
        yield "docs", "commands_failed", failed, "commands"
        yield size.tutorials[0], "minutes", minutes[0], "min"
        if released and not chrome.missing():
            yield "page", "axe_findings", sum(findings(page) for page in all_pages(released, Path(folder))), "findings"


def outcome(file, test):
    """How many cases of a test pass; 0 if any fails or is skipped."""
    command = [sys.executable, "-m", "pytest", "-n", "0", "-q", "-m", "long or not long", "-k", test, f"tests/{file}"]
    said = subprocess.run(command, cwd=runs.ROOT, capture_output=True, text=True, check=False, env=runs.environment())
    dots = said.stdout.split()[0] if said.returncode == 0 else ""
    return len(dots) if set(dots) == {"."} else 0


def checkout(folder):
    """A folder with the checkout's files and no results or data of its own."""
    folder.mkdir()
    for name in test_tutorials.LINKED:
        (folder / name).symlink_to(runs.ROOT / name)
    return folder


def followed(page, folder):
    """(commands that ended well, whether that is all of them); a page stops at the first that fails."""
    done = 0
    try:
        for _ in test_tutorials.follow(page, folder):
            done += 1
    except AssertionError as error:
        print(error, file=sys.stderr)
    return done, done == sum(len(text.splitlines()) for kind, text, _ in pages.blocks(page) if kind == "bash")


def all_pages(released, folder):
    """The page of each release, and the one about all of them."""
    about_all = folder / "releases.html"
    about_all.write_text(overview.overview(released), encoding="utf-8")
    return [*(one / "index.html" for one in released), about_all]


def findings(page):
    """What axe finds on a page, in both modes at each width."""
    found = 0
    for width in WIDTHS:
        profile = tempfile.mkdtemp()
        with chrome.browser(profile, width=width) as driver:
            driver.get(page.resolve().as_uri())
            found += sum(len(chrome.axe_findings(driver, mode)) for mode in ("light", "dark"))
        shutil.rmtree(profile, ignore_errors=True)
    return found
