"""A self-test for support by mail: what this machine has, what it lacks, and a minute of the real work.

`list_licences` and `list_vendored_licences` list the packages that the lock pins and the files by others that pages
carry, with licences.
"""

import csv
import ctypes
import os
import platform
import re
import shutil
import stat
import sys
import time
from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from importlib import metadata, resources
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import shapedp
from shapedp.base import artifacts
from shapedp.base.errors import ShapedpError
from shapedp.ledger.ledger_folder import Ledger
from shapedp.surfaces.scans import limits as scan_limits

# Of a checkout.
ROOT = Path(__file__).resolve().parents[4]
LOCK = ROOT / "requirements.lock"
# The oldest Python that the project supports.
OLDEST = (3, 11)
# pymeshlab's; without the second it lacks filters, and does not say so.
LIBRARIES = ("libGL.so.1", "libOpenGL.so.0")
# GB, for the environment and the demo.
FREE_DISK = 3.0
# Of the noise that is tried: its spread is off by 1.1 % at one standard error, far less than the tolerance below.
SCALE, DRAWS = 1000.0, 4000
SPREAD_TOLERANCE = 0.08
# Faces that are tried: some clouds, some meshes, some that need more than one start.
FACE_COUNT = 6


@dataclass(frozen=True)
class Finding:
    """What was found of one part of this machine: whether it is well, in words, and what to do if it is not well."""

    name: str
    well: bool
    words: str
    remedy: str = ""


def examine_machine(ledger="data/ledger", results="results"):
    """Yield each Finding of the self-test as soon as it is there: whether a run works here, and else what to do."""
    yield Finding("shapedp", True, f"{shapedp.__version__} in {Path(shapedp.__file__).parent}")
    yield Finding("machine", True, f"{platform.platform()}, {os.cpu_count()} processors")
    remedy = "install Python 3.11 or newer, then: make PYTHON=... run"
    yield Finding("Python", sys.version_info >= OLDEST, platform.python_version(), remedy)
    yield check_packages()
    yield check_libraries()
    yield check_disk(shutil.disk_usage(Path()).free / 1e9)
    yield check_limits(scan_limits.short_limits())
    yield check_folder_closed(Path(results) / "private", "private results")
    yield check_folder_closed(Path(ledger), "ledger")
    yield from check_ledgers(Path(ledger))
    yield run_check("randomness", check_randomness, "reinstall OpenDP: delete .venv and run make again")
    yield run_check("a face", one_face, "send this report; a face of the built-in model cannot be processed here")


def check_packages():
    """Return the Finding whether the installed packages are those that the lock pins, on which results are tested."""
    if not LOCK.exists():
        return Finding("packages", True, f"no lock here (installed as a package); numpy {metadata.version('numpy')}")
    # Several versions of one package are for several Pythons or systems.
    locked = defaultdict(set)
    for name, version, installed, _ in list_licences(LOCK):
        locked[name, installed].add(version)
    present = {name: (installed, pins) for (name, installed), pins in locked.items() if installed != "-"}
    differing = [
        f"{name} {installed} for {' or '.join(pins)}"
        for name, (installed, pins) in present.items()
        if installed not in pins
    ]
    words = "; ".join(differing[:5]) + (f" and {len(differing) - 5} more" if len(differing) > 5 else "")
    remedy = "delete .venv and run make again"
    return Finding(
        "packages", not differing, words or f"{len(present)} of {len(locked)} installed, all as locked", remedy
    )


def check_libraries():
    """Return whether the system libraries are there that pip cannot bring, without which reading or drawing fails."""
    missing = []
    for name in LIBRARIES if sys.platform == "linux" else ():
        try:
            ctypes.CDLL(name)
        except OSError:
            missing.append(name)
    remedy = "apt-get install -y --no-install-recommends libgl1 libopengl0 (Debian)"
    return Finding("system libraries", not missing, f"missing: {', '.join(missing)}" if missing else "there", remedy)


def check_disk(free):
    """Return whether so many GB are enough where results go."""
    return Finding("disk", free >= FREE_DISK, f"{free:.1f} GB free here", f"make room: the demo needs {FREE_DISK:g} GB")


def check_limits(short):
    """Return whether hard limits leave as much as a scan may need; short : what they leave less of, in words."""
    return Finding("limits", not short, "; ".join(short) or "as much as a scan may need", "raise them with ulimit")


def check_folder_closed(folder, name):
    """Return whether a folder about people can be entered by its owner alone: its names of files are ids of people."""
    if not folder.is_dir():
        return Finding(name, True, f"{folder} is not there yet")
    mode = stat.S_IMODE(folder.stat().st_mode)
    # Group and others may not even list it: names of files are ids of people.
    well = not mode & 0o077 and os.access(folder, os.W_OK)
    return Finding(name, well, f"{folder}, mode {mode:o}", f"it should be yours alone: chmod 700 {folder}")


def check_ledgers(folder):
    """Yield a Finding for each population on whether its ledger is whole: a broken one lets no release through."""
    for population in Ledger(folder).list_populations():
        spent = partial(lambda name: f"mu = {Ledger(folder).sum_spent(name).mu:.4g} spent", population)
        yield run_check(f"ledger of {population}", spent, "restore it from a backup")


def run_check(name, work, remedy):
    """Return a Finding from work that may raise, so that one failure does not end the self-test."""
    start = time.monotonic()
    try:
        words = work()
    except (ShapedpError, OSError, ImportError, ValueError, RuntimeError) as error:
        return Finding(name, False, f"{type(error).__name__}: {error}", remedy)
    return Finding(name, True, f"{words} ({time.monotonic() - start:.1f} s)")


def check_randomness():
    """Draw OpenDP's noise to see that it is random, and as wide as privacy needs; return words on it.

    It must come from the operating system, and be another at each draw.
    """
    from shapedp.privacy import noise

    source = noise.make_source(None)
    first_draw, second_draw = (
        source.gaussian_integers(np.zeros(DRAWS, dtype=np.int64), SCALE, 1.0)[0] for _ in range(2)
    )
    spread = float(np.std(np.asarray(first_draw, dtype=float)))
    if np.array_equal(first_draw, second_draw) or abs(spread / SCALE - 1) > SPREAD_TOLERANCE:
        raise ValueError(f"noise of spread {spread:.4g} for {SCALE:g}")
    return f"OpenDP {metadata.version('opendp')}, spread {spread:.4g} for {SCALE:g}"


def one_face():
    """Take faces of the built-in model through the whole chain, to see that it works here; return words on it.

    This compiles all that a run needs.
    """
    from shapedp.base.settings import read_default
    from shapedp.releases.figures import render
    from shapedp.surfaces import curve_mesh
    from shapedp.surfaces.chain import cohort, to_template
    from shapedp.surfaces.chain.step import ChainSettings, Scan, walk
    from shapedp.surfaces.chain.steps import SETTINGS, STEPS
    from shapedp.surfaces.subjects.drawn import make_scans

    with TemporaryDirectory() as folder:
        template, scans = Path(folder) / "template.h5", Path(folder) / "scans"
        chosen_settings = {"template": "built_in", "center": "nose"}
        settings = {
            key: chosen_settings.get(key) or read_default(f"faces.{key}") for key in (*to_template.SETTINGS, *SETTINGS)
        }
        cohort.prepare_template(None, template, {key: settings[key] for key in to_template.SETTINGS}, False)
        make_scans(scans, FACE_COUNT, seed=1, bad=0)
        chain_settings = ChainSettings(settings, template)
        scan_list = [Scan(path.stem, path) for path in sorted(scans.iterdir()) if path.suffix != ".tsv"]
        start = time.monotonic()
        records = list(walk(scan_list, STEPS, chain_settings))
        seconds = time.monotonic() - start
        with artifacts.reader(template, artifacts.TEMPLATE) as source:
            radii = source["radii"]
    for face in records:
        if face.refusal:
            raise ValueError(f"a face was rejected in {face.refusal.stage}: {face.refusal.reason}")
    vertices, triangles = curve_mesh.mesh(records[0].records["curves"]["curves"], radii)
    render.render(vertices, triangles, render.fit_camera([vertices], "front"))
    return f"{len(records)} faces from scan to curves in {seconds:.1f} s, once the template was prepared"


PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^ ;\\]+)", re.MULTILINE)
HEADER = ("package", "locked", "installed", "licence")
# Characters; some packages state the whole text.
LONGEST = 100
CLASSIFIER = "License :: "


def list_licences(lock_path):
    """Yield (package, locked version, installed version or `-`, licence) of each pin, in the order of the lock.

    Whoever hands the software on has to name the licences; `check_packages` compares the versions.
    """
    for name, version in PIN.findall(Path(lock_path).read_text(encoding="utf-8")):
        try:
            package = metadata.metadata(name)
        except metadata.PackageNotFoundError:
            yield name, version, "-", "not installed here"
        else:
            yield name, version, package["Version"], read_licence(package)


def list_vendored_licences():
    """Yield name, version twice and licence of what others made and this project ships, to be named when handed on.

    They are the scripts that pages need and the model of real people; rows are as of `list_licences`.
    """
    for room, use in (("releases.viewer", "in pages"), ("surfaces.human_face", "the built-in people")):
        with (resources.files(f"shapedp.{room}") / "vendor/files.tsv").open(encoding="utf-8") as stream:
            for row in csv.DictReader(stream, delimiter="\t"):
                yield f"{row['package']} ({row['file']}, {use})", row["version"], row["version"], row["licence"]


def read_licence(package):
    """Return the licence that a package's metadata states, as a short word for the list of licences.

    It is the SPDX expression, else the classifiers, else the first words.
    """
    if expression := package.get("License-Expression"):
        return expression
    classifiers = [
        classifier for classifier in package.get_all("Classifier") or [] if classifier.startswith(CLASSIFIER)
    ]
    if classifiers:
        return "; ".join(classifier.rsplit(" :: ", 1)[1] for classifier in classifiers)
    lines = [line for line in (package.get("License") or "").splitlines() if line.strip()]
    return "".join(letter for letter in lines[0].strip() if letter.isprintable())[:LONGEST] if lines else "not stated"
