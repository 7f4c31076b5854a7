"""Discrete harmonic functions on a disk: what their values on the boundary determine.

With the interior first and the boundary last, L = [[L11, L12], [L21, L22]]; eliminating the interior once leaves the
Schur complement S = L22 - L21 L11^-1 L12, which takes boundary values to their normal derivatives. The same factor
extends boundary values inwards, u = -L11^-1 L12 g, and moves weights on the vertices to the boundary.
"""

import numpy as np

from shapedp.errors import Rejected
from shapedp.surfaces import dissection, elimination


class Harmonic:
    """Harmonic functions for a Laplacian (n, n), in rows, and the boundary `loop` (B,).

    schur : (B, B) symmetric, rows sum to 0
    """

    def __init__(self, laplacian, points, loop):
        inside = np.ones(len(points), dtype=bool)
        inside[loop] = False
        graph = laplacian.indptr, laplacian.indices
        inner, blocks = dissection.order(points, *graph, np.flatnonzero(inside))
        self._order = np.concatenate([inner, loop])
        self.schur, *factor = elimination.eliminate(*graph, laplacian.data, self._order, blocks)
        if not np.isfinite(self.schur).all():
            raise Rejected(
                "degenerate",
                "the mesh has triangles too thin to compute with, as at the rim of glasses, single hairs or where two "
                "scans were merged; cut those off, or mesh the scan anew",
            )
        self._factor = blocks, *factor

    def extend(self, values):
        """(n, k): the harmonic functions with `values` (B, k) on the loop."""
        in_order = np.zeros((len(self._order), values.shape[1]))
        in_order[-len(values) :] = values
        elimination.extend(*self._factor, in_order)
        extended = np.empty_like(in_order)
        extended[self._order] = in_order
        return extended

    def measure(self, weights):
        """(B,) m with m . g = weights . u for every harmonic u (n,) with values g on the loop.

        A vertex's own weight gives its harmonic measure; the weights' sum is kept.
        """
        in_order = weights[self._order]
        elimination.move_outwards(*self._factor, in_order)
        return in_order[-len(self.schur) :]
