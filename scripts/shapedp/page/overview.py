"""One page about all releases, made from the release folder alone, so that it may be published with it."""

import base64
import json
from html import escape
from string import Template

from shapedp import __version__
from shapedp.page.build import verdict
from shapedp.page.view import asset


def overview(folders):
    """HTML text: picture, verdict, settings of each release folder."""
    return Template(asset("overview.html")).substitute(
        style=asset("page.css"), version=__version__, releases="\n".join(_release(folder) for folder in folders)
    )


def _release(folder):
    statement = json.loads((folder / "statement.json").read_text(encoding="utf-8"))
    picture = base64.b64encode((folder / "preview.png").read_bytes()).decode("ascii")
    words, style = verdict(statement)
    made = f"{escape(statement['mechanism']['words'])}; {statement['release']['n']} people."
    return (
        f"<section><h2>{escape(folder.parent.name)}: {escape(folder.name)}</h2>\n"
        f'<p class="verdict {style}"><strong>{words}</strong> {escape(statement["summary"])}</p>\n'
        f'<figure class="view"><img src="data:image/png;base64,{picture}" width="100%" '
        f'alt="Picture of the release {escape(folder.name)}">'
        f"<figcaption>{made}</figcaption></figure></section>"
    )
