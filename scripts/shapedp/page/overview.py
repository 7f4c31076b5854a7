"""One page about all releases, made from the release folder alone, so that it may be published with it."""

import base64
import json
from html import escape
from string import Template

from shapedp import __version__
from shapedp.page import words
from shapedp.page.build import verdict
from shapedp.page.view import asset

CATEGORIES = {"faces": "Mean faces", "shapes": "Mean shapes"}


def overview(folders):
    """HTML text: by category, the verdict, picture, caption and statement of each release folder."""
    by_branch = {branch: [one for one in folders if one.parent.name == branch] for branch in CATEGORIES}
    shown = {branch: of_branch for branch, of_branch in by_branch.items() if of_branch}
    return Template(asset("overview.html")).substitute(
        style=asset("page.css"),
        version=__version__,
        contents="\n".join(_contents(CATEGORIES[branch], folders) for branch, folders in shown.items()),
        releases="\n".join(_category(CATEGORIES[branch], folders) for branch, folders in shown.items()),
    )


def _contents(category, folders):
    links = ", ".join(f'<a href="#{_anchor(folder)}">{escape(folder.name)}</a>' for folder in folders)
    return f"<li>{category}: {links}</li>"


def _category(category, folders):
    return f"<h2>{category}</h2>\n" + "\n".join(_release(folder) for folder in folders)


def _anchor(folder):
    return escape(f"{folder.parent.name}-{folder.name}")


def _release(folder):
    statement = json.loads((folder / "statement.json").read_text(encoding="utf-8"))
    picture = base64.b64encode((folder / "preview.png").read_bytes()).decode("ascii")
    told, style = verdict(statement)
    name, release = escape(folder.name), statement["release"]
    text = (folder / "statement.md").read_text(encoding="utf-8")
    return (
        f'<section id="{_anchor(folder)}"><h3>{name}</h3>\n'
        f'<p class="verdict {style}"><strong>{told}</strong> {escape(statement["summary"])}</p>\n'
        f'<figure class="view"><img src="data:image/png;base64,{picture}" width="100%" '
        f'alt="Picture of the release {name}">'
        f"<figcaption>The {escape(release['statistic'])} of {release['n']} people, noise included: "
        f"{escape(statement['mechanism']['words'])}. Viewer, charts and settings: <code>{release['branch']}/{name}/"
        "index.html</code> in the release folder.</figcaption></figure>\n"
        "<details><summary>The whole statement: who is protected, from what, how strongly, what is not protected"
        f"</summary>{words.html_of(text, below=3)}</details></section>"
    )
