"""The mechanisms for a mean shape by their names in the settings: the library's, and those of `registry`."""

from typing import Any

from shapedp.base.settings import registry
from shapedp.privacy.shapes.base import Ball
from shapedp.privacy.shapes.gaussian import Gaussian
from shapedp.privacy.shapes.learned import KNorm, Shaped
from shapedp.privacy.shapes.private_center import PrivateCenter
from shapedp.privacy.shapes.pure import Kng, Laplace, PointwiseLaplace, PublishedAligned, PublishedUnaligned

MECHANISMS = {
    mechanism_type.name: mechanism_type
    for mechanism_type in (
        *(Shaped, KNorm, PrivateCenter),
        *(Kng, Laplace, Gaussian, PointwiseLaplace, PublishedAligned, PublishedUnaligned),
    )
}


def make(
    name: str, ball: Ball, budget: dict, shrinks: bool = False, worth_it_anyway: bool = False, planned_for: Any = None
) -> Any:
    """Return the mechanism `name` with which a mean shape is released about `shapes.base.Ball`, or refuse it.

    It is refused before any record is read.

    Parameters
    ----------
    name : str
        Of the settings.
    ball : Ball
        What is public.
    budget : dict
        {"mu_total": number} or {"epsilon": number}.
    shrinks : bool
        Whether its release is shrunk towards the center.
    worth_it_anyway : bool
        Whether it is made even where it is foretold to be no better than the center.
    planned_for : int or None
        People whom axes and clip are chosen for; None: these.
    """
    mechanism_class = MECHANISMS[name] if name in MECHANISMS else registry.own_class("shapes", name)
    mechanism = mechanism_class(ball, budget, shrinks, planned_for)
    mechanism.check()
    # A part of what will be pooled is judged with the whole, not by itself.
    if not worth_it_anyway and planned_for is None:
        mechanism.check_worth()
    return mechanism


def list_mechanisms() -> dict[str, type]:
    """Return {name: class} of all mechanisms for shapes to choose from: the library's and one's own.

    One's own are those that settings or entry points name.
    """
    return MECHANISMS | {
        mechanism_class.name: mechanism_class for mechanism_class in registry.list_own_classes("shapes")
    }
