"""Discrete harmonic functions on a disk: what their values on the boundary determine.

With the interior first and the boundary last, L = [[L11, L12], [L21, L22]] is factored once. The last block of the
factors is the Schur complement S = L22 - L21 L11^-1 L12, which takes boundary values to their normal derivatives; the
same factors extend boundary values inwards, u = -L11^-1 L12 g, and give the harmonic measure of a vertex.
"""

import numpy as np
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import splu

from shapedp.surfaces import dissection

# Pivots stay on the diagonal, in the order given: L is symmetric and positive semi-definite.
IN_ORDER = {"permc_spec": "NATURAL", "diag_pivot_thresh": 0, "relax": 8, "panel_size": 8}
ANCHOR = 1.0  # weights are cotangents, of order 1 on any mesh


class Harmonic:
    """Harmonic functions for a Laplacian (n, n), in rows, and the boundary `loop` (B,).

    schur : (B, B) symmetric, rows sum to 0
    """

    def __init__(self, laplacian, points, loop):
        inner = np.setdiff1d(np.arange(len(points)), loop)
        inner = dissection.order(points, laplacian.indptr, laplacian.indices, inner)
        self._order = np.concatenate([inner, loop])
        self._count = len(loop)
        self._factor = _anchored_factor(laplacian, self._order)
        self._anchored_schur = self._last_block()
        self.schur = self._anchored_schur.copy()
        self.schur[-1, -1] -= ANCHOR

    def _last_block(self):
        """Of L U. The solver may swap independent eliminations, which leaves the boundary last; that is checked."""
        n, block = len(self._order), slice(-self._count, None)
        if not np.array_equal(self._factor.perm_c[block], np.arange(n - self._count, n)):
            raise RuntimeError(
                "scipy's SuperLU moved the boundary from the end of the order; the disk map needs it there"
            )
        schur = self._factor.L[block, block].toarray() @ self._factor.U[block, block].toarray()
        return (schur + schur.T) / 2

    def extend(self, values):
        """(n, k): the harmonic functions with `values` (B, k) on the loop."""
        right = np.zeros((len(self._order), values.shape[1]))
        right[-self._count :] = self._anchored_schur @ values
        extended = np.empty_like(right)
        extended[self._order] = self._factor.solve(right)
        extended[self._order[-self._count :]] = values
        return extended

    def measure(self, vertex):
        """(B,) weights, summing to 1: the value at an interior vertex is their mean of the values on the loop."""
        right = (self._order == vertex).astype(float)
        return self._anchored_schur @ self._factor.solve(right)[-self._count :]


def _anchored_factor(laplacian, order):
    """L U = L + ANCHOR e e' in the given order, e its last vertex: constants are no longer in its kernel.

    L is symmetric: its rows are its columns.
    """
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    rows = laplacian[order]
    columns = csc_matrix((rows.data, place[rows.indices], rows.indptr), shape=rows.shape)
    columns.sort_indices()
    columns.data[-1] += ANCHOR
    return splu(columns, **IN_ORDER, options={"SymmetricMode": True})
