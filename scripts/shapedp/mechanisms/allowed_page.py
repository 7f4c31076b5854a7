"""What a release page may say: words of its statement and of its own frame, numbers, its arrays, known scripts.

A word that stands in none of these cannot have come from there: an id, a path, a name, a seed written in words.
"""

import base64
import hashlib
import json
import re
from dataclasses import dataclass
from html.parser import HTMLParser

from shapedp.errors import RefusedRelease

WORD = re.compile(r"[^\W\d_]{2,}[\w.-]*|\d+[A-Za-z_]\w*")
EXPONENT = re.compile(r"\d+e")
DATA_KEYS = {"vertices", "triangles", "noise", "noise_range", "count", "samples", "unit"}


@dataclass(frozen=True)
class Page:
    """frame : the texts that a page is made of apart from the release; scripts : the exact scripts it may run."""

    frame: tuple
    scripts: tuple


class _Parts(HTMLParser):
    """Splits a page into its texts and attributes, and the contents of scripts and styles."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.texts, self.scripts, self.data, self.styles, self.inside = [], [], [], [], None

    def handle_starttag(self, tag, attrs):
        names = dict(attrs)
        if tag in ("script", "style"):
            json_data = names.get("type") == "application/json"
            self.inside = self.data if json_data else self.scripts if tag == "script" else self.styles
            self.inside.append("")
        for name, value in attrs:
            self.texts.append(f"{name} {value or ''}")

    def handle_endtag(self, tag):
        if tag in ("script", "style"):
            self.inside = None

    def handle_data(self, data):
        if self.inside is None:
            self.texts.append(data)
        else:
            self.inside[-1] += data

    def handle_comment(self, data):
        self.texts.append(data)


def check(path, page):
    """Refuse a page that says what neither its release folder nor its frame says."""
    parts = _Parts()
    parts.feed(path.read_text(encoding="utf-8"))
    parts.close()
    released = [(path.parent / name).read_text(encoding="utf-8") for name in ("statement.json", "statement.md")]
    known = {word for text in (*released, *page.frame, path.parent.name) for word in _words(text)}
    picture = "data:image/png;base64," + base64.b64encode((path.parent / "preview.png").read_bytes()).decode("ascii")
    for text in [*parts.texts, *parts.styles]:
        unknown = sorted(set(_words(text.replace(picture, ""))) - known)
        _refuse_unless(not unknown, path, f"says '{', '.join(unknown)[:80]}', which its release does not")
    allowed = {_digest(script) for script in page.scripts}
    _refuse_unless(all(_digest(script) in allowed for script in parts.scripts), path, "runs an unknown script")
    for data in parts.data:
        _refuse_unless(set(json.loads(data)) <= DATA_KEYS, path, "carries data that no viewer needs")


def _words(text):
    return WORD.findall(EXPONENT.sub("", text))


def _digest(text):
    return hashlib.blake2b(text.strip().encode("utf-8")).digest()


def _refuse_unless(holds, path, words):
    if not holds:
        raise RefusedRelease(f"{path}: {words}; it may not be published")
