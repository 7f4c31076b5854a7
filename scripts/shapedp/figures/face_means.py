"""Mean faces of a cohort: without privacy, private by mechanism and by budget, and laid over each other."""

import numpy as np

from shapedp.figures import face_sheet, panels, render, style
from shapedp.surfaces import curve_mesh

SIZE = (560, 690)  # pixels of one rendered picture
VIEWS = ("front", "three-quarter")
ROOM = 1.12  # of the first face's size, that a sheet shows
ROUND = 0.08  # of a face's size, that an overlay shows on each side of it
BLUE, RED = style.COLOURS["blue"], style.COLOURS["vermilion"]


def sheet(faces, radii, caption):
    """A Figure of faces side by side from two sides; faces : {title: curves (J, 3, m) in mm}.

    All at one scale, framed by the first; noise that reaches farther is cut off.
    """
    meshes = [curve_mesh.mesh(one, radii) for one in faces.values()]
    middle = meshes[0][0].mean(axis=0)
    framed = [middle + ROOM * (meshes[0][0] - middle)]
    return face_sheet.face_sheet(meshes, list(faces), VIEWS, SIZE, caption, framed=framed)


def two_means(pointwise, smoothed, radii, caption):
    """A Figure of the point-wise mean and the smoothed one from two sides, and their distance; (J, 3, m), mm."""
    meshes = [curve_mesh.mesh(one, radii) for one in (pointwise, smoothed)]
    apart = np.linalg.norm(meshes[0][0] - meshes[1][0], axis=1)
    most = float(np.quantile(apart, 0.99))
    shown = [("point-wise mean", meshes[0], {}), ("RKHS mean", meshes[1], {})]
    shown.append(("how far apart", meshes[1], {"colours": panels.heat(apart, most)}))
    with style.applied():
        made = style.figure("page", 5.6, caption)
        grid = made.subplots(2, 3)
        for row, view in zip(grid, VIEWS, strict=True):
            camera = render.fitted_camera([mesh[0] for mesh in meshes], view, SIZE)
            for axes, (title, mesh, drawn) in zip(row, shown, strict=True):
                panels.show(axes, mesh, camera, title if view == VIEWS[0] else "", **drawn)
        panels.heat_bar(made, grid[:, 2], most, style.label("distance of the two means", "mm"))
    return made


def overlays(first, others, caption):
    """A Figure of the first face's points under those of each other one, from the front, and their profiles.

    first : (title, curves (J, 3, m) in mm); others : {title: curves}; the frame is the first one's
    """
    name, below = first
    least, most = below.min(axis=(0, 2)), below.max(axis=(0, 2))
    low, high = least - ROUND * (most - least), most + ROUND * (most - least)
    with style.applied():
        made = style.figure("page", 5.6, caption)
        fronts, sides = made.subplots(2, len(others), sharey=True, sharex="row", squeeze=False)
        for front, side, (title, curves) in zip(fronts, sides, others.items(), strict=True):
            for one, colour, size in ((below, BLUE, 2.6), (curves, RED, 1.6)):
                front.scatter(one[:, 0], one[:, 1], s=size, color=colour, linewidths=0)
                side.plot(*_profile(one), color=colour, linewidth=1.1)
            front.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
            side.set(xlim=(low[2], high[2]), aspect="equal")
            front.set_title(title, color=RED, fontsize=9)
            front.set_xlabel(style.label("x", "mm"))
            side.set_xlabel(style.label("z", "mm"))
        for axes in (fronts[0], sides[0]):
            axes.set_ylabel(style.label("y", "mm"))
        made.suptitle(f"{name} (blue), and over it:", color=BLUE, fontsize=9, x=0.01, ha="left")
    return made


def _profile(curves):
    """(z, y) from the top to the bottom through the nose: of each curve the point nearest above, then below."""
    up, down = np.argmax(curves[-1, 1]), np.argmin(curves[-1, 1])
    line = np.concatenate([curves[::-1, :, up], curves[:, :, down]])
    return line[:, 2], line[:, 1]
