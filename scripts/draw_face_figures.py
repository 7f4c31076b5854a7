"""Draw the faces paper's pictures for this cohort: every mechanism side by side, curves, noise against sampling error.

Private: the pictures hold means and people without noise; noise in them is seeded, so they spend nothing.
"""

from pathlib import Path

import numpy as np

from shapedp import artifacts, stacks
from shapedp.figures import face_figures, style
from shapedp.logs import logged
from shapedp.mechanisms import bounds, curve_mean, curve_mechanisms, noise, smoothing

SEED = 23
SHOWN = {  # title: mechanism, bounds, budget
    "matched_joint,\ntemplate": ("matched_joint", "template", {"mu_total": 2.9661}),
    "rkhs,\ntemplate": ("rkhs", "template", {"mu": [0.2, 0.2, 0.55]}),
    "rkhs_paper,\nno reference": ("rkhs_paper", "none", {"mu": [0.2, 0.2, 0.55]}),
    "pointwise": ("pointwise", "template", {"mu_total": 2.9661}),
}
MANY, CURVE = 100, 11


def draw_face_figures(curves_path, template_path, bounds_paths, kernel_settings, folder):
    """bounds_paths : {"template": ..., "none": ...}"""
    with artifacts.reader(template_path, artifacts.TEMPLATE) as source:
        template, radii, scale, f = (source[key] for key in ("curves", "radii", "scale", "f"))
    with artifacts.reader(curves_path, artifacts.CURVES) as stack:
        n = len(stack["ok"])
        read = stacks.reading(stack, np.arange(n), template)
        mean = sum(read(*chunk).sum(axis=0) for chunk in curve_mean.chunks(n)) / n
        square = sum(np.sum((read(*chunk) - mean) ** 2) for chunk in curve_mean.chunks(n)) / n
        made = {
            title: _mechanism(bounds_paths, mean.shape, n, kernel_settings, *asked) for title, asked in SHOWN.items()
        }
        drawn = {title: _release(one, read, n) for title, one in made.items()}
        some = read(0, min(n, MANY))
    folder = Path(folder)
    smooth = smoothing.smooth(mean, smoothing.filters(mean.shape[-1], **kernel_settings))
    panels = {"mean,\nnot private": mean, "RKHS mean,\nnot private": smooth, **drawn}
    words = (
        f"{n} people, mu = 2.97, bounds from a public set (template) or the data (none); seeded noise, not a release."
    )
    style.save(face_figures.mechanisms(panels, radii, scale, words), folder / "mechanisms")
    style.save(face_figures.numbers_of_curves(f, scale), folder / "numbers_of_curves")
    words = f"Curve {CURVE + 1} of {len(radii)} from the nose; registered, so that features stand at the same angle."
    style.save(face_figures.coordinate_curves(some, CURVE, words), folder / "coordinate_curves")
    strengths = {
        title.replace("\n", " "): n * np.sqrt(np.mean(one.variances(n).sum(axis=1))) for title, one in made.items()
    }
    spread = np.sqrt(square / mean[:, 0].size)
    style.save(face_figures.noise_against_sampling(strengths, spread, scale), folder / "noise_against_sampling")


def _mechanism(bounds_paths, shape, n, kernel_settings, name, reference, budget):
    limits, subtracted = bounds.load(bounds_paths[reference])
    subtracted = subtracted if reference == "template" else None
    return curve_mechanisms.make(name, shape, n, limits, subtracted, budget, kernel_settings)


def _release(made, read, n):
    sums = curve_mean.total(made, read, n)
    return curve_mean.release(made, sums, n, noise.SeededNoise(SEED))[0]


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        draw_face_figures(
            snakemake.input.curves,
            snakemake.input.template,
            {"template": snakemake.input.around_template, "none": snakemake.input.around_nothing},
            snakemake.params.kernel,
            Path(snakemake.output[0]).parent,
        )
