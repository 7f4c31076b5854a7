"""The sums of models, which add up as they are, and what is stated of the people behind them."""

from dataclasses import replace

import numpy as np

from shapedp.base.errors import RefusedRelease
from shapedp.releases.protocol import DRAWN_FILE


def combine_people_stated(sources, stated):
    """Return what a pooled model of shapes says of how people and public people vary, for its tables of distances.

    What the clips leave is that of all people; public people are those of the first source, alike in all. stated :
    each source's, none of an older file, and then the pooled model has not more than its moments tell
    """
    if not all(stated):
        return {}
    people = [source.n for source in sources]
    return stated[0] | {"kept_by_clip": np.average([model["kept_by_clip"] for model in stated], weights=people)}


def combine_models(sources, pooled, first):
    """Return (the model of all people, its noised moments): a pooled model is one of everybody.

    The sources' moments add up. first : the model of the first source
    """
    moments = first.moments
    z, q, leading = 1 + moments.p, moments.q, moments.leading
    sizes = z * q, z * z, leading**2
    noise = np.repeat(np.where(np.isfinite(moments.noise), moments.noise, 0.0), sizes)
    for source in sources:
        if source.drawn["noise"].shape != noise.shape or not np.allclose(source.drawn["noise"], noise, rtol=1e-6):
            raise RefusedRelease(
                f"{source.folder / DRAWN_FILE}: has other noise than {sources[0].folder}: a model splits its "
                "budget by n, so release each with the same `planned_for`, as a study plan does"
            )
    # Variances of the sources' noise add up: as if one release had been drawn at this mu.
    mu = first.mu / np.sqrt(len(sources))
    model = replace(first, n=pooled.records, mu=mu, moments=replace(moments, n=pooled.records, mu=mu))
    return model, split_moments(sum(source.drawn["values"] for source in sources), moments)


def split_moments(values, moments):
    """Return the three sums of a model's source as arrays, which its file holds one after the other."""
    z, q, leading = 1 + moments.p, moments.q, moments.leading
    m1, m2, m3 = np.split(values, np.cumsum([z * q, z * z]))
    return m1.reshape(z, q), m2.reshape(z, z), m3.reshape(leading, leading)
