"""The files of a middle face, and its page."""

import numpy as np

from shapedp.base import artifacts
from shapedp.releases.kinds import find_file
from shapedp.releases.viewer.released_views import FACE_WORDS, collect_face_data
from shapedp.releases.viewer.view import Shown, make_view

FILE = "middle_face.h5"


def draw(folder):
    """Yield a table of the curves, and a picture of one pixel."""
    yield "middle_face.csv", ["x,y,z", *(f"{x:.6g},{y:.6g},{z:.6g}" for x, y, z in read(folder / FILE)["curves"][0].T)]
    yield "preview.png", np.zeros((1, 1, 3), dtype=np.uint8)


def read(path):
    """Return the fields that the viewer draws."""
    with artifacts.reader(path, find_file(FILE).artifact) as source:
        return {key: source[key] for key in ("curves", "radii", "noise_draws", "scale", "noise_mm")}


def view(fields, preview):
    """Return the View of these fields."""
    return make_view("Middle face", "faces", preview, FACE_WORDS, collect_face_data(**fields))


SHOWN = {FILE: Shown(draw, read, view, "## Read it\n\nAs a mean face.\n")}
