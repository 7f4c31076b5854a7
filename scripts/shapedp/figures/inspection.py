"""One face at a glance: its points, its mesh, its disk map, its surface with radial curves, its registration."""

import numpy as np
from matplotlib.collections import LineCollection

from shapedp.figures import render, style
from shapedp.surfaces import curve_mesh

SIZE = (420, 520)  # pixels of one rendered picture
SHOWN_POINTS = 4000


def sheet(name, points, mesh, disk, surface, registered, words):
    """A Figure of five panels and a line of figures, everything turned as the template stands.

    mesh : (vertices, triangles); disk : z (n,); surface, registered : (curves (J, 3, m), radii)
    """
    vertices, triangles = mesh
    with style.applied():
        made = style.figure("page", 2.4, words)
        axes = made.subplots(1, 5)
        shown = points[:: max(1, len(points) // SHOWN_POINTS)]
        axes[0].scatter(shown[:, 0], shown[:, 1], s=0.3, c=shown[:, 2], cmap=style.SEQUENTIAL)
        axes[0].set_aspect("equal")
        axes[0].set_title("points")
        axes[0].set_xlabel("scan units")
        _mesh(axes[1], vertices, triangles, "mesh")
        _disk(axes[2], disk, triangles)
        _curves(axes[3], *surface, "surface")
        _curves(axes[4], *registered, "registered")
        made.suptitle(name, fontsize=9, x=0.01, ha="left")
    return made


def rejected(name, points, words):
    """A Figure of a face that was rejected: what was read, and why it was refused."""
    with style.applied():
        made = style.figure("page", 2.6, words)
        axes = made.subplots()
        if points is not None:
            shown = points[:: max(1, len(points) // SHOWN_POINTS)]
            axes.scatter(shown[:, 0], shown[:, 1], s=0.5, color=style.COLOURS["vermilion"])
            axes.set_aspect("equal")
        axes.set_xlabel("x (scan units)")
        axes.set_ylabel("y (scan units)")
        axes.set_title(f"{name}: rejected")
    return made


def _mesh(axes, vertices, triangles, title):
    axes.imshow(render.render(vertices, triangles, render.fitted_camera([vertices], "front", SIZE)))
    axes.set_axis_off()
    axes.set_title(title)


def _disk(axes, z, triangles):
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    edges = np.unique(np.sort(edges, axis=1), axis=0)
    lines = np.stack([z[edges].real, z[edges].imag], axis=-1)
    axes.add_collection(LineCollection(lines, linewidths=0.15, colors=style.COLOURS["blue"]))
    axes.plot(0, 0, "+", color=style.COLOURS["vermilion"], markersize=6)
    axes.set_xlim(-1.03, 1.03)
    axes.set_ylim(-1.03, 1.03)
    axes.set_aspect("equal")
    axes.set_title("disk map")


def _curves(axes, curves, radii, title):
    vertices, triangles = curve_mesh.mesh(curves, radii)
    lines = [np.vstack([ring, ring[:1]]) for ring in vertices[1:].reshape(len(radii), -1, 3)]
    camera = render.fitted_camera([vertices], "front", SIZE)
    axes.imshow(render.render(vertices, triangles, camera, overlay=render.Overlay(lines, width=1.0)))
    axes.set_axis_off()
    axes.set_title(title)
