"""Small HTML pages for the workflow's report, which shows neither tables nor Markdown by itself."""

import csv
from html import escape

from shapedp.page import words

STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;color:#222;margin:1.5rem;max-width:60rem}"
    "table{border-collapse:collapse;font-size:13px}th{background:#eef0f3;position:sticky;top:0;text-align:left}"
    "th,td{padding:.25rem .6rem;border-bottom:1px solid #dde0e4;vertical-align:top}"
    "td.number{text-align:right;font-variant-numeric:tabular-nums}tr.rejected td{background:#fbe9dd}"
)


def table_page(title, lines):
    """HTML of a tab-separated table with its header; rows that say `rejected` stand out; lines : of the table."""
    header, *rows = list(csv.reader(lines, delimiter="\t"))
    body = "\n".join(_row(row) for row in rows)
    heads = "".join(f"<th>{escape(name.replace('_', ' '))}</th>" for name in header)
    return _page(
        title, f"<h1>{escape(title)}</h1><table><thead><tr>{heads}</tr></thead>\n<tbody>{body}</tbody></table>"
    )


def words_page(title, markdown):
    """HTML of a Markdown text with tables."""
    return _page(title, words.html_of(markdown))


def _row(cells):
    kind = ' class="rejected"' if "rejected" in cells else ""
    return f"<tr{kind}>{''.join(map(_cell, cells))}</tr>"


def _cell(text):
    try:
        float(text)
    except ValueError:
        return f"<td>{escape(text)}</td>"
    return f'<td class="number">{escape(text)}</td>'


def _page(title, body):
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{STYLE}</style></head><body>{body}</body></html>\n"
    )
