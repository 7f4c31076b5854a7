"""The page of two released models compared: a map of where their means differ, and how sure that is."""

import base64
from html import escape
from string import Template

from shapedp import __version__
from shapedp.page.view import asset


def page(names, picture, words, lines, rate):
    """HTML of the page.

    names : of the two releases; picture : PNG bytes of the map; words : what it shows; lines : what was found; rate :
    of false discoveries
    """
    return Template(asset("comparison.html")).substitute(
        version=__version__,
        style=asset("page.css"),
        title=escape(" and ".join(names)),
        picture="data:image/png;base64," + base64.b64encode(picture).decode("ascii"),
        words=escape(words),
        lines="\n".join(f"<li>{escape(one)}</li>" for one in lines),
        rate=f"{rate:.0%}",
    )
