"""Radial curves: a surface by few and by many of them, and their coordinates for one person and for many."""

import numpy as np

from shapedp.figures import face_sheet, panels, render, style
from shapedp.surfaces import curve_mesh, curves

SIZE = (640, 780)  # pixels of one rendered picture
COUNTS = 16, 27, 80
SAMPLES = 160  # points of a drawn curve
COORDINATES = "xyz"


def numbers_of_curves(f, caption, counts=COUNTS):
    """A Figure of one surface f (R, T, 3) in mm as seen through different numbers of radial curves."""
    meshes, overlays = [], []
    for count in counts:
        radii = curves.spread(f, count, "arc")
        meshes.append(curve_mesh.mesh(curves.extract(f, radii, SAMPLES), radii))
        overlays.append(render.Overlay(panels.rings(f, radii), width=1.2))
    titles = [f"J = {count}" for count in counts]
    return face_sheet.face_sheet(meshes, titles, size=SIZE, caption=caption, overlays=overlays)


def coordinate_curves(people, caption):
    """A Figure of x, y and z in mm along one radial curve, of one person and of many; people : (n, 3, m)."""
    theta = np.linspace(0, 360, people.shape[-1] + 1)
    closed = np.concatenate([people, people[..., :1]], axis=-1)
    with style.applied():
        made = style.figure("page", 3.7, caption)
        grid = made.subplots(2, 3, sharex=True, sharey="col")
        _coordinates(grid[0], theta, closed[:1], "one person", 1.4, 1.0)
        _coordinates(grid[1], theta, closed, f"{len(people)} people", 0.4, 0.45)
        for axes in grid[1]:
            axes.set(xticks=(0, 90, 180, 270, 360), xlim=(0, 360))
            axes.set_xlabel(style.label("angle", "degree"))
    return made


def _coordinates(row, theta, people, title, width, alpha):
    for w, axes in enumerate(row):
        axes.plot(theta, people[:, w].T, linewidth=width, alpha=alpha, color=style.COLOURS["blue"])
        axes.set_title(f"{COORDINATES[w]}, {title}", fontsize=9)
        axes.set_ylabel(style.label(COORDINATES[w], "mm"))
