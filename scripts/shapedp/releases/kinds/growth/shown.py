"""The files and the page of a growth: faces along the age, tables, a picture, a slider of age and a chart."""

from html import escape

import numpy as np
import scipy

from shapedp.base import writers
from shapedp.releases.figures import captions, face_means, render
from shapedp.releases.kinds.growth import released
from shapedp.releases.viewer.released_views import FACE_WORDS, collect_face_data, list_options
from shapedp.releases.viewer.view import Shown, fill_asset, make_view, pack_array, read_asset
from shapedp.surfaces import curve_mesh


def draw_growth(folder):
    """Yield the files shown beside a released growth: a PLY of the face at each knot's age, tables, and a picture.

    The picture has these faces side by side, a row a level.
    """
    growth = released.read(folder / released.FILE)
    shown = {name: curve_mesh.mesh(curves, growth.radii) for name, curves in growth.surfaces().items()}
    for name, (vertices, triangles) in shown.items():
        yield f"{name}.ply", writers.encode_surface(vertices, triangles, ".ply")
    yield "growth.csv", growth.table()
    yield "measures.csv", growth.measures_table()
    camera = render.fit_camera([vertices for vertices, _ in shown.values()], "three-quarter")
    by = growth.other.ends if growth.other else ("",)
    titles = [f"{growth.age.name} {age:g} {word}".rstrip() for age in growth.full.knots for word in by]
    seen = [
        render.write_on(render.render(vertices, triangles, camera), title, camera, captions.read_subject(folder).unit)
        for title, (vertices, triangles) in zip(titles, shown.values(), strict=True)
    ]
    levels = len(growth.others)
    rows = [np.hstack(seen[level::levels]) for level in range(levels)]
    yield "preview.png", face_means.put_over_scale(np.vstack(rows), None, captions.read_caption(folder))


def view_growth(growth, preview):
    """Return the View of a released growth for its page, on which a reader moves the mean face through the ages.

    Parameters
    ----------
    growth : ReleasedGrowth
        The release.
    preview : bytes
        PNG, shown where there is no WebGL.
    """
    middle, levels = growth.age.middle, growth.others

    data = collect_face_data(growth.at(middle), growth.radii, growth.band(middle))
    placed = lambda curves: pack_array(curve_mesh.mesh(curves, growth.radii)[0], "<f4")  # noqa: E731
    length = lambda field: float(np.sqrt(np.mean(field)))  # noqa: E731
    data["growth"] = {
        "ages": growth.ages.tolist(),
        "levels": list(levels),
        "reference": placed(growth.reference),
        "effects": [placed(growth.along(unit)) for unit in np.eye(growth.full.size)],
        "z": [[growth.z(age, other).tolist() for age in growth.ages] for other in levels],
        "known": [[length(growth.band(age, other) ** 2) for age in growth.ages] for other in levels],
        "velocity": [
            [length(np.sum(growth.velocity(age, other) ** 2, axis=1)) for age in growth.ages] for other in levels
        ],
        "apart": [growth.apart(age) for age in growth.ages],
        "measures": [[name, unit] for name, unit in zip(growth.measures.names, growth.measures.units, strict=True)],
        "charts": [np.round(chart, 5).tolist() for chart in np.moveaxis(growth.charts, 2, 0)],
        "quantiles": [float(scipy.special.ndtri(share)) for share in released.CENTILES.values()],
        "centiles": [f"{share:.0%}" for share in released.CENTILES.values()],
    }
    return make_view(
        "Growth", "faces", preview, FACE_WORDS, data, growth_section(growth), read_asset("growth.js", __package__)
    )


def growth_section(growth):
    """Return HTML of the part of a page that is a growth's own: the slider of age, its level, a chart of distances."""
    low, high = growth.full.knots[0], growth.full.knots[-1]
    levels = list_options(growth.other.levels if growth.other else ())
    level = f'<label>{escape(growth.other.name)} <select id="level">{levels}</select></label>\n' if levels else ""
    measures = list_options(growth.measures.names)
    chart = fill_asset("growth_chart.html", __package__, measures=measures) if measures else ""
    ends = {"low": f"{low:g}", "high": f"{high:g}", "middle": f"{growth.age.middle:g}"}
    words = {"name": escape(growth.age.name), "people": f"{growth.people:.0f}"}
    return fill_asset("growth.html", __package__, level=level, chart=chart, **ends, **words)


SHOWN = {released.FILE: Shown(draw_growth, released.read, view_growth, read_asset("reading.md", __package__))}
