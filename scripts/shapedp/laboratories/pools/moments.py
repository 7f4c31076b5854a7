"""The sums of models, which add up as they are, and what is stated of the people behind them."""

import numpy as np

from shapedp.base.errors import RefusedRelease
from shapedp.releases.protocol import DRAWN_FILE

# Standard deviations that no noise ever reaches.
NOISE_SDS = 50.0


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
    noise = first.find_noise_drawn()
    for source in sources:
        if source.drawn["noise"].shape != noise.shape or not np.allclose(source.drawn["noise"], noise, rtol=1e-6):
            raise RefusedRelease(
                f"{source.folder / DRAWN_FILE}: has other noise than {sources[0].folder}: a model splits its "
                "budget by n, so release each with the same `planned_for`, as a study plan does, and with the same "
                "version of shapedp"
            )
        largest = first.find_largest_drawn() + NOISE_SDS * noise
        is_beyond = np.abs(source.drawn["values"]) > largest
        if is_beyond.any():
            raise RefusedRelease(
                f"{source.folder / DRAWN_FILE}: holds {source.drawn['values'][is_beyond][0]:.3g}, which no sum of "
                f"{source.n} people is; ask its laboratory for the folder again"
            )
    model = first.for_pool(pooled.records, len(sources))
    return model, model.split_drawn(sum(source.drawn["values"] for source in sources))
