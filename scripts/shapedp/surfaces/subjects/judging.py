"""How far a registered face may lie from the template, and how far it likely errs, for whoever looks through them."""

from shapedp.surfaces.human_face import likely_error, relief

__all__ = ["likely_error", "relief"]
