"""The three.js library (MIT), taken from the trimesh package, which ships it for its own notebook viewer.

So the viewer's library is pinned by requirements.lock like everything else, and nothing is downloaded.
"""

import io
import zipfile
from functools import cache
from importlib import resources

from shapedp.errors import ShapedpError

TEMPLATE = "viewer.html.template"
BEGIN, END = "/**\n * @license", 'Object.defineProperty(t,"__esModule",{value:!0})}));'


@cache
def source():
    """three.js as one script that defines the global THREE, its licence notice included."""
    packed = resources.files("trimesh").joinpath("resources/templates/viewer.zip").read_bytes()
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        text = archive.read(TEMPLATE).decode("utf-8")
    start = text.find(BEGIN)
    end = text.find(END, start)
    if start < 0 or end < 0:
        raise ShapedpError("trimesh's viewer.zip holds no three.js any more; install the trimesh of requirements.lock")
    return text[start : end + len(END)]
