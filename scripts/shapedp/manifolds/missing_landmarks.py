"""Landmarks that a record lacks, where the public center and the public covariance expect them; record by record."""

import numpy as np

RIDGE = 1e-3  # of the covariance's mean variance: what landmarks vary by themselves


def filled(records, p0, covariance=None):
    """Records (n, k, d) with each missing landmark where p0 has it, once p0 is laid on the landmarks that are there;
    covariance (k d, k d) of deviations from p0: and moved as it goes with those. One with fewer than d + 1 landmarks is
    left as it is.
    """
    out = np.array(records, dtype=float)
    there = np.isfinite(out).all(axis=-1)
    for row in np.flatnonzero(~there.all(axis=1) & (there.sum(axis=1) > out.shape[2])):
        known = there[row]
        out[row, ~known] = _expected(p0, covariance, out[row, known], known)
    return out


def _expected(p0, covariance, points, known):
    """The missing landmarks of a record whose known ones are points: E[missing | known], by the turn and the scale that
    lay p0 on them.
    """
    from_mean, to_mean = p0[known].mean(axis=0), points.mean(axis=0)
    left, _, right = np.linalg.svd((p0[known] - from_mean).T @ (points - to_mean))
    left[:, -1] *= np.sign(np.linalg.det(left @ right))
    turn, size = left @ right, np.linalg.norm(points - to_mean)
    with np.errstate(all="ignore"):
        scale = size / np.linalg.norm(p0[known] - from_mean)
        expected = p0[~known]
        if covariance is not None:
            expected = expected + _moved(p0, covariance, (points - to_mean) @ turn.T / scale + from_mean, known)
        return (expected - from_mean) @ turn * scale + to_mean


def _moved(p0, covariance, points, known):
    """C_mk C_kk^-1 (points - p0), (missing, d)."""
    rows = np.repeat(known, p0.shape[1])
    ridge = RIDGE * np.trace(covariance) / len(covariance) * np.eye(rows.sum())
    off = np.nan_to_num(points - p0[known]).ravel()
    return (covariance[np.ix_(~rows, rows)] @ np.linalg.solve(covariance[np.ix_(rows, rows)] + ridge, off)).reshape(
        -1, p0.shape[1]
    )
