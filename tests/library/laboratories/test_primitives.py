"""Who releases alone needs no `cryptography`; who takes part in a study without it is told what to install."""

import subprocess
import sys

HIDDEN = "import sys; sys.modules['cryptography'] = None\n"
ALONE = (
    HIDDEN
    + """
import importlib, pkgutil, shapedp
rooms = (module.name for module in pkgutil.walk_packages(shapedp.__path__, "shapedp."))
for name in rooms:
    if not name.startswith("shapedp.laboratories.") or name.endswith(".pooling"):
        importlib.import_module(name)
import pack_releases, release_faces, show_release
"""
)
STUDY = (
    HIDDEN
    + """
from shapedp.app.cli.commands import main
sys.argv = ["shapedp", "lab", "key", "north"]
sys.exit(main())
"""
)


def run(program, folder, root):
    """What a program did in a folder, the scripts of the rules beside the library."""
    path = f"import sys; sys.path.insert(0, {str(root / 'scripts')!r})\n"
    return subprocess.run(
        [sys.executable, "-c", path + program], cwd=folder, capture_output=True, text=True, check=False
    )


def test_who_releases_alone_imports_no_cryptography(root, tmp_path):
    done = run(ALONE, tmp_path, root)
    assert done.returncode == 0, done.stderr


def test_a_study_without_it_is_refused_in_one_line(root, tmp_path):
    done = run(STUDY, tmp_path, root)
    assert done.returncode != 0 and "pip install 'cryptography>=50'" in done.stderr and "Traceback" not in done.stderr
