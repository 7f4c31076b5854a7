"""The doors: who else reads released files, whether the documentation's commands run, whether pages can be used by all.

readers_ok : programs that read every field of every released kind of file, of those that are installed here
commands_run, commands_failed : what the tutorials print for a shell, run in order in a folder like a checkout
first_release_commands_failed : of the tutorial for landmarks, with own files as seven programs write them
first_release : by the clock, all commands of the tutorial for scans
axe_findings : of all pages that the tutorials released, in both modes, at the width of a phone and of a desk
tutorial : error of the release of the tutorial for scans, over the chance in who takes part
executed : notebooks that run from top to bottom
unread_untold : cells of covariates that are not read as people mean them, or not read and not told
exports : formats of other tools that are read back by those that are installed; the largest error
registry, nist : entries that meet the registry's schema, of those made; questions answered or left to the curator
check_estimator_failures : of scikit-learn's checks that apply to what takes scans or spends
lines_of_demo, eta_error : what the demo prints, piped, and how far the time it foretells lies off, from a quarter on
axe_violations, print_blank_cards, phone_overflow_px : of the pages that the demo makes
catalogue, wheel : whether what snakedeploy writes plans the demo; reading commands that need no Snakemake
"""

import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmarks import first_hour, own_landmarks, review_and_forecast
from browser import chrome
from docs import pages, test_tutorials
from library import test_types
from library.app.api import test_pipelines
from library.app.cli import test_other_tools, test_wrong_uses
from library.releases.model import test_covariates
from library.releases.statement import test_forms
from shapedp.app.cli import other_tools
from shapedp.releases.model import covariates
from shapedp.releases.statement import forms
from shapedp.releases.viewer import release_page
from workflow import runs, test_wheel

POPULATIONS = ("checkout",)
SEEDS = "none; the demo with two jobs side by side on a machine that others use"
TARGETS = {
    "landmarks first_release_commands_failed": "<= 0",
    "library typed_names_share": ">= 1",
    "library check_estimator_failures": "<= 0",
    "terminal lines_of_demo": "<= 60",
    "terminal eta_error": "<= 0.3",
    "pages axe_violations": "<= 0",
    "pages print_blank_cards": "<= 0",
    "pages phone_overflow_px": "<= 0",
    "docs commands_failed": "<= 0",
    "errors one_line_share": ">= 1",
}
WHOLE_LIBRARY = True
READERS = {  # test of tests/library/base/artifacts/test_other_readers.py
    "an h5py of 2024": "test_an_older_h5py_reads_the_same_values",
    "h5dump": "test_h5dump_reads_every_field_with_its_unit",
    "Octave": "test_octave_reads_every_field",
    "R": "test_r_reads_every_field",
}
WIDTHS = (390, 1280)


@dataclass(frozen=True)
class Size:
    """readers : of READERS; tutorials : pages of docs/, scans first; notebooks : whether they are run; faces : on the
    review page; draws : of each n and mu over all public sets, sizes and budgets, that the forecast is judged by
    """

    readers: tuple
    tutorials: tuple
    notebooks: bool
    faces: int = 1000
    draws: int = 120
    sizes: tuple = review_and_forecast.SIZES
    budgets: tuple = review_and_forecast.BUDGETS


FULL = Size(tuple(READERS), ("first_release_scans", "first_release_landmarks", "bounds_and_budget"), True)
TINY = Size(("h5dump",), ("bounds_and_budget",), False, 20, 4, (8, 300), (1.0,))


def run(_, size):
    """Rows (case, measure, value, unit)."""
    for part in PARTS.values():
        yield from part(size)


def library_rows(size):
    """What editors and scikit-learn see of the library."""
    if size.notebooks:
        names = len(test_types.shapedp.__all__)
        seen = outcome("library/test_types.py", "test_a_checker")  # one test, of all names together
        yield "library", "typed_names_share", min(1, seen), f"of {names} names"
        cases = len(test_pipelines.ESTIMATORS) * len(test_pipelines.CHECKS)
        failed = cases - outcome("library/app/api/test_pipelines.py", "finds_no_fault")
        yield "library", "check_estimator_failures", failed, f"of {cases}"


def error_rows(size):
    """Wrong calls, each of which must end in one line."""
    if size.notebooks:
        passed = outcome("library/app/cli/test_wrong_uses.py", "one_line")
        calls = len(test_wrong_uses.WRONG) + len(test_wrong_uses.USAGES)
        yield "errors", "one_line_share", passed / calls, f"of {calls}"


def hour_rows(size):
    """The demo's lines and pages."""
    if size.notebooks:
        yield from first_hour.rows()


def landmark_rows(size):
    """The tutorial for landmarks with own files of each format."""
    if not size.notebooks:
        return
    failed = 0
    for name, write in own_landmarks.FORMATS.items():
        with tempfile.TemporaryDirectory() as folder:
            failures = own_landmarks.follow_with_own_file(write, checkout(Path(folder) / "checkout"))
        print(f"{name}: {failures} commands failed", file=sys.stderr)
        failed += failures
    yield "landmarks", "first_release_commands_failed", failed, f"of {len(own_landmarks.FORMATS)} formats"


def door_rows(size):
    """Everything else."""
    yield from review_and_forecast.verdicts(size.sizes, size.budgets, size.draws)
    yield from review_and_forecast.review(size.faces)
    passed = [
        name for name in size.readers if outcome("library/base/artifacts/test_other_readers.py", READERS[name]) > 0
    ]
    yield "hdf5", "readers_ok", len(passed), f"of {len(size.readers)}"
    yield from covariate_rows()
    yield from export_rows()
    yield from form_rows()
    if size.notebooks:
        yield "catalogue", "deployed", min(1, outcome("workflow/test_module.py", "snakedeploy")), "of 1"
        yield from wheel_rows()
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
            if (place / "results/release/faces/first").is_dir():
                yield "tutorial", "release_mm_over_sampling", test_tutorials.error_to_chance(place), "1"
        yield "docs", "commands_run", done, "commands"
        yield "docs", "commands_failed", failed, "commands"
        yield size.tutorials[0], "minutes", minutes[0], "min"
        if released and not chrome.missing():
            yield "page", "axe_findings", sum(findings(page) for page in all_pages(released, Path(folder))), "findings"


PARTS = {
    "library": library_rows,
    "errors": error_rows,
    "landmarks": landmark_rows,
    "hour": hour_rows,
    "doors": door_rows,
}


def covariate_rows():
    """Cells of a sheet as people type them: each is read, or told with its id."""
    asked = {"age": {"range": [20, 60]}, "sex": {"levels": ["female", "male"]}}
    columns = {"age": test_covariates.AGE, "sex": test_covariates.WORDS}
    typed = [
        (f"{name}{at}", name, word, at < len(test_covariates.WAYS[one]))
        for name, one in columns.items()
        for at, word in enumerate((*test_covariates.WAYS[one], *test_covariates.UNREAD[one]))
    ]
    rows = [(place, {"age": "30", "sex": "f", name: word}) for place, name, word, _ in typed]
    told = {place for places in covariates.list_unread(asked, rows).values() for place in places}
    yield "covariates", "ways", len(typed), "cells"
    yield "covariates", "unread_untold", sum((place in told) == read for place, _, _, read in typed), "cells"


def export_rows():
    """A model of nobody, written for each tool and read back, where the tool is installed."""
    errors = {}
    with tempfile.TemporaryDirectory() as folder:
        for tool in other_tools.TOOLS:
            with suppress(pytest.skip.Exception):
                errors[tool] = test_other_tools.read_back(tool, Path(folder))
    within = sum(error <= test_other_tools.TO for error in errors.values())
    yield "exports", "read_back", within, f"of {len(other_tools.TOOLS)} formats"
    yield "exports", "worst_error", max(errors.values()), "of the largest coordinate"


def form_rows():
    """The forms of statements of several kinds."""
    stated = [test_forms.built(**asked) for asked in test_forms.CASES.values()]
    texts = [forms.write_forms(one, "mean_face") for one in stated]
    yield "registry", "valid", sum(test_forms.meets_schema(one) for one in texts) / len(texts), "share"
    yield "nist", "answered", min(len(test_forms.ASKED.findall(one[forms.NIST])) for one in texts), "questions"


def wheel_rows():
    """What somebody does with releases, by the wheel alone."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = test_wheel.environment(runs.ROOT, folder)
        told = dict(test_wheel.read(environment, folder))
    for command, said in told.items():
        print(f"{command}: {said}" if said else command, file=sys.stderr)
    yield "wheel", "commands_passed_share", sum(not said for said in told.values()) / len(told), "share"


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
    about_all.write_text(release_page.render_overview(released), encoding="utf-8")
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
