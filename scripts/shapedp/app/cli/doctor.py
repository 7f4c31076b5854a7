"""A self-test for support by mail: what this machine has, what it lacks, and a minute of the real work.

`table` and `carried` list the packages that the lock pins and the files by others that pages carry, with licences.
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

ROOT = Path(__file__).resolve().parents[4]  # of a checkout
LOCK = ROOT / "requirements.lock"
OLDEST = (3, 11)  # Python
LIBRARIES = ("libGL.so.1", "libOpenGL.so.0")  # pymeshlab's; without the second it lacks filters, and does not say so
FREE = 3.0  # GB, for the environment and the demo
SCALE, DRAWS = 1000.0, 4000  # of the noise that is tried: its spread is off by 1.1 % at one standard error
OFF = 0.08
FACES = 6  # that are tried: some clouds, some meshes, some that need more than one start


@dataclass(frozen=True)
class Finding:
    """A thing of this machine: whether it is well, what it is, and what to do if it is not well."""

    name: str
    well: bool
    found: str
    remedy: str = ""


def findings(ledger="data/ledger", results="results"):
    """Each finding as soon as it is there."""
    yield Finding("shapedp", True, f"{shapedp.__version__} in {Path(shapedp.__file__).parent}")
    yield Finding("machine", True, f"{platform.platform()}, {os.cpu_count()} processors")
    remedy = "install Python 3.11 or newer, then: make PYTHON=... run"
    yield Finding("Python", sys.version_info >= OLDEST, platform.python_version(), remedy)
    yield packages()
    yield libraries()
    yield disk_finding(shutil.disk_usage(Path()).free / 1e9)
    yield limits(scan_limits.short_limits())
    yield closed(Path(results) / "private", "private results")
    yield closed(Path(ledger), "ledger")
    yield from books(Path(ledger))
    yield tried("randomness", randomness, "reinstall OpenDP: delete .venv and run make again")
    yield tried("a face", one_face, "send this report; a face of the built-in model cannot be processed here")


def packages():
    """Installed packages beside those that the lock pins."""
    if not LOCK.exists():
        return Finding("packages", True, f"no lock here (installed as a package); numpy {metadata.version('numpy')}")
    locked = defaultdict(set)  # several versions of one package are for several Pythons or systems
    for name, version, found, _ in table(LOCK):
        locked[name, found].add(version)
    there = {name: (found, pins) for (name, found), pins in locked.items() if found != "-"}
    other = [f"{name} {found} for {' or '.join(pins)}" for name, (found, pins) in there.items() if found not in pins]
    shown = "; ".join(other[:5]) + (f" and {len(other) - 5} more" if len(other) > 5 else "")
    remedy = "delete .venv and run make again"
    return Finding("packages", not other, shown or f"{len(there)} of {len(locked)} installed, all as locked", remedy)


def libraries():
    """System libraries that pip cannot bring."""
    missing = []
    for name in LIBRARIES if sys.platform == "linux" else ():
        try:
            ctypes.CDLL(name)
        except OSError:
            missing.append(name)
    remedy = "apt-get install -y --no-install-recommends libgl1 libopengl0 (Debian)"
    return Finding("system libraries", not missing, f"missing: {', '.join(missing)}" if missing else "there", remedy)


def disk_finding(free):
    """Whether so many GB are enough where results go."""
    return Finding("disk", free >= FREE, f"{free:.1f} GB free here", f"make room: the demo needs {FREE:g} GB")


def limits(short):
    """Whether hard limits leave as much as a scan may need; short : what they leave less of, in words."""
    return Finding("limits", not short, "; ".join(short) or "as much as a scan may need", "raise them with ulimit")


def closed(folder, name):
    """A folder about people, which only its owner may enter."""
    if not folder.is_dir():
        return Finding(name, True, f"{folder} is not there yet")
    mode = stat.S_IMODE(folder.stat().st_mode)
    well = not mode & 0o077 and os.access(folder, os.W_OK)
    return Finding(name, well, f"{folder}, mode {mode:o}", f"it should be yours alone: chmod 700 {folder}")


def books(folder):
    """Each population's ledger, read and checked."""
    for population in Ledger(folder).populations():
        spent = partial(lambda one: f"mu = {Ledger(folder).spent(one).mu:.4g} spent", population)
        yield tried(f"ledger of {population}", spent, "restore it from a backup")


def tried(name, work, remedy):
    """A finding from work that either says what it found or raises."""
    start = time.monotonic()
    try:
        found = work()
    except (ShapedpError, OSError, ImportError, ValueError, RuntimeError) as error:
        return Finding(name, False, f"{type(error).__name__}: {error}", remedy)
    return Finding(name, True, f"{found} ({time.monotonic() - start:.1f} s)")


def randomness():
    """OpenDP's noise, drawn from the operating system: another at each draw, and as wide as it should be."""
    from shapedp.privacy import noise

    source = noise.make_source(None)
    one, other = (source.gaussian_integers(np.zeros(DRAWS, dtype=np.int64), SCALE, 1.0)[0] for _ in range(2))
    spread = float(np.std(np.asarray(one, dtype=float)))
    if np.array_equal(one, other) or abs(spread / SCALE - 1) > OFF:
        raise ValueError(f"noise of spread {spread:.4g} for {SCALE:g}")
    return f"OpenDP {metadata.version('opendp')}, spread {spread:.4g} for {SCALE:g}"


def one_face():
    """Faces of the built-in model, scanned and taken through the whole chain; this compiles all that a run needs."""
    from shapedp.base.settings import default
    from shapedp.releases.figures import render
    from shapedp.surfaces import curve_mesh
    from shapedp.surfaces.chain import cohort, to_template
    from shapedp.surfaces.chain.step import Given, Scan, walk
    from shapedp.surfaces.chain.steps import SETTINGS, STEPS
    from shapedp.surfaces.human_face.demo.scans import make_scans

    with TemporaryDirectory() as folder:
        template, scans = Path(folder) / "template.h5", Path(folder) / "scans"
        named = {"template": "built_in", "center": "nose"}
        settings = {key: named.get(key) or default(f"faces.{key}") for key in (*to_template.SETTINGS, *SETTINGS)}
        cohort.prepare_template(None, template, {key: settings[key] for key in to_template.SETTINGS}, False)
        make_scans(scans, FACES, seed=1, bad=0)
        given = Given(settings, template)
        chosen = [Scan(path.stem, path) for path in sorted(scans.iterdir()) if path.suffix != ".tsv"]
        start = time.monotonic()
        walked = list(walk(chosen, STEPS, given))
        took = time.monotonic() - start
        with artifacts.reader(template, artifacts.TEMPLATE) as source:
            radii = source["radii"]
    for face in walked:
        if face.refusal:
            raise ValueError(f"a face was rejected in {face.refusal.stage}: {face.refusal.reason}")
    vertices, triangles = curve_mesh.mesh(walked[0].records["curves"]["curves"], radii)
    render.render(vertices, triangles, render.fitted_camera([vertices], "front"))
    return f"{len(walked)} faces from scan to curves in {took:.1f} s, once the template was prepared"


PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^ ;\\]+)", re.MULTILINE)
HEADER = ("package", "locked", "installed", "licence")
LONGEST = 100  # characters; some packages state the whole text
CLASSIFIER = "License :: "


def table(lock_path):
    """(package, locked version, installed version or `-`, licence) of each pin, in the order of the lock."""
    for name, version in PIN.findall(Path(lock_path).read_text(encoding="utf-8")):
        try:
            found = metadata.metadata(name)
        except metadata.PackageNotFoundError:
            yield name, version, "-", "not installed here"
        else:
            yield name, version, found["Version"], licence(found)


def carried():
    """The same of files by others that lie in the project: what pages show, and the model of real people."""
    for room, use in (("releases.viewer", "in pages"), ("surfaces.human_face", "the built-in people")):
        with (resources.files(f"shapedp.{room}") / "vendor/files.tsv").open(encoding="utf-8") as stream:
            for row in csv.DictReader(stream, delimiter="\t"):
                yield f"{row['package']} ({row['file']}, {use})", row["version"], row["version"], row["licence"]


def licence(found):
    """The licence of a package's metadata: the SPDX expression, else the classifiers, else the first words."""
    if expression := found.get("License-Expression"):
        return expression
    classifiers = [one for one in found.get_all("Classifier") or [] if one.startswith(CLASSIFIER)]
    if classifiers:
        return "; ".join(one.rsplit(" :: ", 1)[1] for one in classifiers)
    lines = [line for line in (found.get("License") or "").splitlines() if line.strip()]
    return "".join(letter for letter in lines[0].strip() if letter.isprintable())[:LONGEST] if lines else "not stated"
