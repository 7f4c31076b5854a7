"""Rules list the library files they depend on: the closure of the real imports."""

import subprocess
import sys

import pytest

from shapedp.runs import sources


def test_the_closure_follows_imports_through_modules(root):
    found = [path.rsplit("scripts/", 1)[1] for path in sources.closure(root / "scripts/shapedp/cohorts/batches.py")]
    assert "shapedp/artifacts/writing.py" in found
    assert "shapedp/storage/files.py" in found, "imported by artifacts, not by batches itself"
    assert "shapedp/config.py" not in found


@pytest.mark.slow
def test_no_library_module_that_python_loads_is_missing_from_the_closure(root):
    code = (
        f"import sys; sys.path.insert(0, {str(root / 'scripts')!r}); import mesh_faces;"
        "print(*sorted(m.__file__ for n, m in sys.modules.items() if n.split('.')[0] == 'shapedp' and m.__file__))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert set(loaded) <= set(sources.closure(root / "scripts/mesh_faces.py"))
