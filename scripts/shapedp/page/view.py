"""What a branch puts into the page of a release: its viewer, what that draws, and whom to cite."""

import base64
from dataclasses import dataclass
from html import escape
from importlib import resources
from string import Template

import numpy as np


@dataclass(frozen=True)
class View:
    """title, section (HTML of the viewer and its controls), data (what it draws, for JSON), scripts, source to cite."""

    title: str
    section: str
    data: dict
    scripts: tuple
    method: str


def asset(name):
    """A text file of this package: page, style or script."""
    return resources.files("shapedp.page").joinpath(name).read_text(encoding="utf-8")


def section(name, preview, words, caption):
    """The HTML of a viewer: the picture stands where nothing can be drawn.

    preview : PNG bytes; words : what it shows, for those who do not see it
    """
    return Template(asset(name)).substitute(
        preview="data:image/png;base64," + base64.b64encode(preview).decode("ascii"),
        preview_words=escape(words),
        caption=escape(caption),
    )


def packed(array, dtype):
    """An array as little-endian bytes in base64."""
    return base64.b64encode(np.ascontiguousarray(array, dtype=dtype).tobytes()).decode("ascii")
