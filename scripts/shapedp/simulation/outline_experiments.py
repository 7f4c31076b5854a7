"""2022, Figures 2 and 3: private mean outlines, on the demo outlines in place of the corpora callosa.

As published: p0 the mean and r the largest distance to it, both taken from the data, which is not private. As proved:
public p0 (the demo's template) and r, in few Fourier modes of the contour (`mechanisms.contour`).
"""

import numpy as np

from shapedp.demo import outlines as demo
from shapedp.manifolds import frechet
from shapedp.manifolds.kendall import Kendall, shape_of, shapes_of
from shapedp.manifolds.projective import ComplexProjective
from shapedp.mechanisms import contour, kng, local_linear, pointwise_laplace, sensitivity

COUNT, SEED = 409, 2022  # as many outlines as the paper has; the demo's seed
SAMPLES = 10  # outlines of the left panel
EPSILON = 1.0
PUBLIC_RADIUS, MODES = 0.2, 16  # config.yaml, shapes.radius and shapes.modes
BANDWIDTH = 0.02  # of the smoother, in contour lengths: the distance of neighbouring landmarks
# KNG at the papers' scales, of which none is printed for shapes: {method: (times, reach)}
KNG = {"kng_once": (1, 2), "kng_twice": (2, 2), "kng_once_r": (1, 1), "kng_twice_r": (2, 1)}
OTHERS = ("pointwise", "unaligned", "kng_proved")
DRAWN = ("kng_once", "kng_twice", *OTHERS)  # of which pictures are made


def population():
    """Demo outlines as shapes (n, k), turned as they were recorded, and the public shape (k,)."""
    landmarks, _ = demo.population(COUNT, SEED)
    return shapes_of(landmarks), shape_of(demo.template())


def population_about_the_mean():
    """The outlines (n, k), their Fréchet mean, and r, the largest distance to it, as the paper takes it."""
    z, p0 = population()
    space = Kendall(z.shape[-1])
    mean = space.align(p0, frechet.mean(space, z).point)
    return z, mean, float(space.dist(mean, z).max())


def draw(method, z, p0, mean, size, rng):
    """`size` releases of the mean shape: (size, k)."""
    if method in KNG:
        space = Kendall(z.shape[-1])
        r = float(space.dist(mean, z).max())
        sigma = sensitivity.published_scale(space, sensitivity.KNG, r, len(z), EPSILON, *KNG[method]).sigma
        return kng.sample(space, z, mean, r, sigma, rng, size, mean)[0]
    if method == "kng_proved":
        u = contour.basis(z.shape[-1], MODES)
        space = ComplexProjective(MODES - 1)
        points, center = contour.to_basis(u, z), contour.to_basis(u, p0)
        released, _ = kng.draw(space, points, center, PUBLIC_RADIUS, EPSILON, rng, size)
        return contour.from_basis(u, released.points)
    return pointwise_laplace.published(z, mean, EPSILON, rng, size, aligned=method == "pointwise")


def outlines(replicates, rng):
    """Pictures: each entry is one outline, x_1..x_k then y_1..y_k, of size 1; releases are turned to the mean."""
    z, mean, _ = population_about_the_mean()
    p0, space = shape_of(demo.template()), Kendall(z.shape[-1])
    found = {f"sample_{i}": _plane(z[i]) for i in range(SAMPLES)} | {"mean": _plane(mean)}
    for method in DRAWN:
        released = draw(method, z, p0, mean, replicates, rng)
        smoothed = local_linear.smooth(released, BANDWIDTH)
        for i in range(replicates):
            found[f"{method}_{i}"] = _plane(space.align(mean, released[i]))
            found[f"{method}_smoothed_{i}"] = _plane(space.align(mean, smoothed[i]))
    return found


def shape_accuracy(replicates, rng):
    """Shape distance to the mean (radian), before and after smoothing, and crossings of the contour with itself."""
    z, mean, _ = population_about_the_mean()
    p0, space = shape_of(demo.template()), Kendall(z.shape[-1])
    found = {}
    for method in (*KNG, *OTHERS):
        released = draw(method, z, p0, mean, replicates, rng)
        for suffix, shapes in (("", released), ("_smoothed", local_linear.smooth(released, BANDWIDTH))):
            found[method + suffix] = space.dist(mean, space.project(shapes))
            found[f"{method}{suffix}_crossings"] = contour.crossings(shapes)
    return found


def _plane(z):
    return np.concatenate([z.real, z.imag])
