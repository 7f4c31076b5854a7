"""One face on its way: its mesh, its disk maps, the surfaces they parametrise, its registration, all at one glance."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.collections import LineCollection

from shapedp.base.errors import ConfigError, Rejected
from shapedp.base.settings import subjects
from shapedp.people import populations
from shapedp.releases.figures import render, shading, style
from shapedp.surfaces import curve_mesh, polar, scans
from shapedp.surfaces.chain.step import ChainSettings, Scan, refuse_other_settings, walk
from shapedp.surfaces.chain.steps import STEPS
from shapedp.surfaces.registration import srnf
from shapedp.surfaces.subjects.drawn import cells_of_drawn

# Pixels of one rendered picture.
MESH_SIZE = (840, 1040)
# Times as near as the whole face is the close-up of its center.
NEARER = 4.5
# Of the rings drawn on a surface: every tenth of the way to the rim.
RADII = np.arange(1, 11) / 10
SPOKES = 32
NAMES = "before", "recentered"
# Towards the light that shades a face's disk, from above and one side, so that relief shows.
LIGHT = np.array([-0.30, 0.40, 0.87])
NOSE = {"color": style.COLOURS["vermilion"], "markeredgecolor": "white", "markersize": 7, "marker": "o"}
REGISTRATION_SIZE = (700, 860)  # pixels of one rendered picture
# Share of the energy densities before registration that the colours span: a few points at the rim would pale the rest.
SHARE = 0.98
LAID_OVER = {"template": style.COLOURS["black"], "face": style.COLOURS["vermilion"]}
GLANCE_SIZE = (420, 520)  # pixels of one rendered picture
SHOWN_POINTS = 4000
# Curves at a glance.
SHOWN = 12


def draw_triangulation(vertices, triangles, nose, caption):
    """Return a Figure that shows how fine a face's mesh is: the whole face, and its center close by.

    Parameters
    ----------
    vertices : (n, 3) float
        In mm, turned to the viewer.
    triangles : (t, 3) int
    nose : int
        The vertex at the center.
    caption : str
    """
    lines = [vertices[side] for side in find_edges(triangles)]
    far = render.fit_camera([vertices], "front", MESH_SIZE)
    # The same direction, so that the eye finds the close-up in the whole.
    near = replace(far, center=vertices[nose, :2], mm_per_pixel=far.mm_per_pixel / NEARER)
    mesh = vertices, triangles
    with style.open_figure("page", 4.85, caption) as figure:
        left, right = figure.subplots(1, 2)
        words = f"{len(vertices):,} points, {len(triangles):,} triangles"
        render.show(left, mesh, far, words, lines=lines, width=0.45)
        render.show(right, mesh, near, "around the center", 5, lines=lines, width=1.3)
        right.plot(MESH_SIZE[0] / 2, MESH_SIZE[1] / 2, linestyle="none", label="center", **NOSE)
        right.legend(loc="lower right", frameon=True, edgecolor="none")
    return figure


def find_edges(triangles):
    """Return the edges (e, 2) of a mesh, each once."""
    pairs = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    return np.unique(np.sort(pairs, axis=1), axis=0)


def draw_radial_curves(vertices, triangles, f, radii, caption):
    """Return a Figure that shows what stands for a face: its points, and its surface with radial curves, both in mm.

    Parameters
    ----------
    vertices : (n, 3) float
    triangles : (t, 3) int
        Of the mesh whose points are shown.
    f : (R, T, 3) float
        The surface.
    radii : (J,) float
        Where its curves are taken.
    caption : str
    """
    camera = render.fit_camera([vertices, f.reshape(-1, 3)], "front", MESH_SIZE)
    with style.open_figure("page", 4.85, caption) as figure:
        left, right = figure.subplots(1, 2)
        column, row, _ = camera.project(vertices)
        left.scatter(column, row, s=2.5, c=_shade(vertices, triangles), cmap="bone", vmin=0, vmax=1.35, linewidths=0)
        left.set(xlim=(0, MESH_SIZE[0]), ylim=(MESH_SIZE[1], 0), aspect="equal")
        left.set_axis_off()
        left.set_title(f"{len(vertices):,} points")
        render.mark_scale(left, camera)
        words = f"surface with {len(radii)} radial curves"
        render.show(right, render.mesh_surface(f), camera, words, lines=render.trace_rings(f, radii), width=1.8)
    return figure


def _shade(vertices, triangles):
    """Return (n,) how much light each vertex gets, 0 to 1."""
    return np.clip(shading.find_vertex_normals(vertices, triangles) @ LIGHT, 0, None)


def draw_disks(mesh, nose, before, after, caption):
    """Return a Figure that shows what moving the nose tip to 0 does to a disk map and to the surface parametrised.

    Parameters
    ----------
    mesh : (vertices, triangles)
        (n, 3) in mm, and (t, 3).
    nose : int
        The vertex at the center.
    before, after : (z, surface)
        (n,) complex, and (R, T, 3) in mm.
    caption : str
    """
    camera = render.fit_camera([mesh[0]], "front", MESH_SIZE)
    slanted = render.fit_camera([mesh[0]], "three-quarter", MESH_SIZE)
    with style.open_figure("page", 5.5, caption) as figure:
        grid = figure.subplots(2, 3, width_ratios=(0.8, 1, 0.8))
        for row, name, seen, (z, f) in zip(grid, NAMES, (camera, slanted), (before, after), strict=True):
            render.show(row[0], mesh, seen, "mesh")
            column, line, _ = seen.project(mesh[0][[nose]])
            row[0].plot(column, line, linestyle="none", label="center", **NOSE)
            draw_disk_map(row[1], z, mesh, nose)
            row[1].set_title(f"disk map, {name}")
            lines = render.trace_rings(f, RADII) + render.trace_spokes(f, SPOKES)
            render.show(row[2], render.mesh_surface(f), camera, f"surface, {name}", lines=lines, width=1.6)
        grid[0, 0].legend(loc="lower right", fontsize=7, handletextpad=0.1, borderpad=0.2)
    return figure


def draw_disk_map(axes, z, mesh, nose):
    """Draw a disk map's triangles on axes, each point as bright as on the face so that features can be recognised.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
    z : (n,) complex
        The map.
    mesh : (vertices, triangles)
        (n, 3) and (t, 3).
    nose : int
        The vertex at the center.
    """
    vertices, triangles = mesh
    look = {"shading": "gouraud", "cmap": "bone", "vmin": -0.5, "rasterized": True}
    axes.tripcolor(z.real, z.imag, triangles, _shade(vertices, triangles), **look)
    lines = np.stack([z[find_edges(triangles)].real, z[find_edges(triangles)].imag], axis=-1)
    axes.add_collection(LineCollection(lines, linewidths=0.1, colors=style.COLOURS["blue"], alpha=0.6, rasterized=True))
    axes.plot(z[nose].real, z[nose].imag, linestyle="none", **NOSE)
    axes.axhline(0, color=style.INK, linewidth=0.5)
    axes.axvline(0, color=style.INK, linewidth=0.5)
    axes.set(xlim=(-1.04, 1.04), ylim=(-1.04, 1.04), aspect="equal", xticks=(-1, 0, 1), yticks=(-1, 0, 1))
    axes.set(xlabel="u (disk, 1)", ylabel="v (disk, 1)")
    axes.grid(visible=False)


def draw_registration(template, before, after, scale, energies, caption):
    """Return a Figure that shows what registration gains for one face, and how far it lowered the energies of all.

    It has the energy density before and after, and the face's curves over the template's.

    Parameters
    ----------
    template, before, after : (R, T, 3) float
        Surfaces of unit area on one grid.
    scale : float
        mm of their unit.
    energies : (n, 2) float
        Of each face, before and after.
    caption : str
    """
    grid = polar.polar_grid(*template.shape[:2])
    q, *others = (srnf.unit(srnf.normals(part, grid), 1.0) for part in (template, before, after))
    # The integral of this density over the disk is the energy that registration lowers.
    density = [np.sum((q - part) ** 2, axis=-1) for part in others]
    most = float(np.quantile(density[0], SHARE))
    framed = [scale * part.reshape(-1, 3) for part in (template, before, after)]
    camera = render.fit_camera(framed, "front", REGISTRATION_SIZE)
    with style.open_figure("page", 5.4, caption) as figure:
        shown, drawn = figure.subplots(2, 3, height_ratios=(1.15, 1))
        lines = render.trace_rings(scale * template, RADII)
        render.show(shown[0], render.mesh_surface(scale * template), camera, "template", lines=lines, width=1.4)
        for i, (words, f) in enumerate({"before": before, "after": after}.items(), start=1):
            title = f"{words}: energy {grid.integral(density[i - 1]):.3f}"
            colours = render.colour_heat(curve_mesh.at_vertices(density[i - 1]), most)
            render.show(shown[i], render.mesh_surface(scale * f), camera, title, colours=colours)
            _draw_curves_over_template(drawn[i], scale * template, scale * f, words)
        render.draw_heat_bar(figure, shown[2], most, "energy density (1)")
        named = drawn[2].legend(loc="upper left", bbox_to_anchor=(1.02, 1), fontsize=7, borderaxespad=0, handlelength=1)
        # It stands below the bar of colours, where there is room, and must not make the panels smaller.
        named.set_in_layout(False)
        # energy after against energy before, one dot a face; dots below the line were brought nearer
        axes, reach = drawn[0], 1.08 * energies.max()
        axes.plot([0, reach], [0, reach], color=style.FAINT, linewidth=0.8, linestyle=":", label="no change")
        axes.plot(*energies.T, ".", color=style.COLOURS["blue"], markersize=4, alpha=0.7, label="one face")
        axes.set(xlim=(0, reach), ylim=(0, reach), title=f"energies of {len(energies)} faces")
        axes.set(xlabel="energy, rotated only (1)", ylabel="energy, registered (1)")
        axes.legend(loc="upper left", fontsize=7)
    return figure


def turn_disk(f, gamma):
    """Return a surface after the rotation of the disk nearest to a reparametrisation, `before` in `draw_registration`.

    f(r, theta + a), a the argument of the integral of gamma times the conjugate of the identity; by Fourier series.

    Parameters
    ----------
    f : (R, T, 3) float
        The surface.
    gamma : (R, T, 2) float
        The reparametrisation.
    """
    rings, angles = f.shape[:2]
    r, theta = polar.radii(rings)[:, None], 2 * np.pi * np.arange(angles) / angles
    weights = polar.polar_grid(rings, angles).weights[:, None]
    a = np.angle(np.sum(weights * (gamma[..., 0] + 1j * gamma[..., 1]) * r * np.exp(-1j * theta)))
    waves = np.fft.rfft(f, axis=1)
    return np.fft.irfft(waves * np.exp(1j * a * np.arange(waves.shape[1]))[:, None], n=angles, axis=1)


def _draw_curves_over_template(axes, template, f, words):
    """Draw a face's curves over the template's on axes, so that one sees how well they lie on each other.

    The title has their distance.
    """
    for name, surface, width in (("template", template, 0.7), ("face", f, 0.9)):
        for i, ring in enumerate(render.trace_rings(surface, RADII)):
            axes.plot(*ring[:, :2].T, color=LAID_OVER[name], linewidth=width, label=None if i else name)
    axes.set(aspect="equal", title=f"{words}: {np.sqrt(np.mean(np.sum((f - template) ** 2, axis=-1))):.1f} mm apart")
    axes.set(xlabel="x (mm)", ylabel="y (mm)")


def _draw_scan_points(axes, points):
    """Draw some of a scan's points as they were read, the nearer the brighter, so that one sees what was scanned."""
    shown = points[:: max(1, len(points) // SHOWN_POINTS)]
    axes.scatter(shown[:, 0], shown[:, 1], s=0.6, c=shown[:, 2], cmap=style.SEQUENTIAL)
    axes.set(aspect="equal", title="points, the nearer the brighter", xlabel="x (scan units)", ylabel="y (scan units)")


def draw_rejected(name, points, words):
    """Return a Figure of a face that was rejected, for a person to see what was read, and why it was refused.

    Parameters
    ----------
    name : str
        Of the face.
    points : (n, 3) float or None
        None if nothing could be read.
    words : str
        Why.
    """
    with style.open_figure("page", 2.6 if points is None else 4.6, words) as figure:
        axes = figure.subplots()
        if points is None:
            axes.set_axis_off()
            axes.text(0.5, 0.5, "nothing could be read", ha="center", color=style.FAINT)
        else:
            _draw_scan_points(axes, points)
        axes.set_title(f"{name}: rejected")
    return figure


def _draw_surface_curves(axes, f, radii, title):
    """Draw a surface f (R, T, 3) with its radial curves, the panel of `draw_glance` for what is taken of a face."""
    camera = render.fit_camera([f.reshape(-1, 3)], "front", GLANCE_SIZE)
    axes.imshow(render.render(*render.mesh_surface(f), camera, lines=render.trace_rings(f, radii), width=1.0))
    axes.set_title(title)


def find_scan(name: str, cohort: str, settings: Mapping[str, Any], settings_source: str) -> Scan:
    """Return the Scan of the face of this name, so that it can be drawn at every step; refuse a name not in the cohort.

    Parameters
    ----------
    name : str
        Of the face.
    cohort : str
        `faces`, or a public one.
    settings : mapping
        Of the run.
    settings_source : str
        Where they come from, for the complaint that the face is not there.
    """
    members = {member.id: member for member in populations.find_cohort(settings["faces"], cohort, cells_of_drawn)}
    if name not in members:
        raise ConfigError(
            f"{settings_source}: no face '{name}' among its {cohort}; name the settings of the run: --config FILE"
        )
    return Scan(name, members[name].path, *members[name].scan_inputs[2:])


def draw_glance(scan: Scan, chain_settings: ChainSettings):
    """Return a Figure of a face at every step, by which a person judges what was made of it or why it was rejected.

    It is turned as the template stands.

    Parameters
    ----------
    scan : Scan
        The face.
    chain_settings : ChainSettings
        Settings of the chain, and what the steps share.
    """
    refuse_other_settings(chain_settings)
    try:
        points = scans.read(scan.path).points
    except Rejected:
        points = None
    (face,) = walk([scan], STEPS, chain_settings)
    if face.refusal:
        words = f"Rejected in {face.refusal.stage} ({face.refusal.code}): {face.refusal.reason}"
        return draw_rejected(scan.name, points, words)
    mesh, disk, surface, registered = (face.records[name] for name in ("mesh", "disk", "surface", "registered"))
    turn = registered["rotation"].T
    points, vertices = ((places - places.mean(axis=0)) @ turn for places in (points, mesh["vertices"]))
    caption = subjects.from_settings(chain_settings.settings).in_words(_write_caption(mesh, disk, registered))
    with style.open_figure("page", 5.6, caption) as figure:
        axes = figure.subplots(2, 3).ravel()
        _draw_scan_points(axes[0], points)
        camera = render.fit_camera([vertices], "front", GLANCE_SIZE)
        axes[1].imshow(render.render(vertices, mesh["triangles"], camera))
        axes[1].set_title("mesh")
        upright = _turn_upright(disk["z"], vertices - vertices[disk["nose_tip"]])
        draw_disk_map(axes[2], upright, (vertices, mesh["triangles"]), disk["nose_tip"])
        axes[2].set_title("disk map, turned upright")
        for panel, f, title in ((axes[3], surface["f"] @ turn, "surface"), (axes[4], registered["f"], "registered")):
            _draw_surface_curves(panel, f, curve_mesh.spread(f, SHOWN, "arc"), title)
        for panel in (axes[1], *axes[3:]):
            panel.set_axis_off()
        figure.suptitle(scan.name, fontsize=9, x=0.01, ha="left")
    return figure


def _turn_upright(z, vertices):
    """Return a disk map z (n,), whose turn is arbitrary, turned so that the face stands upright when it is drawn.

    It is turned to lie as the points (n, 3) about the center lie in x and y.
    """
    return z * np.exp(1j * np.angle(np.vdot(z, vertices[:, 0] + 1j * vertices[:, 1])))


def _describe_holes(count, largest):
    """Return in words how many holes were closed, and how large the largest was, for a picture's caption."""
    if count < 2:
        return f"a hole of {largest:.1%} of the area closed" if count else "no hole"
    return f"{count} holes closed, the largest {largest:.1%} of the area"


def _write_caption(mesh, disk, registered):
    """Return the caption of `draw_glance`: what of the face was kept, closed, found and reached, for who judges it."""
    points_kept = f"{mesh['points_kept']} of {mesh['points_read']} points kept"
    center = f"center {disk['nose_method']}, confidence {disk['nose_confidence']:.2f}"
    sentences = (*mesh["notices"].split("\n"), disk["nose_notice"])
    notices = "".join(f" Notice: {sentence}." for sentence in sentences if sentence)
    before, turned_alone, after = (registered[f"energy_{state}"] for state in ("before", "rotation_only", "after"))
    energy = f"{before:.3g} as it came, {turned_alone:.3g} turned, {after:.3g} registered"
    least = f"least Jacobian {registered['min_jacobian']:.2f}"
    holes = _describe_holes(mesh["holes_filled"], mesh["largest_hole"])
    return f"{points_kept}; {holes}; {center}; energy to the template {energy}, {least}.{notices} Private."
