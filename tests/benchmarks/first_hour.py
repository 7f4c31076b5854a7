"""What a newcomer meets in the first hour: the demo on a terminal, piped, and each page that it makes, at every width.

Times that a run foretells are compared with those that came: from a quarter of the run on, each line that was printed.
"""

import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from browser import chrome
from docs import test_tutorials
from workflow import runs

LEFT = re.compile(r"about (?:(\d+) h )?(?:(\d+) min ?)?(?:(\d+) s )?left")
PHONE, DESK = 390, 1440


def run_demo(folder, cores=2):
    """Run the demo in a folder like a fresh checkout, piped; return [(seconds, line)] and how long it took."""
    for name in test_tutorials.LINKED:
        (folder / name).symlink_to(runs.ROOT / name)
    command = [sys.executable, "-m", "snakemake", "--cores", str(cores)]
    start, lines = time.monotonic(), []
    running = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=runs.environment()
    )
    for line in running.stdout:
        lines.append((time.monotonic() - start, line.rstrip("\n")))
    if running.wait():
        raise AssertionError("\n".join(line for _, line in lines[-40:]))
    return lines, time.monotonic() - start


def terminal_rows(lines, whole):
    """Rows about what the run printed; lines : as `run_demo` gives them; whole : its seconds."""
    errors = []
    for at, line in lines:
        if (found := LEFT.search(line)) and at >= whole / 4:
            hours, minutes, seconds = (int(one or 0) for one in found.groups())
            errors.append(abs(3600 * hours + 60 * minutes + seconds - (whole - at)) / (whole - at))
    yield "terminal", "lines_of_demo", len(lines), "lines"
    yield "terminal", "control_characters", sum(not letter.isprintable() for _, line in lines for letter in line), "1"
    yield "terminal", "eta_lines", len(errors), "lines"
    yield "terminal", "eta_error", statistics.median(errors), "of the time left"


def page_rows(folder):
    """Rows about the pages that the demo made in a folder: releases, and records to look through."""
    found = sorted(folder.glob("results/release/*/*/index.html"))
    reviews = sorted(folder.glob("results/private/*/review.html"))
    violations, overflow, blank = 0, 0, 0
    for page in (*found, *reviews):
        for width in (PHONE, DESK):
            profile = tempfile.mkdtemp()
            with chrome.browser(profile, width=width, height=900) as driver:
                driver.get(page.resolve().as_uri())
                if page in reviews and width == DESK:
                    blank += _count_blank(driver)
                violations += sum(len(chrome.axe_findings(driver, mode)) for mode in ("light", "dark"))
                if width == PHONE:
                    wide = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
                    overflow = max(overflow, driver.execute_script(wide))
            shutil.rmtree(profile, ignore_errors=True)
    yield "pages", "looked_at", len(found) + len(reviews), "pages"
    yield "pages", "axe_violations", violations, "violations"
    yield "pages", "print_blank_cards", blank, "cards"
    yield "pages", "phone_overflow_px", overflow, "px"


def _count_blank(driver):
    """How many cards have an empty picture once the page was told that it will be printed.

    The PDF itself does not tell: what is drawn in lines, as landmarks are, is no picture there.
    """
    return driver.execute_script("""
      dispatchEvent(new Event("beforeprint"));
      const pixels = (one) => one.getContext("2d").getImageData(0, 0, one.width, one.height).data;
      const blank = (one) => !one.width || !pixels(one).some((value) => value);
      const count = [...document.querySelectorAll(".card canvas")].filter(blank).length;
      dispatchEvent(new Event("afterprint"));
      return count;""")


def rows():
    """Run the demo once; rows about its lines and its pages."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield from terminal_rows(*run_demo(folder))
        if not chrome.missing():
            yield from page_rows(folder)
