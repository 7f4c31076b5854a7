"""Scans from anywhere: files in, finite points and sound triangles out, or a refusal in words."""

from shapedp.readers.scans.reading import read
from shapedp.readers.scans.scan import Scan

__all__ = ["Scan", "read"]
