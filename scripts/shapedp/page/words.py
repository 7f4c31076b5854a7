"""Markdown as part of a page: its headings under the page's own, its tables in boxes that scroll."""

import re
from html import escape

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml

PATH, BREAK = re.compile(r"\S+/\S+/\S+"), re.compile(r"([/_])")


def html_of(markdown, below=0):
    """HTML of a Markdown text with tables; its first heading is an h1 that is moved `below` levels down."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    for name, rule in (("text", _text), ("table_open", _table_open), ("table_close", _table_close)):
        parser.add_render_rule(name, rule)
    tokens = parser.parse(markdown)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + below, 6)}"
    return parser.renderer.render(tokens, parser.options, {})


def _text(_renderer, tokens, place, _options, _env):
    """A long path may break after a slash or an underscore, other words nowhere."""
    return PATH.sub(lambda found: BREAK.sub(r"\1<wbr>", found[0]), escapeHtml(tokens[place].content))


def _table_open(_renderer, tokens, place, _options, _env):
    heads = [at for at in range(place) if tokens[at].type == "heading_open"]
    name = tokens[heads[-1] + 1].content if heads else "table"
    return f'<div class="scroll" tabindex="0" role="group" aria-label="Table: {escape(name)}"><table>\n'


def _table_close(_renderer, _tokens, _place, _options, _env):
    return "</table></div>\n"
