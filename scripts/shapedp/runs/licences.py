"""Packages that the lock pins: version, whether it is the installed one, and the licence it states of itself."""

import re
from importlib import metadata
from pathlib import Path

PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^ ;\\]+)", re.MULTILINE)
HEADER = ("package", "locked", "installed", "licence")
LONGEST = 100  # characters; some packages state the whole text
CLASSIFIER = "License :: "


def table(lock_path):
    """(package, locked version, installed version or `-`, licence) of each pin, in the order of the lock."""
    for name, version in PIN.findall(Path(lock_path).read_text(encoding="utf-8")):
        try:
            found = metadata.metadata(name)
        except metadata.PackageNotFoundError:
            yield name, version, "-", "not installed here"
        else:
            yield name, version, found["Version"], licence(found)


def licence(found):
    """The licence of a package's metadata: the SPDX expression, else the classifiers, else the first words."""
    if expression := found.get("License-Expression"):
        return expression
    classifiers = [one for one in found.get_all("Classifier") or [] if one.startswith(CLASSIFIER)]
    if classifiers:
        return "; ".join(one.rsplit(" :: ", 1)[1] for one in classifiers)
    lines = [line for line in (found.get("License") or "").splitlines() if line.strip()]
    return "".join(letter for letter in lines[0].strip() if letter.isprintable())[:LONGEST] if lines else "not stated"
