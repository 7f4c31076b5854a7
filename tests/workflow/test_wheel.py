"""The library installed away from its checkout, as `pip install .` does it, holds all that it reads."""

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
LOAD_ALL = """
import pkgutil, shapedp
from importlib import import_module
from shapedp.page.view import asset
from shapedp.releases import may_be_stated
for module in pkgutil.walk_packages(shapedp.__path__, "shapedp."):
    import_module(module.name)
asset("page.css"), may_be_stated.SCHEMA.read_text(encoding="utf-8")
print(shapedp.__file__)
"""


def run(*command, **options):
    """What a command prints; the test fails with its errors where it fails."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(root, tmp_path_factory):
    """An environment with the wheel; other packages it borrows from the one the tests run in, but not the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    run(*PIP, "wheel", "--no-build-isolation", "--no-deps", "--no-index", "--wheel-dir", folder, root)
    venv.create(folder / "env", symlinks=True)
    python = folder / "env/bin/python"
    run(*PIP, "--python", python, "install", "--no-deps", "--no-index", *folder.glob("shapedp-*.whl"))
    site = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    Path(site, "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return folder / "env"


def test_all_modules_pages_and_schemas_are_there(installed, tmp_path):
    place = run(installed / "bin/python", "-c", LOAD_ALL, cwd=tmp_path)
    assert place.startswith(str(installed))


def test_every_file_of_the_package_is_in_the_wheel(root, installed):
    package = next(installed.glob("lib/python*/site-packages/shapedp"))
    above = {root / "scripts/shapedp": root / "scripts/shapedp", root / "workflow/schemas": root / "workflow"}
    files = [file.relative_to(top) for folder, top in above.items() for file in folder.rglob("*.*")]
    wanted = {str(file) for file in files if "__pycache__" not in file.parts}
    assert {"page/page.css", "schemas/config.schema.yaml", "cli.py"} <= wanted
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
