"""A folder of scans: which of its files are scans, and what those are called that have no sheet to say it."""

import unicodedata
from pathlib import Path

from shapedp.scans import sniff

NOT_READ = (".vtk", ".vtp", ".pcd", ".fbx")  # scans, too: rejected with the reason, not left out without a word
SUFFIXES = (*sniff.SUFFIXES, ".gz", *NOT_READ)


def identifier(stem):
    """An id for a file's name: blanks become _, letters lose their accents; what else an id may not hold stays."""
    plain = []
    for letter in unicodedata.normalize("NFC", stem):
        first, *rest = unicodedata.normalize("NFKD", letter)
        accented = letter.isalpha() and first.isascii() and all(map(unicodedata.combining, rest))
        plain.append("_" if letter in " ()+,&" else "ss" if letter == "ß" else first if accented else letter)
    return "".join(plain)


def unused(scans):
    """One line for each file of a folder of scans that is left out, with the reason."""
    if not Path(scans).is_dir():
        return
    for path in sorted(Path(scans).iterdir()):
        if path.name.startswith("."):
            continue
        if path.is_dir():
            yield f"{path.name!r} is a folder: name it in faces.scans, or a glob that reaches into it"
        elif path.suffix.lower() not in SUFFIXES:
            ending = path.suffix or "no ending"
            yield f"{path.name!r} is not used: {ending} is no format of scans ({', '.join(SUFFIXES)})"
