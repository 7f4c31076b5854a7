"""What reading a file gives."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Scan:
    """A point cloud or a mesh, as the file has it.

    points : (n, 3) float64, finite, no row twice, in the file's order and units
    triangles : (t, 3) int32 indices into points, corners distinct, in the file's orientation; None for a cloud
    notices : what a person should know about how the file was read, one sentence each
    """

    points: np.ndarray
    triangles: np.ndarray | None = None
    notices: tuple[str, ...] = ()
