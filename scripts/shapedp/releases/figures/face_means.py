"""Faces side by side at one scale: by number of curves, mean faces with and without privacy, the noise on a face."""

import textwrap

import matplotlib
import numpy as np
from PIL import Image, ImageDraw

from shapedp.releases.figures import render, shading, style
from shapedp.surfaces import curve_mesh

# Inches that a line of text takes.
LINE = 0.17
# Pixels of one rendered picture.
CURVES_SIZE = (640, 780)
COUNTS = 16, 27, 80
# Points of a drawn curve.
SAMPLES = 160
MEANS_SIZE = (560, 690)  # pixels of one rendered picture
# Times the size of the face that sets the frame; what reaches farther is cut off.
ROOM = 1.12
# Share of a face's size that an overlay shows on each side of it.
ROUND = 0.08
BLUE, RED = style.COLOURS["blue"], style.COLOURS["vermilion"]
# Pixels: height of the scale below the views, height of its bar, what is left free at the sides.
STRIP, BAR, NOISE_MARGIN = 90, 24, 40
# Pixels: height of the numbers under a bar, width of a letter, height of a line.
TICK, LETTER, LETTERS = 30, 11, 26
TICKS = 5
WITHHELD = "size of the noise withheld: it follows from the private data"
# Colours inward and outward, pale where nothing moves.
BOTH_WAYS = "RdBu_r"
INWARD_WORDS = "mm inward (blue) or outward (red), where more than noise and chance; arrows: three times as far"
NOTHING_SURE = "nowhere more than noise and chance; arrows: three times as far"
NOISE_WORDS = "mm that the noise moves a point, root mean square"
UNRELEASED_WORDS = "mm that noise, and what is not released, move a point, root mean square"


def draw_face_sheet(meshes, titles, size=MEANS_SIZE, caption=None, lines=None, framed=None):
    """Return a Figure in which faces can be compared: one column a mesh, one row a view, all at the same scale.

    Parameters
    ----------
    meshes : list of (vertices, triangles)
        (n, 3) and (t, 3) of each.
    titles : list of str
        One a mesh.
    size : (int, int)
        Pixels of one picture.
    caption : str, optional
    lines : list, optional
        Polylines on each mesh.
    framed : (n, 3) float, optional
        Vertices that set the frame, by default all; what reaches farther is cut off.
    """
    if len(titles) != len(meshes):
        raise ValueError(f"{len(meshes)} meshes need as many titles, got {len(titles)}")
    inside = [mesh[0] for mesh in meshes]
    if framed is not None:
        middle = framed.mean(axis=0)
        inside = [middle + ROOM * (framed - middle)]
    words = max(title.count("\n") + 1 for title in titles) + len(style.wrap_caption(caption or ""))
    height = style.WIDTHS["page"] / len(meshes) * size[1] / size[0] * len(render.VIEWS)
    with style.open_figure("page", height + LINE * words, caption) as figure:
        figure.get_layout_engine().set(w_pad=0.01, h_pad=0.03, wspace=0, hspace=0)
        axes = figure.subplots(len(render.VIEWS), len(meshes), squeeze=False)
        for row, view in zip(axes, render.VIEWS, strict=True):
            camera = render.fit_camera(inside, view, size)
            for ax, (vertices, triangles), drawn in zip(row, meshes, lines or [()] * len(meshes), strict=True):
                ax.imshow(render.render(vertices, triangles, camera, lines=drawn, width=1.2))
                ax.set_axis_off()
            render.mark_scale(row[0], camera)
        for ax, title in zip(axes[0], titles, strict=True):
            ax.set_title(title, fontsize=9)
    return figure


def draw_curve_counts(f, caption):
    """Return a Figure that shows how much of a surface different numbers of radial curves hold.

    Parameters
    ----------
    f : (R, T, 3) float
        The surface, mm.
    caption : str
    """
    spread = [curve_mesh.spread(f, count, "arc") for count in COUNTS]
    meshes = [curve_mesh.mesh(curve_mesh.extract(f, radii, SAMPLES), radii) for radii in spread]
    lines = [render.trace_rings(f, radii) for radii in spread]
    return draw_face_sheet(meshes, [f"J = {count}" for count in COUNTS], CURVES_SIZE, caption, lines)


def draw_coordinates(people, caption):
    """Return a private Figure of x, y and z along one radial curve, of one person and of many, who are registered.

    Parameters
    ----------
    people : (n, 3, m) float
        The curve of each, mm.
    caption : str
    """
    theta = np.linspace(0, 360, people.shape[-1] + 1)
    closed = np.concatenate([people, people[..., :1]], axis=-1)
    with style.open_figure("page", 3.7, caption) as figure:
        grid = figure.subplots(2, 3, sharex=True, sharey="col")
        rows = (closed[:1], "one person", 1.4, 1.0), (closed, f"{len(people)} people", 0.4, 0.45)
        for row, (shown, title, width, alpha) in zip(grid, rows, strict=True):
            for w, (axes, name) in enumerate(zip(row, "xyz", strict=True)):
                axes.plot(theta, shown[:, w].T, linewidth=width, alpha=alpha, color=BLUE)
                axes.set_title(f"{name}, {title}", fontsize=9)
                axes.set_ylabel(f"{name} (mm)")
        for axes in grid[1]:
            axes.set(xticks=(0, 90, 180, 270, 360), xlim=(0, 360), xlabel="angle (degree)")
    return figure


def draw_means(faces, radii, caption):
    """Return a Figure that compares mean faces, such as with and without privacy, from two sides, framed by the first.

    Parameters
    ----------
    faces : dict of str to (J, 3, m) float
        Curves by title, mm.
    radii : (J,) float
        Where they were taken.
    caption : str
    """
    meshes = [curve_mesh.mesh(face, radii) for face in faces.values()]
    return draw_face_sheet(meshes, list(faces), caption=caption, framed=meshes[0][0])


def draw_two_means(pointwise, smoothed, radii, caption):
    """Return a Figure that shows what smoothing does to a mean: point-wise, smoothed, and their distance.

    Parameters
    ----------
    pointwise, smoothed : (J, 3, m) float
        Curves, mm.
    radii : (J,) float
        Where they were taken.
    caption : str
    """
    meshes = [curve_mesh.mesh(mean, radii) for mean in (pointwise, smoothed)]
    apart = np.linalg.norm(meshes[0][0] - meshes[1][0], axis=1)
    # The farthest points of a rough mean would make all other colours pale.
    largest = float(np.quantile(apart, 0.99))
    shown = [("point-wise mean", meshes[0], {}), ("RKHS mean", meshes[1], {})]
    shown.append(("how far apart", meshes[1], {"colours": render.colour_heat(apart, largest)}))
    with style.open_figure("page", 5.6, caption) as figure:
        grid = figure.subplots(2, 3)
        for row, view in zip(grid, render.VIEWS, strict=True):
            camera = render.fit_camera([mesh[0] for mesh in meshes], view, MEANS_SIZE)
            for axes, (title, mesh, drawn) in zip(row, shown, strict=True):
                render.show(axes, mesh, camera, title if view == "front" else "", **drawn)
        render.draw_heat_bar(figure, grid[:, 2], largest, "distance of the two means (mm)")
    return figure


def draw_overlays(first, others, caption):
    """Return a Figure that shows how far faces lie from a first one: points from the front, and profiles.

    Parameters
    ----------
    first : (str, (J, 3, m) float)
        Its title and curves, mm; the frame is its own.
    others : dict of str to (J, 3, m) float
        Curves by title.
    caption : str
    """
    name, below = first
    least, most = below.min(axis=(0, 2)), below.max(axis=(0, 2))
    low, high = least - ROUND * (most - least), most + ROUND * (most - least)
    with style.open_figure("page", 5.6, caption) as figure:
        fronts, sides = figure.subplots(2, len(others), sharey=True, sharex="row", squeeze=False)
        for front, side, (title, curves) in zip(fronts, sides, others.items(), strict=True):
            for face, colour, size in ((below, BLUE, 2.6), (curves, RED, 1.6)):
                front.scatter(face[:, 0], face[:, 1], s=size, color=colour, linewidths=0)
                side.plot(*_find_profile(face), color=colour, linewidth=1.1)
            front.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
            side.set(xlim=(low[2], high[2]), aspect="equal")
            front.set_title(title, color=RED, fontsize=9)
            front.set_xlabel("x (mm)")
            side.set_xlabel("z (mm)")
        for axes in (fronts[0], sides[0]):
            axes.set_ylabel("y (mm)")
        figure.suptitle(f"{name} (blue), and over it:", color=BLUE, fontsize=9, x=0.01, ha="left")
    return figure


def _find_profile(curves):
    """Return a face's profile (z, y) from top to bottom through the center, the line by which `draw_overlays` compares.

    It has of each curve the point nearest above, then below.
    """
    up, down = np.argmax(curves[-1, 1]), np.argmin(curves[-1, 1])
    line = np.concatenate([curves[::-1, :, up], curves[:, :, down]])
    return line[:, 2], line[:, 1]


def colour_looks(looks, lengths, words):
    """Return the picture (h, w, 3) of a face in the colours of a length at each point, such as the noise, over a scale.

    It is seen as by the functions that `render.prepare_looks` gives; lengths that are withheld are named so.

    Parameters
    ----------
    looks : list of callable
        From `render.prepare_looks`.
    lengths : (n,) float
        At the vertices, mm; NaN where they are withheld, and then nothing is coloured.
    words : str
        What they are.
    """
    if np.isnan(lengths).any():
        return put_over_scale(np.hstack([lit() for lit in looks]), None, WITHHELD)
    most = float(lengths.max()) or 1.0
    return put_over_scale(
        np.hstack([lit(render.colour_heat(lengths, most), shading.EVEN) for lit in looks]), most, words
    )


def colour_both_ways(shares):
    """Return colours (..., 3) of shares between -1, blue, and 1, red."""
    return matplotlib.colormaps[BOTH_WAYS]((np.clip(shares, -1, 1) + 1) / 2)[..., :3]


def make_arrows(curves, moved):
    """Return polylines (2, 3), the arrows that show on a picture of a face where a change moves its curves.

    Parameters
    ----------
    curves, moved : (J, 3, m) float
        The curves, and their displacement.
    """
    places = curve_mesh.choose_arrow_places([curves.shape[-1]] * len(curves))
    return [np.stack([curves[j, :, k], curves[j, :, k] + moved[j, :, k]]) for j, points in places for k in points]


def put_over_scale(faces, most, words, least=0.0):
    """Return a picture of faces above the words that explain it, and above the bar of its colours where there is one.

    Parameters
    ----------
    faces : (h, w, 3) uint8
        The picture.
    most : float or None
        At the dark end of the bar; None for words alone.
    words : str
        What the colours say.
    least : float
        The other end over `most`: 0, or -1 where the colours go both ways.
    """
    width = faces.shape[1]
    # Written as pixels, since a PNG with a text chunk would not be let out.
    words = textwrap.fill(words, width // LETTER)
    room = STRIP if most is not None else STRIP - BAR - TICK
    strip = np.full((room + LETTERS * words.count("\n"), width, 3), 255, dtype=np.uint8)
    if most is not None:
        share = np.linspace(least, 1, width - 2 * NOISE_MARGIN)
        # The bar is coloured by the function that colours the face.
        colours = render.colour_heat(share, 1.0) if least == 0 else colour_both_ways(share)
        strip[:BAR, NOISE_MARGIN : width - NOISE_MARGIN] = 255 * colours
    picture = Image.fromarray(strip)
    pen, font = ImageDraw.Draw(picture), style.load_font(18)
    for share in () if most is None else np.linspace(least, 1, TICKS):
        at = NOISE_MARGIN + (share - least) / (1 - least) * (width - 2 * NOISE_MARGIN)
        pen.text((at, BAR + 4), f"{share * most:.2g}", fill="black", font=font, anchor="mt")
    at = room - STRIP + BAR + TICK
    pen.multiline_text((width / 2, at + 4), words, fill="black", font=font, anchor="ma", align="center", spacing=4)
    return np.vstack([faces, np.asarray(picture)])
