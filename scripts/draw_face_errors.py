"""Draw how the error of a private mean face falls with the number of people, foretold and measured. Private.

Noise is seeded and shown to nobody else, so it spends nothing.
"""

import numpy as np

from shapedp import artifacts
from shapedp.chain import cohort
from shapedp.figures import charts, style
from shapedp.forecast import comparison
from shapedp.mechanisms import curve_mechanisms, integer_sums, noise
from shapedp.mechanisms.curves import bounds
from shapedp.runs.logs import logged

SEED, DRAWS = 24, 8
BUDGET = {"mu_total": 2.9661}
MECHANISMS = "matched_joint", "matched", "rkhs", "pointwise"
SHARES = 1 / 8, 1 / 4, 1 / 2, 1  # of the cohort, whose means are released
LEAST = 4  # people


def draw_face_errors(curves_path, template_path, bounds_path, kernel_settings, picture_path):
    """The error of a release of n people is its distance to their own point-wise mean."""
    with artifacts.reader(template_path, artifacts.TEMPLATE) as source:
        template, scale = source["curves"], source["scale"]
    limits, _ = bounds.load(bounds_path)
    source = noise.SeededNoise(SEED)
    foretold, measured = {}, {}
    with artifacts.reader(curves_path, artifacts.CURVES) as stack:
        count = len(stack["ok"])
        read = cohort.reader_of_rows(stack, np.arange(count), template)
        mean = _mean(read, count)
        spread = np.sqrt(
            sum(np.sum((read(*chunk) - mean) ** 2) for chunk in integer_sums.chunks(count)) / mean[:, 0].size
        )
        for name in MECHANISMS:
            label = curve_mechanisms.MECHANISMS[name].label
            measured[label] = []
            for n in sorted({max(LEAST, round(share * count)) for share in SHARES}):
                made = curve_mechanisms.make(name, template.shape, n, limits, template, BUDGET, kernel_settings)
                foretold[label] = scale * n * np.sqrt(np.mean(made.variances().sum(axis=1)))
                measured[label].append((n, scale * _error(made, read, n, source)))
    words = (
        f"mu = 2.97, bounds around the template. Lines: noise alone, foretold. Markers: distance of {DRAWS} drawn "
        "releases of the cohort's first n people from their own mean; smoothing and clipping may lift them off the "
        "line. Dashed: how far the mean of n people is from that of everybody like them; below it noise hardly "
        "matters. Private."
    )
    made = charts.error_against_people(foretold, measured, scale * spread / np.sqrt(count), words)
    style.save(made, picture_path)


def _mean(read, n):
    return sum(read(*chunk).sum(axis=0) for chunk in integer_sums.chunks(n)) / n


def _error(made, read, n, source):
    """Root mean square distance, over points and draws, of releases of the first n people from their mean."""
    mean, sums = _mean(read, n), integer_sums.total(made, read, n)
    drawn = [made.draw(sums, source) for _ in range(DRAWS)]
    return np.sqrt(np.mean([comparison.mean_square(one, mean) for one in drawn]))


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        draw_face_errors(
            snakemake.input.curves,
            snakemake.input.template,
            snakemake.input.bounds,
            snakemake.params.kernel,
            snakemake.output[0],
        )
