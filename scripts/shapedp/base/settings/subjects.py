"""What scans show, `faces.subject`: faces, or any other surface that is a disk; and the words for it.

What is said of scans is written for faces, without what only a face has: of another subject the same sentences are said
with its word. What is known of a face's own parts, `surfaces.subjects.words` adds.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shapedp.base.errors import ArtifactError

FACE = "face"
VOWELS = "aeiou"
HISSING = ("s", "x", "z", "ch", "sh")
# Settings that a release of another subject states.
STATED_SETTINGS = ("subject", "unit")
# What holds for a subject that says nothing of this setting.
CENTER = "balanced"


@dataclass(frozen=True)
class Subject:
    """What scans show: `word`, its `plural`, and the `unit` of lengths."""

    word: str
    plural: str
    unit: str = "mm"

    @classmethod
    def from_setting(cls, setting: str, unit: str = "mm") -> "Subject":
        """Return the Subject that `faces.subject` names, perhaps with its plural (`tooth/teeth`); unit : faces.unit."""
        word, _, plural = setting.partition("/")
        return cls(word, plural or _form_plural(word), unit)

    @property
    def is_face(self) -> bool:
        """Return whether scans show faces."""
        return self.word == FACE

    def in_words(self, text: str) -> str:
        """Return a text that was written for faces as it is said of this subject (teeth, bones); names of files and
        settings stay.

        So do those of commands and fields: `mean_face.ply`, `faces.scans`, `kind: mean_face`.
        """
        if self.is_face:
            return text
        if self.unit != "mm":
            text = _MM.sub(self.unit, text)
        return _FACE.sub(self._instead, text)

    def in_page(self, html: str) -> str:
        """Return a page that was written for faces as it is said of this subject, for its readers.

        Scripts' libraries and packed bytes hold no word that may change.
        """
        if self.is_face:
            return html
        parts = [_PACKED.split(part) if not _is_library(part) else ["", part] for part in _SCRIPT.split(html)]
        return "".join(piece if k % 2 else self.in_words(piece) for part in parts for k, piece in enumerate(part))

    def _instead(self, match):
        """Return this subject's word for a match of `face` or `faces`, with the article and the capital that it then
        needs.
        """
        article, gap, word = match.group("article"), match.group("gap") or "", match.group("word")
        own_word = self.plural if word.lower().endswith("s") else self.word
        if word[0].isupper():
            own_word = own_word[0].upper() + own_word[1:]
        if article is None:
            return own_word
        own_article = "an" if own_word[0].lower() in VOWELS else "a"
        return (own_article.capitalize() if article[0].isupper() else own_article) + gap + own_word


FACES = Subject(FACE, "faces")


def _form_plural(word):
    """Return the plural of a subject's word, where the settings give none."""
    if word.endswith(HISSING):
        return f"{word}es"
    if word.endswith("y") and word[-2:-1] not in VOWELS:
        return f"{word[:-1]}ies"
    return f"{word}s"


# A word of a sentence: not a part of a name with . _ / - = or `, nor a key before a colon that a value follows.
_FACE = re.compile(
    r"(?:\b(?P<article>[Aa]n?)(?P<gap>\s+))?(?<![\w./=`<&#{\"'-])(?P<word>[Ff]aces?)"
    r"(?![\w/=`-]|[.]\w|: *[\[{]|\"|'(?!s\b))"
)


# Where it is no name of a field or a function.
_MM = re.compile(r"(?<![\w./=`<&#\"'-])mm(?![\w/=`(-]|\"|')")
_SCRIPT = re.compile(r"(<script.*?</script>)", re.DOTALL)
# Pictures and numbers in base 64.
_PACKED = re.compile(r"([A-Za-z0-9+/=]{200,})")
# Characters: a longer script is a library, which says nothing to readers.
LIBRARY = 200_000


def _is_library(part):
    """Return whether a part of a page is a long script, which says nothing to readers."""
    return part.startswith("<script>") and len(part) > LIBRARY


def complete_faces(faces: Mapping[str, Any]) -> dict[str, Any]:
    """Return the section `faces` of another subject with what holds for it, where the section says nothing of it."""
    return {"center": CENTER, **faces}


def from_settings(faces: Mapping[str, Any] | None) -> Subject:
    """Return the Subject that the section `faces` names, or a part of it; faces, where it names none."""
    values = {"subject": FACE, "unit": "mm", **(faces or {})}
    return Subject.from_setting(values["subject"], values["unit"])


# What a statement may name, as the settings' schema has it: anybody may have written it, and it goes into pages.
_NAMED = re.compile(r"[^\W\d_][^\W_]*([ -][^\W_]+)*(/[^\W\d_][^\W_]*([ -][^\W_]+)*)?")
_UNIT = re.compile(r"[^\W\d_]{1,12}( [^\W\d_]{1,12})?")
LONGEST = 60  # characters


def from_statement(statement: Mapping[str, Any]) -> Subject:
    """Return the Subject of a release, as its statement names it, so that pages say what it shows; faces where it names
    none.
    """
    values = {"subject": FACE, "unit": "mm", **statement.get("settings", {})}
    for key, pattern in (("subject", _NAMED), ("unit", _UNIT)):
        word = values[key]
        if not (isinstance(word, str) and len(word) <= LONGEST and pattern.fullmatch(word)):
            raise ArtifactError(
                f"the statement's {key} {str(word)[:LONGEST]!r} is not a word; ask for the release again"
            )
    return Subject.from_setting(values["subject"], values["unit"])


# How a notice begins that guesses at a scan's unit, by the size that a face has.
UNIT_GUESSES = "units: "
