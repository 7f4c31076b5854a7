"""Packages that the lock pins, and files by others that pages carry: version, installed version, licence."""

import csv
import re
from importlib import metadata, resources
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


def carried():
    """The same of files by others that lie in the project and go into pages."""
    with (resources.files("shapedp.page") / "vendor/files.tsv").open(encoding="utf-8") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            yield f"{row['package']} ({row['file']}, in pages)", row["version"], row["version"], row["licence"]


def licence(found):
    """The licence of a package's metadata: the SPDX expression, else the classifiers, else the first words."""
    if expression := found.get("License-Expression"):
        return expression
    classifiers = [one for one in found.get_all("Classifier") or [] if one.startswith(CLASSIFIER)]
    if classifiers:
        return "; ".join(one.rsplit(" :: ", 1)[1] for one in classifiers)
    lines = [line for line in (found.get("License") or "").splitlines() if line.strip()]
    return "".join(letter for letter in lines[0].strip() if letter.isprintable())[:LONGEST] if lines else "not stated"
