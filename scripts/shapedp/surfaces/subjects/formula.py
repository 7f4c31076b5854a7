"""Faces of a formula, a public population of surfaces that simulations draw from."""

from shapedp.surfaces.human_face.demo import faces

__all__ = ["faces"]
