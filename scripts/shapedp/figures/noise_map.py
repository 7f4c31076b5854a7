"""A face coloured by the size of the noise at each point, with its scale in mm: pixels alone, as a release may hold."""

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from shapedp.figures import panels

STRIP, BAR, MARGIN = 90, 24, 40  # pixels: height of the scale below the views, of its bar, left free at the sides
TICKS = 5
WITHHELD = "size of the noise withheld: it follows from the private data"
WORDS = "mm that the noise moves a point, root mean square"


def colours(noise):
    """(colours (n, 3) of the vertices, the largest noise) of noise (n,) in mm; None for both where it is withheld."""
    if np.isnan(noise).any():
        return None, None
    most = float(noise.max()) or 1.0
    return panels.heat(noise, most), most


def over_scale(faces, most, words=WORDS):
    """(h, w, 3) a picture of faces in those colours, over their scale from 0 mm; words : what the lengths are."""
    return np.vstack([faces, _scale(faces.shape[1], most, words)])


def _scale(width, most, words):
    strip = np.full((STRIP, width, 3), 255, dtype=np.uint8)
    if most is not None:
        share = np.linspace(0, 1, width - 2 * MARGIN)
        strip[:BAR, MARGIN : width - MARGIN] = 255 * panels.heat(share, 1.0)
    picture = Image.fromarray(strip)
    pen, font = ImageDraw.Draw(picture), ImageFont.load_default(20)
    for share in () if most is None else np.linspace(0, 1, TICKS):
        at = MARGIN + share * (width - 2 * MARGIN)
        pen.text((at, BAR + 4), f"{share * most:.2g}", fill="black", font=font, anchor="mt")
    pen.text((width / 2, BAR + 34), WITHHELD if most is None else words, fill="black", font=font, anchor="mt")
    return np.asarray(picture)
