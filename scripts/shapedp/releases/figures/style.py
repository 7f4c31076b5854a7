"""The one style sheet of all figures: colours, sizes, and how a figure is saved."""

import textwrap
from contextlib import contextmanager
from pathlib import Path

import matplotlib
from matplotlib.figure import Figure
from PIL import ImageFont

# Colours that stay apart under the common colour deficiencies (the set of Okabe and Ito), darkest uses first.
COLOURS = {
    "blue": "#0072B2",
    "vermilion": "#D55E00",
    "green": "#009E73",
    "purple": "#CC79A7",
    "sky": "#56B4E9",
    "orange": "#E69F00",
    "black": "#000000",
}
INK = "#222222"
FAINT = "#8A8F98"
# For heat maps; monotone in lightness, so that it can be read without colours.
SEQUENTIAL = "cividis"
# Inches.
WIDTHS = {"column": 3.4, "page": 7.0}
# Letters that a line of a caption has room for.
LETTERS = {"column": 50, "page": 106}
FORMATS = ("png", "svg", "pdf")

SHEET = {
    "font.family": "DejaVu Sans",  # comes with matplotlib, so pictures are the same everywhere
    "axes.titlesize": 10,
    **dict.fromkeys(("font.size", "axes.labelsize"), 9),
    **dict.fromkeys(("xtick.labelsize", "ytick.labelsize", "legend.fontsize"), 8),
    **dict.fromkeys(("axes.edgecolor", "axes.labelcolor", "text.color", "xtick.color", "ytick.color"), INK),
    **dict.fromkeys(("legend.frameon", "axes.spines.top", "axes.spines.right"), False),
    **dict.fromkeys(("axes.grid", "axes.axisbelow", "figure.constrained_layout.use"), True),
    "axes.linewidth": 0.8,
    "lines.linewidth": 1.4,
    "axes.prop_cycle": matplotlib.cycler(color=list(COLOURS.values())),
    "grid.color": "#E3E5E8",
    "grid.linewidth": 0.6,
    "image.cmap": SEQUENTIAL,
    "savefig.dpi": 300,
    "svg.hashsalt": "shapedp",  # ids inside an SVG depend on the figure alone
    "svg.fonttype": "none",  # text stays text: it can be searched, and read aloud
    "pdf.fonttype": 42,
}


def load_font(size):
    """Return the font of words on pictures of faces, `size` pixels high: that of the figures, which has accents."""
    return ImageFont.truetype(Path(matplotlib.get_data_path()) / "fonts/ttf/DejaVuSans.ttf", size)


@contextmanager
def open_figure(width="page", height=4.0, caption=None):
    """Yield an empty Figure over its caption, to be drawn on under the style sheet that all figures share.

    Parameters
    ----------
    width : str
        In WIDTHS.
    height : float
        Inches.
    caption : str, optional
    """
    with matplotlib.rc_context(SHEET):
        figure = Figure(figsize=(WIDTHS[width], height))
        if caption:
            figure.supxlabel("\n".join(wrap_caption(caption, width)), x=0.01, ha="left", fontsize=8, color=FAINT)
        yield figure


def wrap_caption(caption, width="page"):
    """Return the lines of a caption that fit beneath a figure of this width."""
    return textwrap.wrap(caption, LETTERS[width])


def save(figure, path, formats=("png", "svg")):
    """Save a Figure as `path` with each suffix, and return the paths; the same figure gives the same bytes.

    There are no dates and no random ids in it.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    path : path
        Its suffix is replaced.
    formats : sequence of str
        Of FORMATS.
    """
    if unknown := set(formats) - set(FORMATS):
        raise ValueError(f"cannot save a figure as {', '.join(sorted(unknown))}; known: {', '.join(FORMATS)}")
    undated = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None, "Creator": None}}
    paths = [Path(path).with_suffix(f".{suffix}") for suffix in formats]
    with matplotlib.rc_context(SHEET):
        figure.draw_without_rendering()
        # Laid out once: every further drawing would shift it a little.
        figure.set_layout_engine("none")
        for suffix, target in zip(formats, paths, strict=True):
            target.parent.mkdir(parents=True, exist_ok=True)
            figure.savefig(target, metadata=undated[suffix])
    return paths
