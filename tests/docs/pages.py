"""The documentation's pages, as the tests read them: fenced blocks, and where a block belongs."""

import re

BLOCK = re.compile(
    r"(?:<!-- into (?P<file>[\w.]+) -->\n)?```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)


def blocks(path):
    """(kind, text, the file it goes into or None) of each fenced block, in order."""
    text = path.read_text(encoding="utf-8")
    return [(found["kind"], found["text"], found["file"]) for found in BLOCK.finditer(text)]


def of_kind(path, kind):
    """The texts of the blocks of one kind."""
    return [text for found, text, _ in blocks(path) if found == kind]
