"""The picture of a released mean shape: landmarks with the noise of each as an ellipse, and how p0 is bent into it."""

import numpy as np
from matplotlib.patches import Ellipse
from scipy.interpolate import RBFInterpolator

from shapedp.figures import outlines, style
from shapedp.landmarks.ellipses import ellipse

LINES, POINTS = 17, 60  # of the grid, each way; points along a line
MARGIN = 1.2
EXAGGERATED = 3  # how often the step from p0 is shown
WIDEST = 0.03  # of an ellipse, which is drawn ten or a hundred times as large where that is no wider


def released(release, look):
    """A Figure of what the artifact of a release holds."""
    landmarks, center, reach = (release[name] for name in ("landmarks", "center", "noise_radius"))
    words = f"noise moves the whole shape by {reach:.3g} rad (rms)" if np.isfinite(reach) else "noise size withheld"
    planar, covariances = landmarks.shape[1] == 2, release["noise_covariance"]
    times = _times(covariances)
    bent = planar and np.isfinite(center).all()
    with style.applied():
        views = outlines.views(landmarks.shape[1]).values()
        made = style.figure("page" if bent or not planar else "column", 3.0, _caption(words, times, bent, planar))
        axes = made.subplots(1, len(views) + bent, squeeze=False)[0]
        for one, places in zip(axes, views, strict=False):
            _shape(one, landmarks[:, places], times**2 * covariances[:, places][:, :, places], look)
            one.set_xlabel(style.label("xyz"[places[0]], "1, unit size"))
            one.set_ylabel(style.label("xyz"[places[1]], "1, unit size"))
        if bent:
            _grid(axes[-1], center, center + EXAGGERATED * (landmarks - center), look)
    return made


def _times(covariances):
    """How many standard deviations an ellipse shows: 1, 10, ..."""
    largest = np.sqrt(np.linalg.eigvalsh(covariances).max()) if np.isfinite(covariances).all() else WIDEST
    return max(1, 10 ** int(np.floor(np.log10(WIDEST / max(largest, 1e-9)))))


def _caption(words, times, bent, planar):
    said = f"Released mean shape, noise included; size 1; {words}."
    if "withheld" not in words:
        said += f" Ellipses: {times} standard deviation{'s' * (times > 1)} of the noise at a landmark."
    if bent:
        said += f" Right: the public center bent into the release, the step shown {EXAGGERATED} times as large."
    return said if planar else said + " From in front and from the side."


def _shape(axes, landmarks, covariances, look):
    outlines.draw(axes, landmarks, look)
    if np.isfinite(covariances).all():
        for place, covariance in zip(landmarks, covariances, strict=True):
            wide, tall, turn = ellipse(covariance)
            axes.add_patch(
                Ellipse(place, 2 * wide, 2 * tall, angle=turn, color=style.COLOURS["vermilion"], alpha=0.4, zorder=3)
            )
    outlines.frame(axes, landmarks, MARGIN)


def _grid(axes, center, shape, look):
    """A square grid about p0, bent by the thin-plate spline that takes p0 to the shape."""
    bend = thin_plate(center, shape)
    half = MARGIN * np.abs(center).max(axis=0)
    ticks, along = (np.linspace(-1, 1, count) for count in (LINES, POINTS))
    for tick in ticks:
        for line in (np.column_stack([np.full(POINTS, tick), along]), np.column_stack([along, np.full(POINTS, tick)])):
            axes.plot(*bend(line * half).T, color="0.7", linewidth=0.5)
    outlines.draw(axes, shape, look, markersize=3)
    axes.set_axis_off()


def thin_plate(start, stop):
    """points (m, 2) -> (m, 2): the map of least bending that takes each landmark of start to that of stop."""
    return RBFInterpolator(start, stop, kernel="thin_plate_spline", degree=1)
