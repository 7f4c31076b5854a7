"""Every equation of the mathematics becomes MathML, and no command of LaTeX is left in it as text."""

import re

import pytest

DISPLAYED = re.compile(r"^\$\$\n(.*?)\n\$\$$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"\\tag\{[\d.]+\}")


def test_every_equation_becomes_mathml(root):
    converter = pytest.importorskip("latex2mathml.converter", reason="pip install '.[docs]'")
    equations = DISPLAYED.findall((root / "docs/mathematics.md").read_text(encoding="utf-8"))
    assert len(equations) > 90
    left = [text for text in equations if "\\" in converter.convert(NUMBER.sub("", text))]
    assert left == []


def test_no_equation_is_plain_text(root):
    text = (root / "docs/mathematics.md").read_text(encoding="utf-8")
    assert re.findall(r"^ {4}.*\(\d+\.\d+\)$", text, re.MULTILINE) == []
