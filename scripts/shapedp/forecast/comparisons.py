"""How many people a comparison of two groups takes, foretold from a public population alone."""

from shapedp.errors import RefusedRelease
from shapedp.model import groups, surface
from shapedp.model.mechanism import FaceModel

FIRST, STEPS, CLOSE = 1000, 8, 0.01  # people, and how the number is searched for: noise depends on it


def people_needed(variation, mu, scale):
    """Of each group, for `groups.SHIFT` mm over `groups.SHARE` of the face; a model of each at mu; scale : mm."""
    n = FIRST
    for _ in range(STEPS):
        before, fields = n, [scale**2 * one for one in surface.foretold(FaceModel.of(variation, n, mu))]
        n = groups.people_needed([fields, fields], [n, n], groups.SHIFT, groups.SHARE)
        if abs(n - before) <= CLOSE * n:
            break
    return n


def words(variation, mu, scale):
    """The same as a sentence."""
    try:
        return f"two groups, a face_model of each at mu = {mu:g}: {groups.words(people_needed(variation, mu, scale))}"
    except RefusedRelease as refused:
        return f"two groups: {refused}"
