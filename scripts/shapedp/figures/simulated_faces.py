"""Figures 4 to 6, 8 and 10 of the faces paper, on demo people: (curve_faces.Faces, curve_faces.Steps) -> Figure."""

import numpy as np

from shapedp.figures import face_meshes, face_sheet, panels, render, style
from shapedp.surfaces import curve_mesh

SIZE = (560, 690)  # pixels of one rendered picture
VIEWS = ("front", "three-quarter")
ROOM = 1.12  # of the mean face's size, that a sheet shows
RINGS = np.arange(1, 11) / 10  # drawn on a surface
SPOKES = 32
DEMO = "1,000 demo people in place of the paper's; scales from the data, as published: not private, and no release."


def figure_4(faces, steps):
    """Left and right of the paper's: the mean of the curves, smoothed, and the point-wise mean."""
    shown = {"mean of smoothed curves": _curves(faces, faces.smooth), "point-wise mean": _points(faces, faces.mean)}
    return _sheet(faces, shown, f"Mean faces without noise, phi = .01, .01, .005. {DEMO}")


def figure_5(faces, steps):
    """Private faces: noise on points, and curves. Caption and text of the paper disagree on mu of the first."""
    shown = {f"point-wise, mu = {mu:g}": _points(faces, one) for mu, one in faces.pointwise.items()} | {
        "curves, mu = 2.9661": _curves(faces, faces.private)
    }
    words = "The paper's caption has mu = 2 on the left, its text 3; on the right 2.9961, its text 2.9661."
    return _sheet(faces, shown, f"Private mean faces. {words} Noise of points: range/n. {DEMO}")


def figure_6(faces, steps):
    """Points of the point-wise mean, and over them those of the private faces."""
    most = max(faces.pointwise)
    others = {
        f"point-wise, mu = {most:g}": faces.pointwise[most],
        "curves, mu = 2.9661": np.moveaxis(faces.private, 1, 2).reshape(-1, 3),
    }
    words = f"Blue: the point-wise mean; red: private faces, from the front and from the side. {DEMO}"
    with style.applied():
        made = style.figure("page", 6.4, words)
        for row, (across, unit) in zip(made.subplots(2, 2, sharey=True), ((0, "x"), (2, "z")), strict=True):
            for axes, (title, points) in zip(row, others.items(), strict=True):
                for one, colour in ((faces.mean, "blue"), (points, "vermilion")):
                    axes.scatter(one[:, across], one[:, 1], s=1.2, color=style.COLOURS[colour], linewidths=0)
                axes.set_aspect("equal")
                axes.set_title(title if across == 0 else "", color=style.COLOURS["vermilion"])
                axes.set_xlabel(style.label(unit, "mm"))
            row[0].set_ylabel(style.label("y", "mm"))
    return made


def figure_8(faces, steps):
    """Point-wise noise at the two budgets."""
    shown = {f"point-wise, mu = {mu:g}": _points(faces, one) for mu, one in faces.pointwise.items()}
    return _sheet(faces, shown, f"Private mean faces with noise on every point's coordinates, range/n. {DEMO}")


def figure_10(faces, steps):
    """The way of a face, from its points to the private mean."""
    mesh = steps.vertices, faces.triangles
    camera = render.fitted_camera([steps.vertices], "front", SIZE)
    lines = [steps.vertices[side] for side in face_meshes.sides(faces.triangles)]
    level = render.fitted_camera([steps.registered.reshape(-1, 3)], "front", SIZE)
    with style.applied():
        made = style.figure("page", 6.0, f"The chain, one demo face, and the mean of 1,000. {DEMO}")
        first, second = made.subplots(2, 3)
        panels.show(first[0], mesh, camera, "1 mesh", overlay=render.Overlay(lines, width=0.5))
        upright = np.vdot(steps.z, steps.vertices[:, :2] @ [1, 1j])
        face_meshes.disk(first[1], steps.z * upright / abs(upright), mesh, int(np.argmin(abs(steps.z))))
        first[1].set_title("2 disk map, nose tip at 0")
        for axes, f, title in ((first[2], steps.surface, "3 surface"), (second[0], steps.registered, "4 registered")):
            drawn = render.Overlay(panels.rings(f, RINGS) + panels.spokes(f[8:], SPOKES), width=1.6)
            panels.show(axes, panels.whole(f), level, title, overlay=drawn)
        drawn = render.Overlay(panels.rings(steps.registered, faces.radii), width=1.8)
        panels.show(second[1], panels.whole(steps.registered), level, f"5 {len(faces.radii)} curves", overlay=drawn)
        panels.show(second[2], _curves(faces, faces.private), level, "6 private mean, mu = 2.9661")
    return made


def _curves(faces, curves):
    return curve_mesh.mesh(curves, faces.radii)


def _points(faces, vertices):
    return vertices, faces.triangles


def _sheet(faces, shown, words):
    """Faces from two sides, framed by the point-wise mean; noise that reaches farther is cut off."""
    middle = faces.mean.mean(axis=0)
    framed = [middle + ROOM * (faces.mean - middle)]
    return face_sheet.face_sheet(list(shown.values()), list(shown), VIEWS, SIZE, words, framed=framed)


FIGURES = {
    "faces_figure_4": figure_4,
    "faces_figure_5": figure_5,
    "faces_figure_6": figure_6,
    "faces_figure_8": figure_8,
    "faces_figure_10": figure_10,
}
