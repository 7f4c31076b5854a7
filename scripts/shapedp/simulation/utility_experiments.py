"""How near the releases are to the mean: the papers' figures, and growth in dimension, budget and sample size."""

import numpy as np

from shapedp.manifolds import frechet
from shapedp.mechanisms import euclidean_laplace
from shapedp.simulation import spaces
from shapedp.simulation.releases import Case

GROWTH_SIZE = 1000  # people, where n is not what varies
DRAWS = 10  # releases of each data set where growth is measured: the noise hardly depends on the data
MECHANISMS = ("kng", "laplace", "gaussian")


def accuracy(space, n, replicates, rng):
    """|mean - release| in the flat space, as the papers measure it; epsilon = 1 (2021 Figure 1 b, d; 2022 Figure 1)."""
    where = spaces.published(space)

    def measure(case):
        drawn = case.published_methods(space) | {"kng": case.kng(), "laplace": case.laplace()}
        found = {name: where.flat_distance(points, case.means[:, None]) for name, points in drawn.items()}
        for suffix, statistic in (
            ("_published", euclidean_laplace.PUBLISHED),
            ("", euclidean_laplace.FRECHET),
            ("_arithmetic", euclidean_laplace.ARITHMETIC),
        ):
            found |= case.flat_methods(suffix, statistic)
        return found

    return replicate(where, n, 1.0, replicates, rng, measure)


def dimension(family, order, replicates, rng):
    """Geodesic distance to the mean on S^d, P(k) or CP^m; n = 1000, epsilon = 1 (the Gaussian: delta = 1e-6)."""
    return replicate(spaces.family(family, order), GROWTH_SIZE, 1.0, replicates, rng, geodesic, DRAWS)


def budget(space, epsilon, replicates, rng):
    """The same on the papers' spaces over epsilon; n = 1000."""
    return replicate(spaces.published(space), GROWTH_SIZE, epsilon, replicates, rng, geodesic, DRAWS)


def sample_size(space, n, replicates, rng):
    """The same over n; epsilon = 1."""
    return replicate(spaces.published(space), n, 1.0, replicates, rng, geodesic, DRAWS)


def geodesic(case):
    """Distance on the manifold of each mechanism's release to the Fréchet mean."""
    return {name: case.space.manifold.dist(np.expand_dims(case.means, 1), getattr(case, name)()) for name in MECHANISMS}


def replicate(where, n, epsilon, replicates, rng, measure, draws=1):
    """Data sets drawn anew, their means, and what `measure` says of `draws` releases of each: {method: (replicates,)}.

    replicates : a multiple of draws
    """
    parts = []
    for count in spaces.chunks(replicates // draws, n, where):
        data = where.sample(rng, (count, n))
        means = frechet.mean(where.manifold, data).point
        parts.append(measure(Case(where, data, means, epsilon, rng, draws)))
    return {name: np.concatenate([part[name].ravel() for part in parts]) for name in parts[0]}
