"""Sphinx builds docs/ into one folder that is read without a network: sphinx-build -b html docs results/docs."""

import re
import sys
from pathlib import Path

from docutils import nodes
from latex2mathml.converter import convert

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

import shapedp

project = "shapedp"
author = "the shapedp contributors"
release = version = shapedp.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["notebooks"]
html_theme = "furo"
html_title = f"shapedp {release}"
html_show_sourcelink = False
html_copy_source = False
html_extra_path = ["notebooks"]
html_static_path = ["static"]
myst_heading_anchors = 2
myst_enable_extensions = ["dollarmath"]
html_math_renderer = "mathml"
autodoc_member_order = "bysource"
suppress_warnings = ["misc.highlighting_failure"]

NUMBER = re.compile(r"\\tag\{([\d.]+)\}")


INDEX = re.compile(r"(?<=[\w)\]'*])([_^])(?:\{([^{}]+)\}|(-?[A-Za-zα-ω0-9,]*[A-Za-zα-ω0-9]))")
WIDE = 110  # signs of LaTeX, from which on an equation's parts stand below each other


def to_mathml(equation):
    """Return a displayed equation as MathML, the parts of a wide one below each other."""
    if len(equation) > WIDE and "gathered" not in equation:
        rows = equation.replace(r"\qquad", r"\\")
        equation = rf"\begin{{gathered}}{rows}\end{{gathered}}"
    # The converter knows a matrix of one column, and no `gathered`; its rows are equations, no entries.
    mathml = convert(equation.replace("{gathered}", "{matrix}"), display="block")
    return mathml.replace("<mtable>", '<mtable displaystyle="true" rowspacing="1ex">')


def raise_indices(app, tree, page):
    """Set what stands after _ and ^ in the sentences of the mathematics lower and higher, where it is no code."""
    if page != "mathematics":
        return
    for text in list(tree.findall(nodes.Text)):
        if isinstance(text.parent, nodes.paragraph | nodes.list_item | nodes.emphasis) and INDEX.search(text):
            text.parent.replace(text, split_indices(text.astext()))


def split_indices(text):
    """Return a sentence as text with subscripts and superscripts."""
    parts, end = [], 0
    for index in INDEX.finditer(text):
        kind = nodes.subscript if index[1] == "_" else nodes.superscript
        inner = index[2] or index[3]
        parts += [nodes.Text(text[end : index.start()]), kind("", "", *split_indices(inner))]
        end = index.end()
    return [*parts, nodes.Text(text[end:])]


def write_equation(translator, node):
    """Write a displayed equation as MathML, which browsers show without a script, with its number as an anchor."""
    text = node.astext()
    number = NUMBER.search(text)
    label = f'<span class="number">({number[1]})</span>' if number else ""
    anchor = f' id="eq-{number[1].replace(".", "-")}"' if number else ""
    equation = to_mathml(NUMBER.sub("", text).strip())
    translator.body.append(f'<div class="equation"{anchor}>{equation}{label}</div>\n')
    raise nodes.SkipNode


def write_formula(translator, node):
    """Write a formula within a sentence as MathML."""
    translator.body.append(convert(node.astext(), display="inline"))
    raise nodes.SkipNode


def setup(app):
    """Give Sphinx the renderer of mathematics: MathJax, its own, needs a network or a copy of some megabytes."""
    app.add_html_math_renderer("mathml", (write_formula, None), (write_equation, None))
    app.add_css_file("equations.css")
    app.connect("doctree-resolved", raise_indices)
