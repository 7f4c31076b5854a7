"""Draw the KNG paper's pictures for these records, and compare the mechanisms on them. Private.

Releases are seeded draws about the true mean of these very records: nothing of it may be published.
"""

from shapedp.app.forecast import comparison
from shapedp.base import artifacts
from shapedp.base.runs.logs import logged, report_progress
from shapedp.base.storage import files
from shapedp.landmarks import public_objects
from shapedp.privacy.manifolds import landmark_shapes
from shapedp.privacy.shapes.base import as_complex, as_real
from shapedp.releases.figures import shapes, style

SHOWN, RELEASES = 40, 6  # records, releases a panel
DRAWS = 200  # releases of each mechanism that are compared
# Of the contour. It moves the public template by .018 rad, about as much as 16 modes do (.020).
BANDWIDTH = 0.015


def draw_shapes(shapes_path, mean_path, outlines_path, releases_path, links=(), **settings):
    """Draw the KNG paper's two figures of these records: a sample of them, and what each mechanism would release.

    Landmarks that are no contour (modes = 0) are joined along links only, and not smoothed.
    """
    with artifacts.reader(shapes_path, artifacts.SHAPES) as source:
        ok = source["ok"].astype(bool)
    z, ball = public_objects.read_cohort(shapes_path, **settings)
    with artifacts.reader(mean_path, artifacts.MEAN_SHAPE) as source:
        mean = landmark_shapes.align(as_real(ball.p0), source["mean"])
        distances = source["distances"]
    look = shapes.Look(ball.modes > 0, links)
    turned = landmark_shapes.align(mean, as_real(z[ok]))
    style.save(shapes.draw_sample(turned[:SHOWN], mean, distances, look), outlines_path)
    # modes, bandwidth
    rows = {"all landmarks": (0, None)}
    if look.closed:
        rows |= {"smoothed": (0, BANDWIDTH), f"{ball.modes} modes": (ball.modes, None)}
    cases = [
        (row, mechanism, bandwidth)
        for row, (modes, bandwidth) in rows.items()
        for mechanism in comparison.compared(ball)
        if mechanism.ball.modes == modes
    ]
    panels = {
        (row, mechanism.name): as_real(comparison.draws(mechanism, z, RELEASES, bandwidth))
        for row, mechanism, bandwidth in report_progress(cases, len(cases), "draw_shapes")
    }
    p0 = None if ball.nothing_public else ball.p0
    panels |= comparison.draw_without_noise(z, p0, mean, RELEASES)
    words = f"{RELEASES} seeded releases each over the true mean (black); {ball.n} records, r = {ball.r:.3g} rad."
    style.save(shapes.draw_releases(panels, mean, words, look), releases_path)


def compare_shape_releases(shapes_path, mean_path, table_path, picture_path, **settings):
    """Write and draw how far releases by each mechanism lie from the true mean, for an operator to choose by.

    They also say whether releases cross themselves. A row is a mechanism and a basis.
    """
    z, ball = public_objects.read_cohort(shapes_path, **settings)
    with artifacts.reader(mean_path, artifacts.MEAN_SHAPE) as source:
        mean, mean_distance = as_complex(source["mean"]), source["distances"].mean()
    mechanisms, rows = comparison.compared(ball), []
    for mechanism in report_progress(mechanisms, len(mechanisms), "compare_shape_releases"):
        figures = comparison.figures(mean, comparison.draws(mechanism, z, DRAWS))
        description = {
            "mechanism": mechanism.name,
            "modes": mechanism.ball.modes,
            "guarantee": comparison.guarantee(mechanism),
        }
        rows.append({**description, **figures, "basis": mechanism.basis_words})
    p0 = None if ball.nothing_public else ball.p0
    rows += [{**row, "basis": ""} for row in comparison.list_without_noise(z, p0, mean)]
    cells = ([value if isinstance(value, str | int) else f"{value:.4g}" for value in row.values()] for row in rows)
    files.write_table(table_path, [rows[0].keys(), *cells])
    words = f"{DRAWS} seeded releases each; {ball.n} records, r = {ball.r:.3g} rad, p = {ball.modes} modes."
    style.save(shapes.draw_distances(rows, mean_distance, words), picture_path)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        inputs, outputs, params = snakemake.input, snakemake.output, snakemake.params
        match params.step:
            case "draw_shapes":
                draw_shapes(
                    inputs.shapes, inputs.mean, outputs.outlines[0], outputs.releases[0], params.links, **params.shapes
                )
            case "compare_shape_releases":
                compare_shape_releases(inputs.shapes, inputs.mean, outputs.table, outputs.picture, **params.shapes)
