"""Shapes drawn on axes, in the plane or in space in x and y and in z and y: releases, and private pictures."""

from dataclasses import dataclass

import matplotlib
import numpy as np
import scipy
from matplotlib.collections import LineCollection
from matplotlib.patches import Ellipse

from shapedp.privacy.manifolds.landmark_shapes import find_noise_ellipse, join_landmarks
from shapedp.releases.figures import style
from shapedp.releases.kinds.change import released as released_change
from shapedp.releases.model import released_model
from shapedp.releases.model.shapes import as_landmarks
from shapedp.releases.shape_mechanisms import MECHANISMS

# Width of a panel over its height, at least: the numbers below it need room.
NARROWEST = 0.6
# Coordinates across and up.
X_AND_Y, Z_AND_Y = [0, 1], [2, 1]
# Lines of the grid each way, and points along a line.
LINES, POINTS = 17, 60
RELEASED_MARGIN = 1.2
# How often a step is shown: as often as surfaces show it.
EXAGGERATED = int(released_change.STAGES["exaggerated"])
# Of an ellipse, which is drawn ten or a hundred times as large where that is no wider.
WIDEST = 0.03
# Modes that the picture has panels for.
PICTURED = 3
ENDS = ("blue", "vermilion")
# Of a panel, in extents of the mean.
REACH = 1.6
# Panels a line; inches: the width of one, the height of the words about it.
COLUMNS, PANEL_WIDTH, LETTERING = 4, 1.4, 0.6
# Of the axes, in extents of what they show.
SAMPLE_MARGIN = 1.1


@dataclass(frozen=True)
class Look:
    """closed : whether landmarks follow a closed contour; links : ((from, to), ...) numbers of landmarks, from 1;
    nearest : whether these are no anatomy, and join landmarks by the shortest way
    """

    closed: bool
    links: list
    nearest: bool = False

    @property
    def words(self):
        """What a caption says of lines that are no anatomy; nothing where there are none."""
        return " Dotted lines join landmarks by the shortest way: no links are set." if self.nearest else ""


def choose_look(settings, landmarks, center=None):
    """Return the Look of a shape: which landmarks pictures join by lines, by its public settings and its public center.

    Parameters
    ----------
    settings : mapping
        The public ones.
    landmarks : (k, d) float
        Of the release.
    center : (k, d) float, optional
        Where it has a public one.
    """
    lines = join_landmarks(settings, landmarks, center)
    return Look(lines["closed"], lines["links"] + lines["near"], bool(lines["near"]))


def list_views(dimensions):
    """Return {what a panel's title adds: (across, up)}, the views from which shapes of so many dimensions are drawn."""
    if dimensions == 2:
        return {"": X_AND_Y}
    return {", x and y": X_AND_Y, ", z and y": Z_AND_Y}


def draw(axes, landmarks, look, **drawn):
    """Draw a shape's landmarks (k, 2) on axes at equal scale, the one way in which all pictures show shapes.

    Closed outlines are joined up, others by links, since their order is no path.
    """
    points = np.vstack([landmarks, landmarks[:1]]) if look.closed else landmarks
    drawn = {"color": style.COLOURS["blue"], "marker": ".", **drawn}
    axes.plot(*points.T, **({} if look.closed else {"linestyle": "none"}), **drawn)
    ends = [landmarks[[start - 1, stop - 1]] for start, stop in look.links]
    lines = {"colors": drawn["color"], "linewidths": drawn.get("linewidth", 1.0), "alpha": drawn.get("alpha")}
    axes.add_collection(LineCollection(ends, linestyles="dotted" if look.nearest else "solid", **lines))
    axes.set_aspect("equal")


def set_frame(axes, points, margin):
    """Show points (..., 2) about 0 whole, whether wide or tall; margin : factor on their extent.

    Panels that are given the same points can be compared.
    """
    wide, tall = margin * np.abs(points.reshape(-1, 2)).max(axis=0)
    # Room for the numbers below.
    wide = max(wide, NARROWEST * tall)
    axes.set(xlim=(-wide, wide), ylim=(-tall, tall))


def draw_released(release, look):
    """Return the picture of a released mean shape: its landmarks, with an ellipse for the noise of each.

    Ellipses are of 1, 10, ... standard deviations, so that they are seen; in the plane stands also how the public
    center is bent into the release.

    Parameters
    ----------
    release : mapping
        The fields.
    look : Look
    """
    landmarks, center, reach = (release[name] for name in ("landmarks", "center", "noise_radius"))
    planar, covariances = landmarks.shape[1] == 2, release["noise_covariance"]
    has_noise_size = np.isfinite(covariances).all()
    largest = np.sqrt(np.linalg.eigvalsh(covariances).max()) if has_noise_size else WIDEST
    times = max(1, 10 ** int(np.floor(np.log10(WIDEST / max(largest, 1e-9)))))
    bent = planar and np.isfinite(center).all()
    caption = "Released mean shape, noise included; size 1; noise size withheld."
    if np.isfinite(reach):
        caption = (
            f"Released mean shape, noise included; size 1; noise moves the whole shape by {reach:.3g} rad (rms). "
            f"Ellipses: {times} standard deviation{'s' * (times > 1)} of the noise at a landmark."
        )
    if np.isfinite(release["size"]):
        caption += f" People's mean centroid size, with noise: {release['size']:.4g} (unit of the files)."
    if bent:
        caption += f" Right: the public center bent into the release, the step shown {EXAGGERATED} times as large."
    caption += ("" if planar else " In x and y, and in z and y.") + look.words
    views = list_views(landmarks.shape[1]).values()
    with style.open_figure("page" if bent or not planar else "column", 3.0, caption) as figure:
        axes = figure.subplots(1, len(views) + bent, squeeze=False)[0]
        for panel, places in zip(axes, views, strict=False):
            draw(panel, landmarks[:, places], look)
            for landmark, covariance in zip(landmarks, times**2 * covariances, strict=True) if has_noise_size else ():
                wide, tall, turn = find_noise_ellipse(covariance[np.ix_(places, places)])
                shown = {"angle": turn, "color": style.COLOURS["vermilion"], "alpha": 0.4, "zorder": 3}
                panel.add_patch(Ellipse(landmark[places], 2 * wide, 2 * tall, **shown))
            far = times * np.sqrt(np.diagonal(covariances, axis1=1, axis2=2)) if has_noise_size else 0.0
            set_frame(panel, np.concatenate([landmarks - far, landmarks + far])[:, places], RELEASED_MARGIN)
            across, up = ("xyz"[place] for place in places)
            panel.set(xlabel=f"{across} (unit size)", ylabel=f"{up} (unit size)")
        if bent:
            _draw_bent_grid(axes[-1], center, center + EXAGGERATED * (landmarks - center), look)
    return figure


def draw_beside_norm(mean, specimen, z, most, look):
    """Return a Figure of one specimen beside its norm: landmarks coloured by how unusual (z) they are, over the mean.

    Parameters
    ----------
    mean, specimen : (k, d) float
    z : (k,) float
        Of each landmark.
    most : float
        The z at the dark end of the colours.
    look : Look
    """
    views = list_views(mean.shape[1]).values()
    with style.open_figure("page", 3.6) as figure:
        axes = figure.subplots(1, len(views), squeeze=False)[0]
        for panel, places in zip(axes, views, strict=True):
            draw(panel, mean[:, places], look, color="0.6")
            between = np.stack([mean[:, places], specimen[:, places]], axis=1)
            panel.add_collection(LineCollection(between, colors="0.4", linewidths=0.8))
            shown = panel.scatter(*specimen[:, places].T, c=z, vmin=0, vmax=most, cmap="viridis_r", s=18, zorder=3)
            set_frame(panel, np.stack([mean, specimen])[..., places], RELEASED_MARGIN)
            panel.set(
                **{f"{side}label": f"{'xyz'[place]} (unit size)" for side, place in zip("xy", places, strict=True)}
            )
        figure.colorbar(shown, ax=axes, label="z (standard deviations)")
    return figure


def _draw_bent_grid(axes, center, shape, look):
    """Draw a square grid about p0, bent as p0 is bent into the shape, so that one sees where the shape is another.

    The bend is the thin-plate spline that takes p0 to the shape.
    """
    bend = fit_thin_plate(center, shape)
    half = RELEASED_MARGIN * np.abs(center).max(axis=0)
    ticks, along = (np.linspace(-1, 1, count) for count in (LINES, POINTS))
    for tick in ticks:
        line = np.column_stack([np.full(POINTS, tick), along])
        for grid_line in (line, line[:, ::-1]):
            axes.plot(*bend(grid_line * half).T, color="0.7", linewidth=0.5)
    draw(axes, shape, look, markersize=3)
    axes.set_axis_off()


def fit_thin_plate(start, stop):
    """Return the map of least bending, points (m, 2) -> (m, 2), that takes each landmark of start to that of stop."""
    return scipy.interpolate.RBFInterpolator(start, stop, kernel="thin_plate_spline", degree=1)


def list_ends(model):
    """Return (name, the names of both ends in `released_model.surfaces`) of each mode and effect to be pictured."""
    modes = [(f"mode {k + 1}", f"mode_{k + 1}_minus", f"mode_{k + 1}_plus") for k in range(min(PICTURED, model.shown))]
    return modes + [
        (covariate.name, f"effect_{covariate.name}_low", f"effect_{covariate.name}_high")
        for covariate in model.covariates
    ]


def draw_model(model, look):
    """Return the picture of a released model of shapes: what each mode and effect moves, with the mean in grey.

    A panel is a mode or an effect, in x and y; effects are exaggerated.
    """
    shapes = {name: as_landmarks(curves) for name, curves in released_model.surfaces(model).items()}
    pairs = list_ends(model)
    mean = as_landmarks(model.mean)
    covariate_ends = {covariate.name: covariate.ends for covariate in model.covariates}
    # Effects of covariates are small beside modes, so they are shown exaggerated.
    for name in (end for named, *both in pairs if named in covariate_ends for end in both):
        shapes[name] = mean + EXAGGERATED * (shapes[name] - mean)
    # One frame for all panels, so that they can be compared in size.
    everything = np.concatenate([mean, *(shapes[end] for _, *both in pairs for end in both)])
    caption = (
        "Released shape model, noise included; size 1; grey: the mean; blue and red: two standard deviations along a "
        f"mode either way, or {EXAGGERATED} times as far as the mean at either end of a covariate lies from it."
    )
    caption += ("" if model.shown else " No mode stands above the noise.") + look.words
    with style.open_figure("page", 3.0, caption) as figure:
        panels = figure.subplots(1, max(1, len(pairs)), squeeze=False)[0]
        for axes in panels:
            _line(axes, mean[:, X_AND_Y], look, "0.7", markersize=3)
            set_frame(axes, everything[:, X_AND_Y], RELEASED_MARGIN)
            axes.locator_params(nbins=3)
            axes.tick_params(labelsize=6)
            axes.set_xlabel("x (unit size)", fontsize=7)
        panels[0].set_ylabel("y (unit size)", fontsize=7)
        for axes, (name, *both) in zip(panels, pairs, strict=False):
            low, high = covariate_ends.get(name, released_model.AWAY_WORDS)
            axes.set_title(f"{name}\nblue {low}, red {high}", fontsize=7)
            for end, colour in zip(both, ENDS, strict=True):
                _line(axes, shapes[end][:, X_AND_Y], look, style.COLOURS[colour], markersize=3)
    return figure


def draw_change(change, look):
    """Return the picture of a released change of shapes: public center in grey, the exaggerated shape, arrows to it.

    Arrows are in colour where the change is beyond noise and chance.
    """
    of = f"{change.per} of {change.people:.0f} people"
    words = f"Mean difference{of}, noise included: grey, the public center; blue, with"
    return _draw_difference(
        as_landmarks(change.reference), as_landmarks(change.mean), change.comparison.exceeds, look, words
    )


def draw_comparison(first, second, comparison, look):
    """Return the picture of how two released means of shapes differ: one in grey, the other exaggerated, arrows to it.

    Arrows are in colour where the difference is beyond noise and chance.

    Parameters
    ----------
    first, second : Released
        Of shapes.
    comparison : released_model.Comparison
        Of both.
    look : Look
    """
    words = "Grey, the first released mean shape; blue, with"
    return _draw_difference(as_landmarks(first.mean), as_landmarks(second.mean), comparison.exceeds, look, words)


def _draw_difference(before, after, exceeds, look, words):
    """Return the Figure of `draw_change` and `draw_comparison`: landmarks (k, d) before, exaggerated ones after.

    Arrows lead from one to the other, in colour where `exceeds` says that the difference is sure.
    """
    after = before + EXAGGERATED * (after - before)
    sure = np.where(exceeds, style.COLOURS["vermilion"], "0.5")
    coloured = f"arrows in colour at the {np.mean(exceeds):.0%} of landmarks where it exceeds noise and chance."
    caption = (
        f"{words} {EXAGGERATED} times the difference; "
        f"{coloured if np.any(exceeds) else 'no arrow exceeds noise and chance.'}{look.words}"
    )
    views = list_views(before.shape[1])
    with style.open_figure("page" if len(views) > 1 else "column", 3.0, caption) as figure:
        panels = figure.subplots(1, len(views), squeeze=False)[0]
        for axes, (title, view) in zip(panels, views.items(), strict=True):
            _line(axes, before[:, view], look, "0.7")
            _line(axes, after[:, view], look, style.COLOURS["blue"], markersize=2)
            (x, y), (dx, dy) = before[:, view].T, (after - before)[:, view].T
            among = {"angles": "xy", "scale_units": "xy", "scale": 1, "width": 6e-3, "zorder": 4}
            axes.quiver(x, y, dx, dy, color=sure, **among)
            axes.set_title(title.removeprefix(", "))
            set_frame(axes, np.concatenate([before, after])[:, view], RELEASED_MARGIN)
            axes.set_axis_off()
    return figure


def _line(axes, landmarks, look, colour, **drawn):
    """Draw landmarks as `draw` has them; those of a closed contour as its line alone."""
    draw(axes, landmarks, look, color=colour, marker="" if look.closed else ".", **{"linewidth": 1.0, **drawn})


def draw_releases(panels, mean, words, look):
    """Return a Figure that compares what mechanisms would release: shapes in colour over the mean in black, one scale.

    A panel is a mechanism, a basis and a view.

    Parameters
    ----------
    panels : dict
        {(basis, mechanism, or a row without noise): (s, k, d) releases}.
    mean : (k, d) float
    words : str
        For the caption.
    look : Look
    """
    caption = (
        f"{words} 'Aligned' and 'unaligned' are the published forms, which are not private. Sampling error: means of "
        "as many records drawn again from these. Private."
    )
    shown = [(*panel, view) for panel in panels.items() for view in list_views(mean.shape[1]).items()]
    wide, tall, *_ = np.ptp(mean, axis=0)
    high = PANEL_WIDTH * min(tall / wide, 1 / NARROWEST) + LETTERING
    rows = -(-len(shown) // COLUMNS)
    with style.open_figure("page", high * rows + 0.9, caption) as figure:
        grid = figure.subplots(rows, COLUMNS, squeeze=False)
        for axes, ((basis, name), drawn, (seen, view)) in zip(grid.flat, shown, strict=False):
            set_frame(axes, mean[:, view], REACH)
            axes.locator_params(nbins=3)
            axes.tick_params(labelsize=6)
            for outline, colour in zip(drawn[..., view], style.COLOURS.values(), strict=False):
                _line(axes, outline, look, colour, linewidth=0.6, markersize=2, alpha=0.8)
            _line(axes, mean[:, view], look, style.COLOURS["black"], linewidth=0.8, markersize=2)
            label = MECHANISMS[name].label if name in MECHANISMS else name
            axes.set_title(f"{label}\n{basis}{seen}", fontsize=7)
            axes.set_xlabel(f"{'xyz'[view[0]]} (unit size)", fontsize=7)
        for axes in grid.flat[len(shown) :]:
            axes.set_visible(False)
        for axes in grid[:, 0]:
            axes.set_ylabel("y (unit size)", fontsize=7)
    return figure


def draw_distances(rows, apart, words):
    """Return a private Figure of how far mechanisms' releases lie from the true mean, for an operator to choose by.

    Parameters
    ----------
    rows : list of mapping
        Of the comparison.
    apart : float
        Mean distance of the records themselves from their mean, radian.
    words : str
        For the caption.
    """
    caption = f"Mean distance of a release from the true mean, with two standard errors. {words} Private."
    with style.open_figure("page", 0.26 * len(rows) + 1.3, caption) as figure:
        axes = figure.subplots()
        places = np.arange(len(rows))[::-1]
        for row, place in zip(rows, places, strict=True):
            # What gives no guarantee stands in another colour: it is no choice.
            private = not row["guarantee"].startswith("none")
            colour = style.COLOURS["blue" if private else "vermilion"]
            axes.errorbar(row["distance"], place, xerr=2 * row["distance_se"], fmt="o", color=colour, capsize=3)
        axes.axvline(apart, color=style.COLOURS["black"], linestyle="--", linewidth=1)
        axes.annotate("records from their mean", (apart, places[0] + 0.5), xytext=(3, 0), textcoords="offset points")
        names = (
            f"{MECHANISMS[row['mechanism']].label}, {row['basis']}; {row['guarantee']}"
            if row["mechanism"] in MECHANISMS
            else row["mechanism"]
            for row in rows
        )
        axes.set_yticks(places, list(names))
        axes.set(ylim=(-0.7, len(rows)), xlim=(0, None), xlabel="distance from the true mean (rad)")
    return figure


def draw_sample(drawn, mean, distances, look):
    """Return a Figure that shows how records vary: drawn shapes, their mean, and how far all records lie from it.

    Parameters
    ----------
    drawn : (n, k, d) float
        Shapes, turned to their mean.
    mean : (k, d) float
    distances : (m,) float
        Of all records, radian.
    look : Look
    """
    caption = (
        f"{len(drawn)} of {len(distances)} records turned to their mean, the mean itself with its landmarks, and how "
        "far each record lies from it. Shapes are centered and of size 1. Private."
    )
    views = list_views(mean.shape[1])
    shades = matplotlib.colormaps[style.SEQUENTIAL](np.linspace(0, 0.95, len(drawn)))
    with style.open_figure("page", 2.6 * len(views), caption) as figure:
        grid = figure.subplots(len(views), 3, width_ratios=(1.2, 1.2, 1), squeeze=False)
        for (title, view), (records, middle, _) in zip(views.items(), grid, strict=True):
            for outline, shade in zip(drawn[..., view], shades, strict=True):
                _line(records, outline, look, shade, linewidth=0.6, markersize=2)
            draw(middle, mean[:, view], look, color=style.COLOURS["black"], linewidth=1.0, markersize=3)
            for axes, name in ((records, "records"), (middle, "mean")):
                axes.set(title=name + title, xlabel=f"{'xyz'[view[0]]} (unit size)")
                set_frame(axes, np.concatenate([drawn, mean[None]])[..., view], SAMPLE_MARGIN)
            records.set_ylabel("y (unit size)")
        grid[0, 2].hist(distances, bins="fd", color=style.COLOURS["blue"])
        grid[0, 2].set(title="distances", xlabel="from the mean (rad)", ylabel="records (count)")
        for axes in grid[1:, 2]:
            axes.set_visible(False)
    return figure
