"""The mechanisms for a mean shape by their names in the settings. To add one, add its class to `MECHANISMS`."""

from shapedp.errors import RefusedRelease
from shapedp.mechanisms.base import UNKNOWN
from shapedp.mechanisms.shapes.deviations import KNorm, Shaped
from shapedp.mechanisms.shapes.gaussian import Gaussian
from shapedp.mechanisms.shapes.kng import Kng
from shapedp.mechanisms.shapes.laplace import Laplace
from shapedp.mechanisms.shapes.pointwise import PointwiseLaplace, PublishedAligned, PublishedUnaligned
from shapedp.mechanisms.shapes.private_center import NothingPublic

MECHANISMS = {
    one.name: one
    for one in (
        *(Shaped, KNorm, NothingPublic),
        *(Kng, Laplace, Gaussian, PointwiseLaplace, PublishedAligned, PublishedUnaligned),
    )
}


def make(name, ball, budget, shrinks=False):
    """The mechanism called `name` for the public `shapes.ball.Ball`, or a refusal before any record is read.

    shrinks : whether its release is shrunk towards the center
    """
    if name not in MECHANISMS:
        raise RefusedRelease(UNKNOWN.format(name, ", ".join(MECHANISMS)))
    made = MECHANISMS[name](ball, budget, shrinks)
    made.check()
    return made
