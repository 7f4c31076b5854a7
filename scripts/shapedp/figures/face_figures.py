"""The pictures of the faces paper for a cohort: curves, mechanisms side by side, noise against sampling error."""

import numpy as np

from shapedp.figures import face_sheet, render, style
from shapedp.surfaces import curve_mesh, curves

SIZE = (420, 520)  # pixels of one rendered picture
COORDINATES = "xyz"
ROOM = 1.25  # of the first face's size, that a sheet of mechanisms shows


def mechanisms(panels, radii, scale, caption):
    """A Figure of faces side by side from two sides; panels : {title: curves (J, 3, m)}.

    All at one scale in mm, framed by the first; noise that reaches farther is cut off.
    """
    meshes = [curve_mesh.mesh(one * scale, radii) for one in panels.values()]
    middle = meshes[0][0].mean(axis=0)
    frame = [middle + ROOM * (meshes[0][0] - middle)]
    return face_sheet.face_sheet(meshes, list(panels), size=SIZE, caption=caption, framed=frame)


def numbers_of_curves(f, scale, counts=(16, 27, 80)):
    """A Figure of one surface f (R, T, 3) drawn with different numbers of radial curves (the paper's Figure 3)."""
    meshes, overlays = [], []
    for count in counts:
        radii = curves.spread(f, count, "arc")
        vertices, triangles = curve_mesh.mesh(curves.extract(f, radii, 160) * scale, radii)
        rings = vertices[1:].reshape(count, -1, 3)
        meshes.append((vertices, triangles))
        overlays.append(render.Overlay([np.vstack([ring, ring[:1]]) for ring in rings], width=1.2))
    caption = "The template as a surface through J radial curves, each a closed curve around the nose tip."
    return face_sheet.face_sheet(meshes, [f"J = {n}" for n in counts], size=SIZE, caption=caption, overlays=overlays)


def coordinate_curves(people, curve, caption):
    """A Figure of x, y and z along one radial curve, of one person and of many; people : (n, J, 3, m)."""
    theta = np.degrees(2 * np.pi * np.arange(people.shape[-1]) / people.shape[-1])
    with style.applied():
        made = style.figure("page", 3.6, caption)
        axes = made.subplots(2, 3, sharex=True, sharey="col")
        for row, shown in zip(axes, (people[:1], people), strict=True):
            for w, panel in enumerate(row):
                panel.plot(theta, shown[:, curve, w].T, linewidth=0.5, alpha=0.5, color=style.COLOURS["blue"])
                panel.set_title(f"{COORDINATES[w]}, {len(shown)} {'person' if len(shown) == 1 else 'people'}")
        for panel in axes[1]:
            panel.set_xlabel(style.label("angle around the nose", "degree"))
        for panel in axes[:, 0]:
            panel.set_ylabel("coordinate (unit area)")
    return made


def noise_against_sampling(strengths, spread, scale):
    """A Figure: noise of each mechanism and the sampling error of the mean itself, both in mm, over n.

    strengths : {title: K in unit-area units times n}; spread : root mean square distance of people from their mean
    """
    n = np.geomspace(30, 10_000, 60)
    caption = (
        "Root mean square distance at a point. Solid: noise for privacy at mu = 2.97, falling as 1/n. Dashed:\n"
        "the error that the mean of n people has anyway, falling as 1/sqrt(n). Below it, noise hardly matters."
    )
    with style.applied():
        made = style.figure("column", 3.4, caption)
        axes = made.subplots()
        for title, k in strengths.items():
            axes.loglog(n, scale * k / n, label=title)
        axes.loglog(n, scale * spread / np.sqrt(n), "--", color=style.COLOURS["black"], label="sampling error")
        axes.set_xlabel(style.label("people n", "count"))
        axes.set_ylabel(style.label("error", "mm"))
        axes.legend(fontsize=6)
    return made
