"""Planar landmark shapes from files: .npz, .npy, .h5, .csv, .tsv, TPS and Morphologika."""

from shapedp.landmarks.reading import Landmarks, read

__all__ = ["Landmarks", "read"]
