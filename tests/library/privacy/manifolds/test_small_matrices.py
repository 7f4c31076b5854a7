"""Mean of matrix logarithms in a compiled loop: against scipy's logm, by hand, near the identity, on hard matrices."""

import os
import subprocess
import sys
import time

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import logm
from scipy.stats import ortho_group

from library.privacy.manifolds import precise_spd
from shapedp.base.storage import files
from shapedp.privacy.manifolds import small_matrices
from shapedp.privacy.manifolds.spd import symmetrise

TOY = """
import sys

print("ready", flush=True)

import numpy as np
from numba import float64

from shapedp.privacy.manifolds.small_matrices import vectorized  # whose own loops wait for the lock as well


@vectorized([(float64[:], float64[:])], "(k)->()")
def total(x, out):
    out[0] = x.sum()


print(total(np.ones((2, 3))).tolist())
"""


@pytest.mark.slow
def test_nothing_is_compiled_while_another_process_compiles(tmp_path, root):
    (tmp_path / "toy.py").write_text(TOY)
    given = {**os.environ, "PYTHONPATH": str(root / "scripts")}
    with files.hold_lock(small_matrices._lock_file()):
        waiting = subprocess.Popen(
            [sys.executable, "toy.py"],
            cwd=tmp_path,
            env=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert waiting.stdout.readline() == "ready\n"
        time.sleep(5)  # it would be at work by then
        assert waiting.poll() is None
        assert not list(tmp_path.rglob("*.nb?"))
    out, errors = waiting.communicate(timeout=300)  # where nothing is ready, the library's own loops are compiled first
    assert (waiting.returncode, out) == (0, "[3.0, 3.0]\n"), errors
    assert len(list(tmp_path.rglob("*toy.*.nbc"))) == 2


def test_where_the_code_cannot_be_kept_beside_the_library_the_lock_lies_on_the_machine(tmp_path, monkeypatch):
    monkeypatch.setattr(small_matrices.numba.config, "CACHE_DIR", "")
    (tmp_path / "file").touch()
    monkeypatch.setattr(small_matrices, "BESIDE", tmp_path / "file" / "cache")
    assert tmp_path not in small_matrices._lock_file().parents
    monkeypatch.setattr(small_matrices, "BESIDE", tmp_path / "cache")
    assert small_matrices._lock_file() == tmp_path / "cache" / small_matrices.LOCK


ROUNDING = 1e-13  # of a logarithm of size 1 to 10: a few hundred times the last digit


def random_spd(rng, count, k):
    factors = rng.standard_normal((count, k, k))
    return factors @ factors.swapaxes(-1, -2) + 0.1 * np.eye(k)


@pytest.mark.filterwarnings("ignore:logm result may be inaccurate")
@pytest.mark.parametrize("k", range(1, small_matrices.LARGEST + 1))
def test_it_is_the_mean_of_scipys_logarithms(k):
    rng = np.random.default_rng(k)
    points, factor = random_spd(rng, 20, k), np.linalg.cholesky(random_spd(rng, 1, k)[0])
    inverse = np.linalg.inv(factor)
    expected = np.mean([logm(inverse @ point @ inverse.T) for point in points], axis=0)
    assert_allclose(
        small_matrices.mean_log(inverse, factor @ factor.T, points), expected, atol=ROUNDING * np.abs(expected).max()
    )


def test_a_hand_case_pins_the_sign():
    points = np.array([np.diag([np.e, 1.0]), np.diag([np.e**3, np.e**-2])])
    assert_allclose(small_matrices.mean_log(np.eye(2), np.eye(2), points), np.diag([2.0, -1.0]), atol=ROUNDING)


def test_near_the_identity_no_digit_is_lost():
    """Log(I + a) = a - a^2 / 2 for small a; from I + a alone, a would be known to 1e-16, not to 1e-16 of itself."""
    step = 2.0**-30 * np.array([[3.0, 1.0], [1.0, -2.0]])
    found = small_matrices.mean_log(np.eye(2), np.eye(2), (np.eye(2) + step)[None])
    assert_allclose(found, step - step @ step / 2, rtol=1e-15)


def test_equal_and_far_apart_eigenvalues():
    rotation = ortho_group.rvs(4, random_state=np.random.default_rng(4))
    for logs in ([1.0, 1.0, 1.0, 1.0], [2.0, 2.0, -1.0, -1.0], [6.0, 3.0, -3.0, -6.0]):
        point = symmetrise(rotation @ np.diag(np.exp(logs)) @ rotation.T)
        found = small_matrices.mean_log(np.eye(4), np.eye(4), point[None])
        # the smallest eigenvalue carries the rounding of the largest: exp(12) times the last digit
        assert_allclose(found, rotation @ np.diag(logs) @ rotation.T, atol=1e-15 * np.exp(max(logs) - min(logs)) * 20)


def test_leading_axes_broadcast():
    rng = np.random.default_rng(5)
    points = random_spd(rng, 6, 3).reshape(2, 3, 3, 3)
    both = small_matrices.mean_log(np.eye(3), np.eye(3), points)
    for found, one in zip(both, points, strict=True):
        assert_allclose(found, small_matrices.mean_log(np.eye(3), np.eye(3), one), rtol=0, atol=0)


@pytest.mark.parametrize("count", [0, 1, small_matrices.LANES, 2 * small_matrices.LANES + 1])
def test_what_one_lane_finds_does_not_depend_on_the_others(count):
    """Near the identity, far from it, equal to it, and hard enough for twice the precision, side by side."""
    rng = np.random.default_rng(9)
    x = np.eye(4)
    kinds = [x, x + 1e-9 * np.eye(4), random_spd(rng, 1, 4)[0], precise_spd.hard_pair(4, 1e8, rng)[0]]
    points = np.array([kinds[row % 4] for row in range(count)]).reshape(count, 4, 4)
    for of in (small_matrices.log, small_matrices.dist):
        alone = [of(x, one) for one in kinds]
        for row, found in enumerate(of(x, points)):
            assert_allclose(found, alone[row % 4], rtol=1e-13, atol=1e-13 * np.abs(alone[row % 4]).max())
    assert small_matrices.dist(x, points).shape == (count,)


def test_pairs_broadcast_over_all_leading_axes():
    rng = np.random.default_rng(10)
    x, y = random_spd(rng, 2, 3).reshape(2, 1, 3, 3), random_spd(rng, 5, 3)
    found, far = small_matrices.log(x, y), small_matrices.dist(x, y)
    assert (found.shape, far.shape) == ((2, 5, 3, 3), (2, 5))
    for row in range(2):
        assert_allclose(found[row], small_matrices.log(x[row, 0], y), rtol=1e-12)
        assert far[row, 3] == pytest.approx(float(small_matrices.dist(x[row, 0], y[3])))


@pytest.mark.parametrize("condition", [1e6, 1e8])
@pytest.mark.parametrize("k", [2, 3, 5, small_matrices.LARGEST])
def test_hard_pairs_are_known_to_the_last_digits(k, condition):
    """In working precision the smallest pivots of these matrices are known to 1e-10 and 1e-8 of themselves."""
    assert precise_spd.worst_relative(small_matrices.log, small_matrices.dist, k, condition, pairs=3, seed=k) < 2e-14


def test_exponentials_undo_logarithms():
    rng = np.random.default_rng(8)
    for k in range(1, small_matrices.LARGEST + 1):
        x, points = random_spd(rng, 1, k)[0], random_spd(rng, 7, k)
        assert_allclose(small_matrices.exp(x, small_matrices.log(x, points)), points, rtol=1e-10)
