"""Sphinx builds docs/ into one folder that is read without a network: sphinx-build -b html docs results/docs."""

import sys
from pathlib import Path

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
myst_heading_anchors = 2
autodoc_member_order = "bysource"
suppress_warnings = ["misc.highlighting_failure"]
