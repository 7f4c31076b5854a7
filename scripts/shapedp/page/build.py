"""Put a release page together from the released curves, the statement and the picture."""

import base64
import json
from html import escape
from importlib import resources
from string import Template

import numpy as np
from markdown_it import MarkdownIt

from shapedp import __version__
from shapedp.page import three
from shapedp.surfaces import curve_mesh


def asset(name):
    """A text file of this package: page, style or script."""
    return resources.files("shapedp.page").joinpath(name).read_text(encoding="utf-8")


def face_page(release, statement, statement_text, charts, preview):
    """The page of a released mean face, as HTML text.

    release : curves (J, 3, m), radii (J,), noise_sd (J, 3) in unit-area units, scale (mm per unit), name
    statement, statement_text : the statement and its words in Markdown
    charts : (SVG, caption) each
    preview : PNG bytes, shown where there is no WebGL
    """
    words, style = verdict(statement)
    return Template(asset("page.html")).substitute(
        version=__version__,
        title=f"Mean face: {escape(release['name'])}",
        style=asset("page.css"),
        verdict_class=style,
        verdict=words,
        verdict_words=escape(statement["summary"]),
        preview="data:image/png;base64," + base64.b64encode(preview).decode("ascii"),
        preview_words="The released mean face from the front and from three quarters.",
        caption="The released mean, noise included, as a surface through its radial curves, as large as the template.",
        statement=MarkdownIt("commonmark", {"html": False}).enable("table").render(statement_text),
        charts="\n".join(f"<figure>{svg}<figcaption>{escape(words)}</figcaption></figure>" for svg, words in charts),
        settings="\n".join(_rows(statement["settings"])),
        citation=_citation(release["name"]),
        data=json.dumps(viewer_data(release)),
        three=three.source(),
        viewer=asset("viewer.js"),
    )


def verdict(statement):
    """(words, style class) of the line on top."""
    if statement["formally_private"]:
        return "Formally private.", "holds"
    return "NOT formally private.", "fails"


def viewer_data(release):
    """What the viewer draws, in mm: vertices, triangles, noise at each vertex; little-endian arrays in base64."""
    curves, scale = release["curves"], release["scale"]
    count, _, samples = curves.shape
    vertices, triangles = curve_mesh.mesh(curves * scale, release["radii"])
    a_point = np.sqrt((release["noise_sd"] ** 2).sum(axis=1)) * scale
    noise = np.concatenate([a_point[:1], np.repeat(a_point, samples)])
    return {
        "vertices": _packed(vertices, "<f4"),
        "triangles": _packed(triangles, "<u4"),
        "noise": _packed(noise, "<f4"),
        "noise_range": None if np.isnan(a_point).any() else [float(a_point.min()), float(a_point.max())],
        "count": count,
        "samples": samples,
        "unit": "mm",
    }


def _packed(array, dtype):
    return base64.b64encode(np.ascontiguousarray(array, dtype=dtype).tobytes()).decode("ascii")


def _rows(settings, prefix=""):
    """Table rows of nested settings: one row a value, the path of its key before it."""
    for key, value in settings.items():
        if isinstance(value, dict):
            yield from _rows(value, f"{prefix}{key}.")
        else:
            words = value if isinstance(value, str) else json.dumps(value)
            yield f'<tr><th scope="row">{escape(prefix + key)}</th><td>{escape(words)}</td></tr>'


def _citation(name):
    return (
        "Cite the data by the publication that this page came with, the release by its name "
        f"(<code>{escape(name)}</code>), and the software as shapedp {__version__}. The method is that of Soto, "
        "Slavkovic, Reimherr and Shriver, <cite>Gaussian differentially private human faces under a face radial curve "
        "representation</cite> (2024), with the mechanism named in the settings."
    )
