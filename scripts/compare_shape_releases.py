"""Compare the mechanisms for a mean shape on these records: distance to the true mean, and self-crossings. Private."""

from shapedp import artifacts
from shapedp.figures import shapes, style
from shapedp.forecast import comparison
from shapedp.mechanisms.shapes import base
from shapedp.mechanisms.shapes.base import as_complex
from shapedp.runs.logs import logged, progress
from shapedp.storage import files

DRAWS = 200


def compare_shape_releases(shapes_path, mean_path, table_path, picture_path, **settings):
    """One row a mechanism and basis; the point-wise baseline once in its private and twice in its published form."""
    z, ball = base.read_cohort(shapes_path, **settings)
    with artifacts.reader(mean_path, artifacts.MEAN_SHAPE) as source:
        mean, apart = as_complex(source["mean"]), source["distances"].mean()
    mechanisms, rows = comparison.compared(ball), []
    for one in progress(mechanisms, len(mechanisms), "compare_shape_releases"):
        found = comparison.figures(mean, comparison.draws(one, z, DRAWS))
        said = {"mechanism": one.name, "modes": one.ball.modes, "guarantee": comparison.guarantee(one)}
        rows.append({**said, **found, "basis": one.basis_words})
    rows += [
        {**row, "basis": ""} for row in comparison.without_noise(z, None if ball.nothing_public else ball.p0, mean)
    ]
    files.write_text(table_path, _table(rows))
    style.save(shapes.distances(rows, apart, _words(ball)), picture_path)


def _table(rows):
    cells = ([value if isinstance(value, str | int) else f"{value:.4g}" for value in row.values()] for row in rows)
    return "\n".join("\t".join(map(str, line)) for line in [rows[0].keys(), *cells]) + "\n"


def _words(ball):
    return f"{DRAWS} seeded releases each; {ball.n} records, r = {ball.r:.3g} rad, p = {ball.modes} modes."


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        compare_shape_releases(
            snakemake.input.shapes,
            snakemake.input.mean,
            snakemake.output.table,
            snakemake.output.picture,
            **snakemake.params.shapes,
        )
