"""The size of a release's noise at every point, and three draws of what else it could have been: all of it public.

The noise's covariance follows from n, mu and public inputs. Draws are simulated from it around the released face by an
ordinary seeded generator: post-processing, which costs nothing and keeps the same bytes when made again. They show how
far the truth may lie; they are no releases.
"""

import numpy as np

DRAWS, SEED = 3, 1


def fields(made, curves, scale):
    """{noise_sd, noise_mm, noise_draws} of a release (J, 3, m) by the mechanism `made`; scale : mm of the unit."""
    rng = np.random.default_rng(SEED)
    return {
        "noise_sd": made.noise_sd(),
        "noise_mm": scale * np.sqrt(made.point_variances().sum(axis=1)),
        "noise_draws": curves + np.array([made.simulated(rng) for _ in range(DRAWS)]),
    }


def withheld(found):
    """The same with nothing said: noise that is scaled to private data would tell of them."""
    return {name: np.full(np.shape(value), np.nan) for name, value in found.items()}
