"""Files of other projects are those that their authors published, and their licences lie beside them."""

import csv
import hashlib
from importlib import resources

VENDOR = resources.files("shapedp.releases.viewer") / "vendor"
with (VENDOR / "files.tsv").open(encoding="utf-8") as stream:
    DIGESTS = {row["file"]: row["sha256"] for row in csv.DictReader(stream, delimiter="\t")}


def test_each_file_is_the_published_one():
    found = {name: hashlib.sha256((VENDOR / name).read_bytes()).hexdigest() for name in DIGESTS}
    assert found == DIGESTS


def test_nothing_else_lies_there_and_each_has_its_licence():
    beside = {f"{name.split('.')[0]}.LICENSE" for name in DIGESTS}
    assert {file.name for file in VENDOR.iterdir()} == {*DIGESTS, *beside, "README.md", "files.tsv"}
    assert all("Permission is hereby granted" in (VENDOR / name).read_text(encoding="utf-8") for name in beside)


def test_the_script_can_stand_inside_a_page():
    script = (VENDOR / "three.min.js").read_text(encoding="utf-8")
    assert "</script" not in script
    assert "@license" in script[:100]
