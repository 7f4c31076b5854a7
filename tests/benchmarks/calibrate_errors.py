"""Learn what `likely_error` states: `python tests/benchmarks/calibrate_errors.py COUNT` prints its tables LEARNED and
DOUBTFUL_MM.

Ridge regression of the logarithm of a region's mean error on what is known of the scan, over accepted cases; then each
region's constant is raised until EXCEEDED of them err by more than 1.5 times as much as is stated. Doubtful is,
in each region alike, what so few of plain people exceed that MOST_PLAIN of them are doubtful for any of their figures.
"""

import sys
from contextlib import contextmanager
from unittest.mock import patch

import numpy as np
import scipy
from scipy.spatial import cKDTree

from benchmarks import expressive_faces, stressed_faces
from shapedp.surfaces.human_face import likely_error, real_faces

SEED = 77  # of the people, none of whom a bench draws
PLAIN_SEED, PLAIN, MOST_PLAIN = 177, 400, 0.08  # less than the tenth that may: of other people more do
RIDGE = 1.0
ALLOWED, EXCEEDED = 1.5, 0.03  # less than the tenth that may: of other people more do


def learn(features, errors):
    """The table LEARNED (regions, f) of features (n, regions, f) and true errors (n, regions) in mm.

    Parameters
    ----------
    features : (n, regions, f) array
        The first of them is 1.
    errors : (n, regions) array
        In mm.

    Returns
    -------
    (regions, f) array
    """
    rows = []
    for x, y in zip(np.swapaxes(features, 0, 1), np.log(errors).T, strict=True):
        mean, spread = x[:, 1:].mean(axis=0), x[:, 1:].std(axis=0) + 1e-9
        z = np.column_stack([x[:, 0], (x[:, 1:] - mean) / spread])
        penalty = RIDGE * np.diag([0, *np.ones(z.shape[1] - 1)])
        w = np.linalg.solve(z.T @ z + penalty, z.T @ y)
        slopes = w[1:] / spread
        constant = w[0] - mean @ slopes
        left = y - constant - x[:, 1:] @ slopes
        constant += max(0.0, np.quantile(left, 1 - EXCEEDED) - np.log(ALLOWED))
        rows.append([constant, *slopes])
    return np.array(rows)


def collected(count, seed):
    """(features (n, regions, f), errors (n, regions) in mm) of the accepted of `count` cases of stressed_faces."""
    model = expressive_faces.Model()
    chain = expressive_faces.Chain(model)
    public = cKDTree(real_faces.template()).query(model.faces.mean[chain.inside])[1]
    regions = likely_error.label_vertices()[public]
    features, errors = [], []
    for number in range(count):
        case = stressed_faces.case(model, number, seed)
        known = []
        with known_of(known):
            taken = chain.take(case.scan.points, case.scan.triangles)
        if not taken.code:
            off = chain.errors(taken, case.scan)
            features.append(known[-1].features())
            errors.append([*(off[regions == k].mean() for k in range(len(likely_error.REGIONS))), off.mean()])
    return np.array(features), np.array(errors)


def collect_plain(count, seed):
    """Features (n, regions, f) of `count` people without expressions, seen as scanners see them."""
    model = expressive_faces.Model()
    chain = expressive_faces.Chain(model)
    found = []
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        view = expressive_faces.VIEWS[number % len(expressive_faces.VIEWS)]
        scan = model.scanned(model.faces.face(rng), view, rng)
        known = []
        with known_of(known):
            taken = chain.take(scan.points, scan.triangles)
        if not taken.code:
            found.append(known[-1].features())
    return np.array(found)


def find_limits(features, learned):
    """The table DOUBTFUL_MM (fields,), from which likely errors on a face with such features (n, regions, f) is
    doubtful.
    """
    stated = np.exp((features * learned).sum(axis=2))
    figures = np.column_stack([stated[:, -1], stated[:, : len(likely_error.MOVED_BY)]])
    rarest = scipy.stats.rankdata(figures, axis=0).max(axis=1) / len(figures)
    return np.quantile(figures, np.quantile(rarest, 1 - MOST_PLAIN), axis=0)


@contextmanager
def known_of(found):
    """Append the likely_error.ErrorInputs of each scan that is registered within to a list."""
    stated = likely_error.state_errors

    def noted(known):
        found.append(known)
        return stated(known)

    with patch.object(likely_error, "state_errors", noted):
        yield


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python tests/benchmarks/calibrate_errors.py COUNT")
    learned = learn(*collected(int(sys.argv[1]), SEED))
    for line in learned:
        print(f"            [{', '.join(f'{value:.4g}' for value in line)}],")
    limits = find_limits(collect_plain(PLAIN, PLAIN_SEED), learned)
    print(f"DOUBTFUL_MM = ({', '.join(f'{mm:.2f}' for mm in limits)})")
