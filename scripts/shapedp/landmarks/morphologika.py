"""Morphologika text files (O'Higgins and Jones): [individuals], [landmarks], [dimensions], [names], [rawpoints]."""

import numpy as np

from shapedp.errors import Rejected


def parse(text, name):
    """(shapes, ids) of a Morphologika text; planar data only."""
    sections = _sections(text)
    try:
        people, landmarks, dimensions = (int(sections[key][0]) for key in ("individuals", "landmarks", "dimensions"))
        numbers = np.array([float(word) for line in sections["rawpoints"] for word in line.split()])
    except (KeyError, IndexError, ValueError) as error:
        raise Rejected("not_morphologika", f"{name}: no readable Morphologika file ({str(error)[:80]})") from error
    if min(people, landmarks) < 1:
        raise Rejected("not_morphologika", f"{name}: {people} individuals of {landmarks} landmarks")
    if dimensions != 2:
        raise Rejected("not_planar", f"{name}: {dimensions} dimensions; Kendall's planar shape space takes 2")
    if numbers.size != people * landmarks * 2:
        promised = f"{people} individuals x {landmarks} landmarks x 2"
        raise Rejected("truncated", f"{name}: {numbers.size} numbers, promised {promised}")
    return numbers.reshape(people, landmarks, 2), sections.get("names")


def _sections(text):
    """Lines by section; in [rawpoints] a line that begins with an apostrophe names the next individual."""
    sections, current = {}, None
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            current = sections.setdefault(line.strip("[]").lower(), [])
        elif line and not line.startswith("'") and current is not None:
            current.append(line)
    return sections
