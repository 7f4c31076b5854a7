"""What scripts import: the library, and no other script."""

import re

IMPORT = re.compile(r"^\s*(?:from|import)\s+(\w+)", re.MULTILINE)


def test_no_script_imports_another(root):
    """The lists by which an edit makes a rule run again follow imports through the library alone.

    The audits run other scripts, which is what they audit, and their rules list these one by one.
    """
    scripts = {path.stem: path for path in (root / "scripts").glob("*.py") if not path.stem.startswith("audit_")}
    found = {
        name: set(IMPORT.findall(path.read_text(encoding="utf-8"))) & set(scripts) for name, path in scripts.items()
    }
    assert {name: others for name, others in found.items() if others} == {}
