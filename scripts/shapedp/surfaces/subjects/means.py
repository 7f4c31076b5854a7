"""A template made of public scans of a subject: their mean."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shapedp.base.settings.subjects import FACE
from shapedp.surfaces.chain.step import Refusal, Scan

Mean = tuple[NDArray[np.float64], NDArray[np.int32], dict[str, Refusal], list[float]]


def build_mean(scans: Sequence[Scan], word: str) -> Mean:
    """Return the mean of public scans, of which `shapedp template` makes a cohort's own template.

    (vertices of the mean, triangles, {name: Refusal} of scans left out, how far each round moved it)

    Parameters
    ----------
    scans : sequence of Scan
        Public scans.
    word : str
        What they show, as `faces.subject` names it.
    """
    if word == FACE:
        from shapedp.surfaces.human_face import mean_face

        return mean_face.build_mean(scans)
    from shapedp.surfaces.chain import subject_template

    return subject_template.build_mean(scans, word)
