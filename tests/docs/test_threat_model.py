"""The threat model names tests that exist, for each input that somebody writes."""

import ast
import re


def test_each_row_names_tests_that_exist(root):
    text = (root / "docs/threat_model.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| ") and "---" not in line][1:]
    assert len(rows) > 10
    for row in rows:
        named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", row.split("|")[-2])
        assert named, row
        for file, test in named:
            assert (root / file).is_file(), file
            tree = ast.parse((root / file).read_text(encoding="utf-8"))
            functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
            assert not test or test in functions, (file, test)
