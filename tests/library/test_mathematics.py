"""docs/mathematics.md and the code agree on equation numbers, and every test that stands beside a proof exists."""

import re

import pytest

NUMBERED = re.compile(r"\\tag\{(\d+\.\d+)\}$", re.MULTILINE)
REFERENCE = re.compile(r"\((\d+\.\d+)\)")
CITATION = re.compile(r"docs/mathematics\.md,?\s+((?:\(\d+\.\d+\)(?:, | and |\s)*)+)")
TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


@pytest.fixture(scope="module")
def page(root):
    return (root / "docs/mathematics.md").read_text(encoding="utf-8")


def sources(root):
    """The texts that may cite: code, rules and pages for readers."""
    for folder, ending in (("scripts", "py"), ("tests", "py"), ("workflow", "*"), ("docs", "md")):
        for path in sorted((root / folder).rglob(f"*.{ending}")):
            if path.is_file() and "node_modules" not in path.parts:
                yield path


def cited(text):
    """The equation numbers that a text cites."""
    return [
        number for found in CITATION.findall(re.sub(r"\n\s*#?\s*", " ", text)) for number in REFERENCE.findall(found)
    ]


def test_equations_are_numbered_in_order_within_their_sections(page):
    sections = re.split(r"^## (\d+)\. ", page, flags=re.MULTILINE)[1:]
    for section, text in zip(sections[::2], sections[1::2], strict=True):
        found = NUMBERED.findall(text)
        assert found == [f"{section}.{k + 1}" for k in range(len(found))]
    assert len(NUMBERED.findall(page)) > 30


def test_every_equation_that_the_page_refers_to_exists(page):
    assert set(REFERENCE.findall(page)) - set(NUMBERED.findall(page)) == set()


def test_every_equation_that_the_code_cites_exists(root, page):
    there = set(NUMBERED.findall(page))
    wrong, count = [], 0
    for path in sources(root):
        if path.name == "test_mathematics.py":
            continue
        numbers = cited(path.read_text(encoding="utf-8", errors="ignore"))
        count += len(numbers)
        wrong += [f"{path.relative_to(root)}: ({number})" for number in numbers if number not in there]
    assert wrong == []
    assert count > 0


def test_every_test_beside_a_proof_exists(root, page):
    named = TEST.findall(page)
    assert len(named) > 40
    lost = [
        f"{path}::{name}"
        for path, name in named
        if not (root / path).is_file() or f"def {name}(" not in (root / path).read_text(encoding="utf-8")
    ]
    assert lost == []


def test_every_proof_has_a_test_beside_it(page):
    paragraphs = re.split(r"\n(?=\*\*|## )", page)
    proofs = [text for text in paragraphs if "*Proof.*" in text]
    assert len(proofs) > 8
    assert [text.split("\n")[0] for text in proofs if not TEST.search(text)] == []


def test_nothing_points_to_pages_that_a_clone_does_not_hold(root):
    dangling = re.compile(r"\((math|design),|\bdesign trials?\b|\b(math|shaped|style|surfaces|tools)\.md\b|in math\b")
    found = [
        f"{path.relative_to(root)}: {line.strip()}"
        for path in [*sources(root), root / "config.yaml", root / "README.md", root / "CONTRIBUTING.md"]
        if path.name != "test_mathematics.py"
        for line in path.read_text(encoding="utf-8", errors="ignore").splitlines()
        if dangling.search(line)
    ]
    assert found == []


def test_a_citation_is_found_over_a_line_break():
    assert cited("as in docs/mathematics.md, (3.4) and\n    (3.5)") == ["3.4", "3.5"]
    assert cited("docs/mathematics.md, (9.9)") == ["9.9"]
    assert cited("a number (3.4)") == []
