"""Discrete harmonic functions on a disk: what their values on the boundary determine.

With the interior first and the boundary last, L = [[L11, L12], [L21, L22]] is factored once. The last block of the
factors is the Schur complement S = L22 - L21 L11^-1 L12, which takes boundary values to their normal derivatives; the
same factors extend boundary values inwards, u = -L11^-1 L12 g, and give the harmonic measure of a vertex.
"""

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import splu

from shapedp.surfaces import dissection

# Pivots stay on the diagonal, in the order given: L is symmetric and positive semi-definite.
IN_ORDER = {"permc_spec": "NATURAL", "diag_pivot_thresh": 0, "relax": 8, "panel_size": 8}


class Harmonic:
    """Harmonic functions for a Laplacian (n, n) and the boundary `loop` (B,).

    schur : (B, B) symmetric, rows sum to 0
    """

    def __init__(self, laplacian, points, loop):
        inner = np.setdiff1d(np.arange(len(points)), loop)
        graph = laplacian.tocsr()
        inner = dissection.order(points, graph.indptr, graph.indices, inner)
        self._order = np.concatenate([inner, loop])
        self._count = len(loop)
        self._factor = splu(
            _anchored(graph[self._order][:, self._order], len(inner)), **IN_ORDER, options={"SymmetricMode": True}
        )
        self._anchored_schur = self._last_block()
        self.schur = self._anchored_schur.copy()
        self.schur[-1, -1] -= 1

    def _last_block(self):
        block = slice(-self._count, None)
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


def _anchored(laplacian, inner):
    """L + e e', e the last vertex: no longer singular. Weights are cotangents, hence of order 1 on any mesh.

    The solver may reorder a forest of eliminations; explicit zeros tie the parts of the interior to the first boundary
    vertex, so that there is one tree, whose order it keeps, and the boundary stays last.
    """
    n = laplacian.shape[0]
    label = connected_components(laplacian[:inner, :inner], directed=False)[1]
    ends = inner - 1 - np.unique(label[::-1], return_index=True)[1]
    tie = np.full(len(ends), inner)
    rows, columns = np.concatenate([[n - 1], ends, tie]), np.concatenate([[n - 1], tie, ends])
    values = np.concatenate([[1.0], np.zeros(2 * len(ends))])
    stored = laplacian.tocoo()
    return coo_matrix(
        (np.append(stored.data, values), (np.append(stored.row, rows), np.append(stored.col, columns))), shape=(n, n)
    ).tocsc()
