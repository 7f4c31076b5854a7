"""How far a registered face may lie from the template, and how far it likely errs, for whoever looks through them."""

from shapedp.surfaces.human_face import face_marks, likely_error, relief

__all__ = ["face_marks", "likely_error", "relief"]
