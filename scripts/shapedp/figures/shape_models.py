"""The picture of a released shape model: its mean, and each of the first modes and effects from end to end."""

from shapedp.figures import outlines, style
from shapedp.figures.released_shapes import MARGIN
from shapedp.model import drawings
from shapedp.model.shapes import as_landmarks

PICTURED = 3  # modes
ENDS = ("blue", "vermilion")


def drawn(model, look):
    """A Figure: a panel a mode and an effect, the mean in grey; look : outlines.Look."""
    shapes = {name: as_landmarks(curves) for name, curves in drawings.surfaces(model).items()}
    pairs = [(f"mode {k + 1}", f"mode_{k + 1}_minus", f"mode_{k + 1}_plus") for k in range(min(PICTURED, model.shown))]
    pairs += [(one.name, f"effect_{one.name}_low", f"effect_{one.name}_high") for one in model.covariates]
    mean = as_landmarks(model.mean)
    with style.applied():
        made = style.figure("page", 3.0, _caption(model))
        panels = made.subplots(1, max(1, len(pairs)), squeeze=False)[0]
        for axes in panels:
            _line(axes, mean, look, "0.7")
            outlines.frame(axes, mean[:, outlines.IN_FRONT], MARGIN)
            axes.set_axis_off()
        for axes, (name, *ends) in zip(panels, pairs, strict=False):
            axes.set_title(name)
            for end, colour in zip(ends, ENDS, strict=True):
                _line(axes, shapes[end], look, style.COLOURS[colour])
    return made


def _line(axes, landmarks, look, colour):
    """Landmarks, seen from in front."""
    marker = "" if look.closed else "."
    outlines.draw(axes, landmarks[:, outlines.IN_FRONT], look, color=colour, marker=marker, linewidth=1.0)


def _caption(model):
    said = "Released shape model, noise included; grey: the mean; blue and red: "
    said += "two standard deviations along a mode either way, or either end of a covariate."
    return said if model.shown else said + " No mode stands above the noise."
