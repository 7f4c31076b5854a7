"""Scans from anywhere: files in, finite points and sound triangles out, or a refusal in words."""

from shapedp.scans.read import read
from shapedp.scans.scan import Scan
from shapedp.scans.write import write

__all__ = ["Scan", "read", "write"]
