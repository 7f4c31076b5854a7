"""A face before it has curves: its triangulated mesh, its disk maps, and the surfaces that they parametrise."""

import numpy as np
from matplotlib.collections import LineCollection

from shapedp.figures import panels, render, shading, style

SIZE = (840, 1040)  # pixels of one rendered picture
NEARER = 4.5  # times, in a close-up
SPACING = np.arange(1, 11) / 10  # radii of the rings drawn on a surface
SPOKES = 32
NAMES = "before", "recentered"
LIGHT = np.array([-0.30, 0.40, 0.87])  # towards the light that shades a face's disk
NOSE = {"color": style.COLOURS["vermilion"], "markeredgecolor": "white", "markersize": 7, "marker": "o"}


def triangulated(vertices, triangles, nose, caption):
    """A Figure of a mesh (vertices (n, 3) in mm, turned to the viewer): the whole face, and its nose close by."""
    lines = [vertices[side] for side in sides(triangles)]
    far = render.fitted_camera([vertices], "front", SIZE)
    near = render.Camera(far.rotation, vertices[nose, :2], far.mm_per_pixel / NEARER, *SIZE)
    mesh = vertices, triangles
    with style.applied():
        made = style.figure("page", 4.85, caption)
        left, right = made.subplots(1, 2)
        words = f"{len(vertices):,} points, {len(triangles):,} triangles"
        panels.show(left, mesh, far, words, overlay=render.Overlay(lines, width=0.45))
        panels.show(right, mesh, near, "around the nose tip", 5, overlay=render.Overlay(lines, width=1.3))
        right.plot(SIZE[0] / 2, SIZE[1] / 2, linestyle="none", label="nose tip", **NOSE)
        right.legend(loc="lower right", frameon=True, edgecolor="none")
    return made


def sides(triangles):
    """(e, 2) the edges of a mesh, each once."""
    pairs = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    return np.unique(np.sort(pairs, axis=1), axis=0)


def radial_curves(vertices, triangles, f, radii, caption):
    """A Figure of a face as points (n, 3) and as a surface f (R, T, 3) with its radial curves, both in mm."""
    camera = render.fitted_camera([vertices, f.reshape(-1, 3)], "front", SIZE)
    with style.applied():
        made = style.figure("page", 4.85, caption)
        left, right = made.subplots(1, 2)
        column, row, _ = camera.project(vertices)
        left.scatter(column, row, s=2.5, c=_shade(vertices, triangles), cmap="bone", vmin=0, vmax=1.35, linewidths=0)
        left.set(xlim=(0, SIZE[0]), ylim=(SIZE[1], 0), aspect="equal")
        left.set_axis_off()
        left.set_title(f"{len(vertices):,} points")
        render.mark_scale(left, camera)
        overlay = render.Overlay(panels.rings(f, radii), width=1.8)
        panels.show(right, panels.whole(f), camera, f"surface with {len(radii)} radial curves", overlay=overlay)
    return made


def _shade(vertices, triangles):
    """(n,) how much light each vertex gets, 0 to 1."""
    return np.clip(shading.vertex_normals(vertices, triangles) @ LIGHT, 0, None)


def disks(mesh, nose, before, after, caption):
    """A Figure of the disk map before and after recentering, and of the surface that each parametrises.

    mesh : (vertices (n, 3) in mm, triangles (t, 3)); nose : index of its tip
    before, after : (z (n,), surface (R, T, 3) in mm)
    """
    camera = render.fitted_camera([mesh[0]], "front", SIZE)
    slanted = render.fitted_camera([mesh[0]], "three-quarter", SIZE)
    with style.applied():
        made = style.figure("page", 5.5, caption)
        grid = made.subplots(2, 3, width_ratios=(0.8, 1, 0.8))
        for row, name, seen, (z, f) in zip(grid, NAMES, (camera, slanted), (before, after), strict=True):
            panels.show(row[0], mesh, seen, "mesh")
            column, line, _ = seen.project(mesh[0][[nose]])
            row[0].plot(column, line, linestyle="none", label="nose tip", **NOSE)
            disk(row[1], z, mesh, nose)
            row[1].set_title(f"disk map, {name}")
            lines = render.Overlay(panels.rings(f, SPACING) + panels.spokes(f[8:], SPOKES), width=1.6)
            panels.show(row[2], panels.whole(f), camera, f"surface, {name}", overlay=lines)
        grid[0, 0].legend(loc="lower right", fontsize=7, handletextpad=0.1, borderpad=0.2)
    return made


def disk(axes, z, mesh, nose):
    """The triangles of a disk map on matplotlib axes, each point as bright as on the face, and the nose tip."""
    vertices, triangles = mesh
    look = {"shading": "gouraud", "cmap": "bone", "vmin": -0.5, "rasterized": True}
    axes.tripcolor(z.real, z.imag, triangles, _shade(vertices, triangles), **look)
    lines = np.stack([z[sides(triangles)].real, z[sides(triangles)].imag], axis=-1)
    axes.add_collection(LineCollection(lines, linewidths=0.1, colors=style.COLOURS["blue"], alpha=0.6, rasterized=True))
    axes.plot(z[nose].real, z[nose].imag, linestyle="none", **NOSE)
    axes.axhline(0, color=style.INK, linewidth=0.5)
    axes.axvline(0, color=style.INK, linewidth=0.5)
    axes.set(xlim=(-1.04, 1.04), ylim=(-1.04, 1.04), aspect="equal", xticks=(-1, 0, 1), yticks=(-1, 0, 1))
    axes.set_xlabel("u (disk, 1)")
    axes.set_ylabel("v (disk, 1)")
    axes.grid(visible=False)
