"""Parts of pages: viewers, sliders, Markdown and tables; and small pages of the workflow's report."""

import base64
import csv
import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from importlib import resources
from itertools import pairwise
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml

from shapedp import __version__

VIEWERS = {  # page and scripts of a branch's viewer, and the source to cite
    "faces": (
        "face_view.html",
        ("vendor/three.min.js", "release_data.js", "gestures.js", "drawn_surface.js", "viewer.js"),
        "Soto, Slavkovic, Reimherr and Shriver, <cite>Gaussian differentially private human faces under a face radial "
        "curve representation</cite> (2024)",
    ),
    "shapes": (
        "outline_view.html",
        ("release_data.js", "gestures.js", "outlines.js"),
        "Reimherr, Bharath and Soto, <cite>Differential privacy over Riemannian manifolds</cite> (2021), and Soto, "
        "Bharath, Reimherr and Slavkovic, <cite>Shape and structure preserving differential privacy</cite> (2022)",
    ),
}


@dataclass(frozen=True)
class Shown:
    """How the files of a kind of release are shown.

    drawings(folder) : (name of a file that follows from the release, what it holds) each
    read(path) : what `view` takes, from the released file
    view(what was read, PNG bytes of a picture that is shown where nothing can be drawn) : View
    reading : Markdown on how the files are read
    """

    drawings: Callable[[Path], Iterator[tuple[str, Any]]]
    read: Callable[[Path], Any]
    view: Callable[[Any, bytes], "View"]
    reading: str


@dataclass(frozen=True)
class View:
    """title, section (HTML of the viewer and its controls), data (what it draws, for JSON), scripts, source to cite."""

    title: str
    section: str
    data: dict
    scripts: list
    method: str


def make_view(title, branch, preview, words, data, below=None, script=None):
    """Return the View of a release for its page: its branch's viewer, and a picture where nothing can be drawn.

    Parameters
    ----------
    title : str
    branch : str
        `faces` or `shapes`.
    preview : bytes
        PNG.
    words : sequence of str
        Heading, what it shows for those who do not see it, caption.
    data : dict
        What the viewer draws, for JSON.
    below : str, optional
        HTML under the viewer.
    script : str, optional
        The text that makes `below` work.
    """
    page, scripts, method = VIEWERS[branch]
    texts = dict(zip(("heading", "preview_words", "caption"), map(escape, words), strict=True))
    parts = [fill_asset(page, preview=encode_picture(preview), **texts)]
    scripts = [read_asset(script_name) for script_name in scripts]
    if script:
        parts, scripts = [*parts, below], [*scripts, script]
    return View(title, "\n".join(parts), data, scripts, method)


VIEWER = "shapedp.releases.viewer"


def read_asset(name, package=VIEWER):
    """Return a text file that ships with the viewer or with a kind of release: a page's HTML, style, script or words.

    Parameters
    ----------
    name : str
        Of the file.
    package : str
        Which holds it.
    """
    return resources.files(package).joinpath(name).read_text(encoding="utf-8")


def fill_asset(name, package=VIEWER, /, **texts):
    """Return an asset, such as a part of a page, with texts in the places that it names.

    Parameters
    ----------
    name, package
        As of `read_asset`.
    **texts : str
        HTML.
    """
    return Template(read_asset(name, package)).substitute(texts)


def make_document(name, /, scripts=(), **texts):
    """Return a page of its own, which needs no network: an asset with head, style, scripts and version.

    Parameters
    ----------
    name : str
        The asset.
    scripts : sequence of str
        Texts of the scripts that the asset names the place of. Beside them and the style the page runs nothing.
    **texts : str
        HTML for the places that the asset names.
    """
    return fill_asset(
        name,
        head=fill_asset("head.html", policy=write_policy(_styles(name), scripts)),
        style=read_asset("page.css"),
        scripts="\n".join(f"<script>{script}</script>" for script in scripts),
        version=__version__,
        **texts,
    )


def write_policy(styles, scripts=()):
    """Return the Content-Security-Policy of a page that runs these texts, shows pictures inside it, and nothing else.

    What a stranger's words might bring into a page is no style or script of this list, and so has no effect: it is not
    run, fetches nothing and sends nothing. A policy in the page itself holds wherever the file is opened.

    Parameters
    ----------
    styles : sequence of str
        Texts of its <style> elements.
    scripts : sequence of str
        Texts of its <script> elements.
    """
    kinds = {"script-src": scripts, "style-src": styles}
    known = "; ".join(f"{kind} {' '.join(map(_hash_source, texts)) or NOTHING}" for kind, texts in kinds.items())
    return f"default-src {NOTHING}; {known}; img-src data:; base-uri {NOTHING}; form-action {NOTHING}"


NOTHING = "'none'"


def _hash_source(text):
    """Return the digest of a script's or a style's text, as a security policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}'"


OWN_PARTS = re.compile(r"<(script|style)>(.*?)</\1>", re.DOTALL)


def put_in_words_of_subject(subject, page):
    """Return a page in the words of a subject, such as ears instead of faces, with its policy mended to match.

    The policy names scripts and styles as they then are.

    Parameters
    ----------
    subject : base.settings.subjects.Subject
        What the scans show.
    page : str
        HTML, written for faces.
    """
    worded = subject.in_page(page)
    # A script or style whose words changed would not run under the digest of what it was.
    for before, after in zip(OWN_PARTS.findall(page), OWN_PARTS.findall(worded), strict=True):
        if before != after:
            worded = worded.replace(_hash_source(before[1]), _hash_source(after[1]))
    return worded


def embed_json(text):
    """Return JSON text as it may stand in a <script> element that holds data: nothing in it can end the element."""
    # JSON may write any character so, and no tag is left that could end the element.
    return text.replace("<", "\\u003c")


def _styles(name):
    """Return the texts of the <style> elements of an asset, the common style in its place."""
    styles = re.findall(r"<style>(.*?)</style>", read_asset(name), re.DOTALL)
    return [text.replace("$style", read_asset("page.css")) for text in styles]


def _report(**texts):
    """Return a page of the workflow's report."""
    return fill_asset("report.html", policy=write_policy(_styles("report.html")), **texts)


def encode_picture(picture):
    """Return PNG bytes as the address of a picture within a page."""
    return f"data:image/png;base64,{base64.b64encode(picture).decode('ascii')}"


def pack_array(array, dtype):
    """Return an array as little-endian bytes in base64, which every browser's typed arrays read.

    Parameters
    ----------
    array : array
    dtype : str
        Such as `<f4`.
    """
    return base64.b64encode(np.ascontiguousarray(array, dtype=dtype).tobytes()).decode("ascii")


PATH, BREAK = re.compile(r"\S+/\S+/\S+"), re.compile(r"([/_])")


def to_html(markdown, below=0, prefix=""):
    """Return HTML of a Markdown text, such as a statement, for a page: tables in boxes that scroll.

    Headings are `below` levels down. A long path may break after a slash or an underscore, other words nowhere.
    Headings that a link of the text names have their words as an address.

    Parameters
    ----------
    markdown : str
    below : int
        Levels that headings move down.
    prefix : str
        Of addresses, where one page holds several texts.
    """

    def text(_renderer, tokens, place, _options, _env):
        return PATH.sub(lambda path: BREAK.sub(r"\1<wbr>", path[0]), escapeHtml(tokens[place].content))

    def table_open(_renderer, tokens, place, _options, _env):
        heads = [at for at in range(place) if tokens[at].type == "heading_open"]
        name = tokens[heads[-1] + 1].content if heads else "table"
        return f'<div class="scroll" tabindex="0" role="group" aria-label="Table: {escape(name)}"><table>\n'

    # No HTML of a text is let through: words that people declare stand in it.
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    for name, rule in (("text", text), ("table_open", table_open), ("table_close", lambda *_: "</table></div>\n")):
        parser.add_render_rule(name, rule)
    tokens = parser.parse(markdown)
    links = [inner for token in tokens for inner in token.children or () if inner.type == "link_open"]
    # Only headings that a link names get an address, so that other pages stay as they were.
    inward = [link for link in links if str(link.attrs["href"]).startswith("#")]
    for link in inward:
        link.attrs["href"] = f"#{prefix}{link.attrs['href'][1:]}"
    targets = {link.attrs["href"][1:] for link in inward}
    for token, following in pairwise([*tokens, None]):
        if token.type == "heading_open" and (place := prefix + following.content.lower().replace(" ", "-")) in targets:
            token.attrSet("id", place)
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + below, 6)}"
    return parser.renderer.render(tokens, parser.options, {})


def render_table(title, lines):
    """Return a page of a tab-separated table for Snakemake's report; rows that say `rejected` stand out.

    Parameters
    ----------
    title : str
    lines : iterable of str
        Of the table, its header first.
    """

    def cell(text):
        """Return HTML of one cell of the table, a number set to the right."""
        try:
            float(text)
        except ValueError:
            return f"<td>{escape(text)}</td>"
        return f'<td class="number">{escape(text)}</td>'

    header, *rows = list(csv.reader(lines, delimiter="\t"))
    kinds = (' class="rejected"' if "rejected" in row else "" for row in rows)
    body = "\n".join(f"<tr{kind}>{''.join(map(cell, row))}</tr>" for kind, row in zip(kinds, rows, strict=True))
    heads = "".join(f"<th>{escape(name.replace('_', ' '))}</th>" for name in header)
    table = f"<h1>{escape(title)}</h1><table><thead><tr>{heads}</tr></thead>\n<tbody>{body}</tbody></table>"
    return _report(title=escape(title), body=table)


def render_words(title, markdown):
    """Return a page of a Markdown text, such as a release's statement, for its operator to read in Snakemake's report.

    Parameters
    ----------
    title : str
    markdown : str
    """
    return _report(title=escape(title), body=to_html(markdown))
