"""One face at a glance: its points, its mesh, its disk map, its surface with radial curves, its registration."""

import numpy as np

from shapedp.figures import face_meshes, render, style
from shapedp.surfaces import curve_mesh

SIZE = (420, 520)  # pixels of one rendered picture
SHOWN_POINTS = 4000


def sheet(name, points, mesh, nose, disk, surface, registered, words):
    """A Figure of five panels and a line of figures, everything turned as the template stands.

    mesh : (vertices, triangles); nose : its tip; disk : z (n,); surface, registered : (curves (J, 3, m), radii)
    """
    with style.applied():
        made = style.figure("page", 5.6, words)
        axes = made.subplots(2, 3).ravel()
        _points(axes[0], points)
        _mesh(axes[1], *mesh, "mesh")
        face_meshes.disk(axes[2], disk, mesh, nose)
        axes[2].set_title("disk map")
        _curves(axes[3], *surface, "surface")
        _curves(axes[4], *registered, "registered")
        axes[5].set_axis_off()
        made.suptitle(name, fontsize=9, x=0.01, ha="left")
    return made


def _points(axes, points):
    shown = points[:: max(1, len(points) // SHOWN_POINTS)]
    axes.scatter(shown[:, 0], shown[:, 1], s=0.6, c=shown[:, 2], cmap=style.SEQUENTIAL)
    axes.set_aspect("equal")
    axes.set_title("points")
    axes.set_xlabel("x (scan units)")
    axes.set_ylabel("y (scan units)")


def rejected(name, points, words):
    """A Figure of a face that was rejected: what was read, and why it was refused; points : None if nothing was."""
    with style.applied():
        made = style.figure("page", 2.6 if points is None else 4.6, words)
        axes = made.subplots()
        if points is None:
            axes.set_axis_off()
            axes.text(0.5, 0.5, "nothing could be read", ha="center", color=style.FAINT)
        else:
            _points(axes, points)
        axes.set_title(f"{name}: rejected")
    return made


def _mesh(axes, vertices, triangles, title):
    axes.imshow(render.render(vertices, triangles, render.fitted_camera([vertices], "front", SIZE)))
    axes.set_axis_off()
    axes.set_title(title)


def _curves(axes, curves, radii, title):
    vertices, triangles = curve_mesh.mesh(curves, radii)
    lines = [np.vstack([ring, ring[:1]]) for ring in vertices[1:].reshape(len(radii), -1, 3)]
    camera = render.fitted_camera([vertices], "front", SIZE)
    axes.imshow(render.render(vertices, triangles, camera, overlay=render.Overlay(lines, width=1.0)))
    axes.set_axis_off()
    axes.set_title(title)
