"""What a sample sheet takes for a scan is what the readers of scans read."""

from shapedp.base.reading.suffixes import SUFFIXES
from shapedp.surfaces.scans import PARSERS


def test_every_suffix_has_a_parser_and_every_parser_a_suffix():
    """`vrml1` alone has none of its own: its files end in .wrl, and their first bytes tell them apart."""
    assert set(SUFFIXES.values()) | {"vrml1"} == set(PARSERS)
