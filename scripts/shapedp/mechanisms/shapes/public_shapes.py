"""The shapes of a public set, from which is learned how shapes vary."""

from shapedp import landmarks
from shapedp.mechanisms.shapes.deviations import as_complex


def read(path, p0):
    """(m, k) complex landmarks of the public file, NaN where missing; None without a file. p0 : (k,)"""
    return None if path is None else as_complex(landmarks.read(path, landmarks.Layout(len(p0), 2)).shapes)
