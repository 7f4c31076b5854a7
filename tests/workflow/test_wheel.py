"""The library installed away from its checkout, as `pip install .` does it, holds all that it reads."""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import numpy as np
import pytest
import yaml

from library.app.cli.test_commands import a_mean_face
from library.privacy.learned.people import reading
from scripts.test_release_face_model import N, Workspace
from shapedp.base import artifacts, writers
from shapedp.privacy.learned import face_learning
from shapedp.surfaces.chain import cohort
from shapedp.surfaces.human_face.demo import scans
from workflow import runs

pytestmark = pytest.mark.thorough

PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
LOAD_ALL = """
import pkgutil, shapedp
from importlib import import_module
from shapedp.releases.viewer.view import read_asset
from shapedp.releases.statement import statement
for module in pkgutil.walk_packages(shapedp.__path__, "shapedp."):
    import_module(module.name)
read_asset("page.css"), statement.SCHEMA.read_text(encoding="utf-8")
print(shapedp.__file__)
"""

READING = (  # what somebody does with releases; {model}, {other}: folders of two; {mean}: a released mean face
    "shapedp plan --tau .022 .038 .032 -n 300 --config {config}",
    "shapedp describe {mean}",
    "shapedp sample {model} -n 3 --output people",
    "shapedp sample {model} -n 3 --output people.npz",
    "shapedp predict {model} --age 40 --sex f --output predicted.ply",
    "shapedp compare {model} {other} --output compared.csv",
    "shapedp compare {model} {other} --output compared.html",
    "shapedp export {mean} mean.csv",
    *(f"shapedp export {{model}} {tool} --as {tool}" for tool in ("csv", "morpho", "slicermorph")),
    "shapedp export {model} statismo.h5 --as statismo",
    "shapedp assess {scan} {model} --template {template} --config {small} --age 40 --sex f --output assessed",
    "python api.py {model} {other}",
)
API = """
import sys, shapedp
model, other = map(shapedp.read_release, sys.argv[1:3])
assert model.formally_private and model.points.shape[1] == 3
assert len(shapedp.sample(model, 2, seed=1)) == 2
assert shapedp.predict(model, {"age": 40}).ndim == 3
assert shapedp.compare(model, other).p_values.ndim == 1
shapedp.export(sys.argv[1], "by_api", "csv")
assert "snakemake" not in sys.modules
"""
NO_SNAKEMAKE = 'raise ImportError("there is no Snakemake in this environment")\n'


def run(*command, **options):
    """What a command prints; the test fails with its errors where it fails."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(root, tmp_path_factory):
    return environment(root, tmp_path_factory.mktemp("wheel"))


def environment(root, folder):
    """An environment with the wheel; other packages it borrows from the one the tests run in, but neither the checkout
    nor Snakemake.
    """
    run(*PIP, "wheel", "--no-build-isolation", "--no-deps", "--no-index", "--wheel-dir", folder, root)
    venv.create(folder / "env", symlinks=True)
    python = folder / "env/bin/python"
    run(*PIP, "--python", python, "install", "--no-deps", "--no-index", *folder.glob("shapedp-*.whl"))
    site = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    Path(site, "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    Path(site, "snakemake.py").write_text(NO_SNAKEMAKE, encoding="utf-8")
    lend_loops(root / "scripts/shapedp", Path(site, "shapedp"))
    return folder / "env"


def lend_loops(checkout, package):
    """Give a package of the same files the loops that were compiled for the checkout, which take it minutes.

    Numba takes them for a file that is as old and as large as the one that they were compiled from.
    """
    for module in package.rglob("*.py"):
        original = checkout / module.relative_to(package)
        assert module.read_bytes() == original.read_bytes()
        shutil.copystat(original, module)
    for kept in checkout.rglob("__pycache__/*.nb[ic]"):
        place = package / kept.relative_to(checkout)
        place.parent.mkdir(exist_ok=True)
        shutil.copy(kept, place)


def test_all_modules_pages_and_schemas_are_there(installed, tmp_path):
    place = run(installed / "bin/python", "-c", LOAD_ALL, cwd=tmp_path)
    assert place.startswith(str(installed))


def test_every_file_of_the_package_is_in_the_wheel(root, installed):
    package = next(installed.glob("lib/python*/site-packages/shapedp"))
    above = {root / "scripts/shapedp": root / "scripts/shapedp", root / "workflow/schemas": root / "workflow"}
    files = [file.relative_to(top) for folder, top in above.items() for file in folder.rglob("*.*")]
    wanted = {str(file) for file in files if "__pycache__" not in file.parts}
    assert {"releases/viewer/page.css", "schemas/config.schema.yaml", "app/cli/commands.py"} <= wanted
    assert sorted(name for name in wanted if not (package / name).exists()) == []


def test_the_command_checks_settings_by_its_own_schema(root, installed, tmp_path):
    words = run(
        installed / "bin/shapedp",
        "plan",
        "--tau",
        ".022",
        ".038",
        ".032",
        "--people",
        "300",
        "--config",
        root / "config.yaml",
        cwd=tmp_path,
    )
    assert words.startswith("matched_joint, 300 people")


class OnTheTemplate(Workspace):
    """People about the built-in template, mapped as the tests' settings say, so that scans can be set beside them."""

    def __init__(self, folder):
        self.folder = folder
        keys = ("template", "template_as", "center", "mesh", "surface", "extent", "curves")
        faces = runs.tiny()["faces"]
        cohort.prepare_template(None, folder / "template.h5", {key: faces[key] for key in keys}, False)
        with artifacts.reader(folder / "template.h5", artifacts.TEMPLATE) as template:
            self.center, self.radii = template["curves"], template["radii"]
        public = self.people(60, 2)
        learned = face_learning.learn(reading(public), len(public), self.center, 12, 10)
        guessed = {"quantile": 0.95, "assumed_mean_shift": 0.3, "assumed_shift_outside_modes": 1.0}
        with artifacts.writer(folder / "variation.h5", artifacts.VARIATION) as out:
            out.set(center=self.center, **vars(learned), **guessed, source="made up", public=True)

    def people(self, count, seed):
        """(count, J, 3, m) faces that differ smoothly."""
        fields = face_learning.harmonic_functions(self.center.shape, 4)
        weights = 0.01 * np.random.default_rng(seed).standard_normal((count, len(fields)))
        return self.center + np.tensordot(weights, fields, axes=1)


def read(environment, folder):
    """(command, what it said on standard error, or nothing) of each of `READING`, in an environment with the wheel."""
    small, scan = folder / "small.yaml", folder / "scan.ply"
    small.write_text(yaml.safe_dump(runs.tiny()), encoding="utf-8")
    writers.write_scan(scan, scans.scan(11, 0, "demo"))
    workspace = OnTheTemplate(folder)
    workspace.stack(workspace.people(N, 1))
    model, _ = workspace.release(mu=20.0, cap=100.0)
    other, _ = workspace.release(mu=21.0, cap=100.0, name="again")
    mean = a_mean_face(folder / "mean_face.h5")
    (folder / "api.py").write_text(API, encoding="utf-8")
    given = {"model": model, "other": other, "mean": mean, "config": runs.ROOT / "config.yaml", "scan": scan}
    given |= {"template": folder / "template.h5", "small": small}
    path = {"PATH": f"{environment / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    for command in READING:
        words = command.format(**given).split()
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, env=os.environ | path)
        yield command, done.stderr if done.returncode else ""


@pytest.mark.timeout(1500)  # where the checkout has no loops to lend, they are compiled here: minutes
def test_whoever_reads_releases_needs_no_snakemake(installed, tmp_path):
    assert {command: said for command, said in read(installed, tmp_path) if said} == {}
    assert len(list((tmp_path / "people").glob("*.ply"))) == 3
    assert (tmp_path / "assessed/index.html").is_file()
