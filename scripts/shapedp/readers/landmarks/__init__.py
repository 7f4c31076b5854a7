"""Landmarks from files (TPS, NTS, Morphologika, MorphoJ, csv, 3D Slicer, npz, npy, h5) and the sheet beside them."""

from shapedp.readers.landmarks.reading import Landmarks, files, read
from shapedp.readers.landmarks.records import Layout
from shapedp.readers.landmarks.sheet import Sheet, count_rows, read_sheet

__all__ = ["Landmarks", "Layout", "Sheet", "count_rows", "files", "read", "read_sheet"]
