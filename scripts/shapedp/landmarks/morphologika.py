"""Morphologika text files (O'Higgins and Jones): [individuals], [landmarks], [dimensions], [names], [rawpoints]."""

import numpy as np

from shapedp.errors import Rejected
from shapedp.landmarks.parsed import Cells, Parsed


def parse(text, name):
    """The individuals of a Morphologika text."""
    sections = _sections(text)
    try:
        people, landmarks, dimensions = (int(sections[key][0]) for key in ("individuals", "landmarks", "dimensions"))
        words = [word for line in sections["rawpoints"] for word in line.replace(",", " ").split()]
    except (KeyError, IndexError, ValueError) as error:
        raise Rejected("not_morphologika", f"{name}: no readable Morphologika file ({str(error)[:80]})") from error
    if min(people, landmarks) < 1 or dimensions not in (2, 3):
        raise Rejected("not_morphologika", f"{name}: {people} individuals of {landmarks} x {dimensions} landmarks")
    if len(words) != people * landmarks * dimensions:
        promised = f"{people} individuals x {landmarks} landmarks x {dimensions}"
        raise Rejected("truncated", f"{name}: {len(words)} numbers, promised {promised}; export it again")
    cells = Cells()
    points = np.array([cells.number(word, f"number {at}:") for at, word in enumerate(words, start=1)])
    return Parsed(
        list(points.reshape(people, landmarks, dimensions)), _ids(sections, people, name), notices=cells.notices
    )


def _ids(sections, people, name):
    """[names] has one name a line; in [rawpoints] an apostrophe begins a comment, often a counter only."""
    names = sections.get("names")
    if names is not None and len(names) != people:
        raise Rejected("truncated", f"{name}: {len(names)} names for {people} individuals")
    return names


def _sections(text):
    """Lines by section, without comments."""
    sections, current = {}, None
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            current = sections.setdefault(line.strip("[]").lower(), [])
        elif line and not line.startswith("'") and current is not None:
            current.append(line)
    return sections
