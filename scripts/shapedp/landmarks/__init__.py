"""Landmarks from files (TPS, NTS, Morphologika, MorphoJ, csv, 3D Slicer, npz, npy, h5) and the sheet beside them."""

from shapedp.landmarks.layout import Layout
from shapedp.landmarks.reading import Landmarks, files, read
from shapedp.landmarks.sheet import Sheet, read_sheet

__all__ = ["Landmarks", "Layout", "Sheet", "files", "read", "read_sheet"]
