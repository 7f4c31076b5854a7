"""The faces paper's figures on demo people: errors over people and budget, Table 1, smoothing; its Figures 4 to 10."""

import numpy as np

from shapedp.app.forecast.comparison import flatten_points
from shapedp.releases.curve_mechanisms import MECHANISMS
from shapedp.releases.figures import face_chain, face_means, render, style
from shapedp.reproduction import curve_population
from shapedp.reproduction.cells import summarise
from shapedp.reproduction.curve_experiments import CURVES
from shapedp.reproduction.drawn_spaces import draw_bars, title_panel
from shapedp.surfaces import curve_mesh
from shapedp.surfaces.subjects.formula import faces as demo

# Errors are shown as in the paper's Table 1, in 1e-4 of a face of unit area.
UNIT = 1e4
LOOKS = {
    "rkhs_paper": (style.COLOURS["vermilion"], "o"),
    "rkhs": (style.COLOURS["orange"], "s"),
    "matched": (style.COLOURS["sky"], "^"),
    "matched_joint": (style.COLOURS["blue"], "D"),
    "pointwise": (style.COLOURS["green"], "v"),
    "pointwise_literal": (style.COLOURS["purple"], "x"),
}
# Parts of the expected error; the last is the same whatever the mechanism.
PARTS = ("noise", "bias", "sampling")
VERSIONS = {
    "published": "settings as published (not private)",
    "corrected": "public bounds around a public template",
}
PEOPLE = (
    "Squared distance of private mean faces from the population's mean against the number of people, mu = "
    "2.97; markers: drawn releases, ± 2 SE; lines: expected, in closed form; dashed: a mean without noise or "
    "filter. Demo faces, J = 23 curves of 80 samples, rho = 1. The paper has n = 1,000 only (Table 1; vertical "
    "line). Left: tau and ranges from the data, mu = .2, .2, .55 a curve. Right: bounds from 40 other demo "
    "faces, best split of mu. Where lines level off, the bias of filter and clip is left. Noise point by point is "
    "that of the curves' points."
)
BUDGET = (
    "Squared distance of private mean faces from the population's mean against the total budget mu, n = 1,000 "
    "people, demo faces; markers: drawn releases, ± 2 SE; lines: expected. Vertical lines: the paper's mu = 2, 2.97 "
    "and 3 (its Figures 5, 6 and 8 show faces at these). Left: tau and ranges from the data, the paper's split "
    "of mu. Right: bounds from 40 other demo faces, best split. Noise point by point is that of the curves' points."
)
TABLE = (
    "Mean squared errors as in Table 1 for n = 1,000 of a population of demo faces. (a) point-wise mean of 7,057 "
    "vertices with noise; (b) private curves to its nearest vertex; (c) private curves to the RKHS mean. Means of "
    "drawn releases; SE smaller than the markers. Solid line: the paper's 5.30 for (b); its (a) are larger. Dotted: "
    "(b) of the plain mean curves, which measures the distance between vertices alone. Filled: mu = 3 for (a), "
    "2.97 for (b) and (c); open: mu = 2."
)
SMOOTHING = (
    "(a, b) Expected squared error per point for n = 1,000, mu = 2.97, against the factor on the paper's phi = "
    ".01, .01, .005 (vertical line): noise, and the bias. The published noise grows as 1/phi when phi falls; that "
    "which is added curve by curve and then filtered does not. (c) Distance of faces to surfaces made of J radial "
    "curves; the paper shows 16, 27 and 80 (Figure 3) and uses 23 (vertical line)."
)
ROWS = ("pointwise a", "pointwise_literal a", *(f"{mechanism} {column}" for column in "bc" for mechanism in CURVES))
PUBLISHED_B = 5.2989
SIZE = (560, 690)  # pixels of one rendered picture
RINGS = np.arange(1, 11) / 10  # drawn on a surface
SPOKES = 32
DEMO = "1,000 demo people in place of the paper's; scales from the data, as published: not private, and no release."


def curve_errors_people(results):
    """Draw errors of mean faces against the number of people, two panels: settings as published, and corrected."""
    return _draw_errors(results, "curve_size", "n", "people n (count)", PEOPLE, [1000])


def curve_errors_budget(results):
    """Draw errors of mean faces against the budget mu, two panels: settings as published, and corrected."""
    figure = _draw_errors(results, "curve_budget", "mu", "total budget mu (GDP)", BUDGET, [2, 2.9661, 3])
    for axes in figure.axes:
        _set_ticks(axes.xaxis, [0.5, 1, 2, 3, 5, 10])
    return figure


def _set_ticks(axis, values):
    """Plain numbers at these values of a logarithmic axis, and no other ticks."""
    axis.set_ticks(values, [f"{value:g}" for value in values])
    axis.set_ticks([], minor=True)


def curve_table(results):
    """Draw Table 1 of the faces paper as points on lines, published settings and corrected ones, beside its numbers."""
    people = results.settings("curve_table")[0]["people"]
    with style.open_figure("page", 4.0, TABLE) as figure:
        panels = figure.subplots(1, 2, sharex=True, sharey=True)
        for axes, version in zip(panels, VERSIONS, strict=True):
            for row, method in enumerate(ROWS):
                colour, _ = LOOKS[method.split()[0]]
                for mu, face in ((2.0, "none"), (3.0 if method.endswith("a") else 2.9661, colour)):
                    values = results.values("curve_table", method, version=version, mu=mu, people=people)
                    axes.plot(UNIT * summarise(values)[0], row, "o", color=colour, markerfacecolor=face)
            floor = results.values("curve_table", "mean b", version=version, mu=2.0, people=people)[0]
            axes.axvline(UNIT * floor, color=style.INK, linestyle=":", linewidth=1)
            axes.axvline(PUBLISHED_B, color=style.FAINT, linewidth=1)
            axes.set(xscale="log", xlabel="mean squared error (1e-4 of unit area)")
            # no letter: (a), (b), (c) are the table's columns
            axes.set_title(VERSIONS[version], loc="left", fontsize=9)
        names = (row.split() for row in ROWS)
        panels[0].set_yticks(
            range(len(ROWS)), [f"{MECHANISMS[mechanism].label} ({column})" for mechanism, column in names]
        )
        panels[0].invert_yaxis()
    return figure


def curve_smoothing(results):
    """Draw how smoothing trades noise for bias, published and corrected, and what the number of curves shows."""
    with style.open_figure("page", 3.6, SMOOTHING) as figure:
        panels = figure.subplots(1, 3)
        for axes, version, letter in zip(panels, VERSIONS, "ab", strict=False):
            for method in ("rkhs_paper", "matched"):
                colour, marker = LOOKS[method]
                factor, noise, _ = _read_series(
                    results, "curve_phi", "noise", "factor", version=version, mechanism=method
                )
                look = {"color": colour, "marker": marker, "markersize": 4}
                axes.loglog(factor, UNIT * noise, label=f"noise: {MECHANISMS[method].label}", **look)
            factor, bias, _ = _read_series(results, "curve_phi", "bias", "factor", version=version, mechanism="matched")
            axes.loglog(factor, UNIT * bias, "--", color=style.INK, label="bias of the filter and the clip")
            axes.axvline(1, color=style.FAINT, linewidth=1)
            axes.set_xlabel("factor on phi")
            title_panel(axes, letter, version)
        panels[0].set_ylabel("squared error (1e-4 of unit area)")
        counts, distance, _ = _read_series(results, "curve_count", "distance", "curves")
        panels[2].loglog(counts, distance, "o-", color=style.COLOURS["black"], markersize=4)
        panels[2].axvline(23, color=style.FAINT, linewidth=1)
        panels[2].set(xlabel="radial curves J", ylabel="distance to the face, rms (mm)")
        _set_ticks(panels[2].xaxis, [8, 16, 27, 80])
        _set_ticks(panels[2].yaxis, [0.02, 0.05, 0.1, 0.2, 0.5])
        title_panel(panels[2], "c", "number of curves")
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return figure


def _draw_errors(results, experiment, along, words, caption, marked):
    """Draw expected and drawn errors of each mechanism along a setting, for the faces paper's figures made again.

    marked : values of that setting that the paper has
    """
    with style.open_figure("page", 5.0, caption) as figure:
        panels = figure.subplots(1, 2, sharey=True)
        for axes, version, letter in zip(panels, VERSIONS, "ab", strict=True):
            for method, (colour, marker) in LOOKS.items():
                fixed = {"version": version, "mechanism": method}
                x, drawn, error = _read_series(results, experiment, "error", along, **fixed)
                parts = [_read_series(results, experiment, part, along, **fixed)[1] for part in PARTS]
                axes.plot(x, UNIT * sum(parts), color=colour, linewidth=1)
                look = {"marker": marker, "markersize": 4}
                draw_bars(axes, x, UNIT * drawn, UNIT * error, MECHANISMS[method].label, colour, **look)
            axes.plot(x, UNIT * parts[-1], "--", color=style.INK, label="mean of the people, no noise")
            for value in marked:
                axes.axvline(value, color=style.FAINT, linewidth=0.8, zorder=0)
            axes.set(xscale="log", yscale="log", xlabel=words)
            title_panel(axes, letter, VERSIONS[version])
        panels[0].set_ylabel("squared error per point (1e-4 of unit area)")
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return figure


def _read_series(results, experiment, method, along, **fixed):
    people = results.settings(experiment)[0]["people"]
    return results.series(experiment, method, along, people=people, **fixed)


def faces_figure_4(faces, steps):
    """Left and right of the paper's: the mean of the curves, smoothed, and the point-wise mean."""
    faces_by_title = {"mean of smoothed curves": faces.smooth, "point-wise mean": faces.mean}
    return _draw_sheet(faces, faces_by_title, f"Mean faces without noise, phi = .01, .01, .005. {DEMO}")


def faces_figure_5(faces, steps):
    """Draw the paper's Figure 5 on demo people: private faces, noise on points beside curves.

    Caption and text of the paper disagree on mu of the first.
    """
    faces_by_title = _title_pointwise(faces) | {"curves, mu = 2.9661": faces.private}
    words = "The paper's caption has mu = 2 on the left, its text 3; on the right 2.9961, its text 2.9661."
    return _draw_sheet(faces, faces_by_title, f"Private mean faces. {words} Noise of points: range/n. {DEMO}")


def faces_figure_6(faces, steps):
    """Draw the paper's Figure 6 on demo people: points of the point-wise mean, over them those of private faces."""
    largest_mu = max(faces.pointwise)
    private_faces = {
        f"point-wise, mu = {largest_mu:g}": faces.pointwise[largest_mu],
        "curves, mu = 2.9661": flatten_points(faces.private),
    }
    words = f"Blue: the point-wise mean; red: private faces, from the front and from the side. {DEMO}"
    with style.open_figure("page", 6.4, words) as figure:
        for row, (across, unit) in zip(figure.subplots(2, 2, sharey=True), ((0, "x"), (2, "z")), strict=True):
            for axes, (title, private) in zip(row, private_faces.items(), strict=True):
                for cloud, colour in ((faces.mean, "blue"), (private, "vermilion")):
                    axes.scatter(cloud[:, across], cloud[:, 1], s=1.2, color=style.COLOURS[colour], linewidths=0)
                axes.set_aspect("equal")
                axes.set_title(title if across == 0 else "", color=style.COLOURS["vermilion"])
                axes.set_xlabel(f"{unit} (mm)")
            row[0].set_ylabel("y (mm)")
    return figure


def faces_figure_8(faces, steps):
    """Draw point-wise noise at the two budgets."""
    words = f"Private mean faces with noise on every point's coordinates, range/n. {DEMO}"
    return _draw_sheet(faces, _title_pointwise(faces), words)


def faces_figure_10(faces, steps):
    """Draw the paper's Figure 10 on a demo person: the way of a face, from its points to the private mean."""
    mesh = steps.vertices, demo.triangles()
    camera = render.fit_camera([steps.vertices], "front", SIZE)
    lines = [steps.vertices[side] for side in face_chain.find_edges(demo.triangles())]
    level = render.fit_camera([steps.registered.reshape(-1, 3)], "front", SIZE)
    with style.open_figure("page", 6.0, f"The chain, one demo face, and the mean of 1,000. {DEMO}") as figure:
        first, second = figure.subplots(2, 3)
        render.show(first[0], mesh, camera, "1 mesh", lines=lines, width=0.5)
        upright = np.vdot(steps.z, steps.vertices[:, :2] @ [1, 1j])
        face_chain.draw_disk_map(first[1], steps.z * upright / abs(upright), mesh, int(np.argmin(abs(steps.z))))
        first[1].set_title("2 disk map, center at 0")
        for axes, f, title in ((first[2], steps.surface, "3 surface"), (second[0], steps.registered, "4 registered")):
            lines = render.trace_rings(f, RINGS) + render.trace_spokes(f, SPOKES)
            render.show(axes, render.mesh_surface(f), level, title, lines=lines, width=1.6)
        radii = curve_population.RADII
        lines, words = render.trace_rings(steps.registered, radii), f"5 {len(radii)} curves"
        render.show(second[1], render.mesh_surface(steps.registered), level, words, lines=lines, width=1.8)
        render.show(second[2], curve_mesh.mesh(faces.private, radii), level, "6 private mean, mu = 2.9661")
    return figure


def _title_pointwise(faces):
    return {f"point-wise, mu = {mu:g}": vertices for mu, vertices in faces.pointwise.items()}


def _draw_sheet(faces, faces_by_title, words):
    """Return a figure of faces from two sides, framed by the point-wise mean, so that sizes compare.

    faces_by_title : their curves (J, 3, m) or vertices (v, 3)
    """
    radii, triangles = curve_population.RADII, demo.triangles()
    meshes = [curve_mesh.mesh(face, radii) if face.ndim == 3 else (face, triangles) for face in faces_by_title.values()]
    return face_means.draw_face_sheet(meshes, list(faces_by_title), SIZE, words, framed=faces.mean)
