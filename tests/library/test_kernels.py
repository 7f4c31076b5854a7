"""What is learned is the same up to rounding whatever kernels a processor takes, equal people and ties included."""

import os
import subprocess
import sys

import numpy as np
import pytest
import scipy
from numpy.testing import assert_allclose

import kernels
from library.privacy.learned import people
from shapedp.privacy.learned import face_learning, shape_variation
from shapedp.privacy.manifolds import landmark_shapes, marks
from shapedp.surfaces.registration import disk_transfer

K, PAIRS = 10, [[0, 1], [2, 3], [4, 5]]
LEARNED = {"modes", "harmonics", "held_out", "outside", "mean"}  # of faces


def equal_people():
    """20 faces that differ in four directions equally, as far one way as the other, and a little in others."""
    rng = np.random.default_rng(1)
    ways = np.linalg.qr(rng.normal(size=(720, 7)))[0].T.reshape(7, *people.SHAPE)
    strengths = np.array([1.0, 1.0, 1.0, 1.0, 0.3, 0.2, 0.1])
    signed = np.concatenate([strengths[:, None, None, None] * ways, -strengths[:, None, None, None] * ways])
    return people.center() + np.concatenate([signed, 0.5 * signed])


def outlines():
    """A symmetric center in space, and eight people: fewer than there are directions."""
    rng = np.random.default_rng(2)
    base = rng.normal(size=(K, 3))
    base[1:6:2], base[6:, 0] = base[0:6:2] * [-1, 1, 1], 0.0
    base = landmark_shapes.unit(base[None])[0][0]
    return base, landmark_shapes.unit(base + 0.05 * rng.normal(size=(8, K, 3)))[0]


def tied_points():
    """Places on a mesh's vertices and on the middles of its edges, a rounding apart, and the mesh."""
    flat = np.stack(np.meshgrid(np.arange(6.0), np.arange(6.0)), axis=-1).reshape(-1, 2)
    triangles = scipy.spatial.Delaunay(flat + 0.2 * np.random.default_rng(4).random(flat.shape)).simplices
    vertices = np.column_stack([flat, np.sin(flat.sum(axis=1))])
    points = np.concatenate([vertices, vertices[triangles[:, :2]].mean(axis=1)])
    turn = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]  # by the kernel at hand
    return points @ turn, vertices @ turn, triangles


def learn():
    """{name: array} of all that a factorisation or a tie decides."""
    crowd = equal_people()
    faces = face_learning.learn(people.reading(crowd), len(crowd), people.center(), 12, 20)
    found = {f"faces {name}": getattr(faces, name) for name in LEARNED}
    base, public = outlines()
    shapes = landmark_shapes.LandmarkShapes(base)
    found["symmetric"], found["asymmetric"] = landmark_shapes.halves(base, PAIRS)
    for name, known in (
        ("shapes", shape_variation.learn(shapes, public, outline=False)),
        ("outlines", shape_variation.learn(shapes, public, outline=True)),
        ("nobody", shape_variation.assume_prior(shapes, 0.3, outline=False)),
    ):
        found |= {f"{name} {one}": getattr(known, one) for one in ("axes", "moments", "held_out", "clips")}
    found["nearest"], found["shares"] = disk_transfer.find_closest(*tied_points())
    found["mark"] = marks.mark(faces.modes, faces.harmonics, faces.held_out)
    return found


def write(path):
    np.savez(path, **learn())


@pytest.fixture(scope="module")
def plain():
    return learn()


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kernel", ["Nehalem", "Haswell", "Zen", "SkylakeX"])
def test_the_same_people_teach_the_same_whatever_kernels_and_threads_there_are(tmp_path, plain, root, kernel, threads):
    if kernel not in kernels.runnable():
        pytest.skip(f"this processor cannot run the kernels for {kernel}")
    given = {"OPENBLAS_CORETYPE": kernel, "OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads)}
    given["PYTHONPATH"] = os.pathsep.join([str(root / "scripts"), str(root / "tests")])
    code = f"from library.test_kernels import write; write({str(tmp_path / 'learned.npz')!r})"
    subprocess.run([sys.executable, "-c", code], env={**os.environ, **given}, check=True)
    with np.load(tmp_path / "learned.npz") as again:
        assert marks.are_alike(again["mark"], plain["mark"])
        for name in plain.keys() - {"mark"}:
            largest = np.abs(plain[name]).max()
            assert_allclose(again[name], plain[name], rtol=0, atol=1e-6 * largest, err_msg=name)


def test_people_who_differ_equally_in_four_directions_do_leave_a_factorisation_a_choice(plain):
    """What the test above needs: the four largest moments are equal."""
    four = plain["faces modes"][:4].reshape(4, -1)
    rows = (equal_people() - people.center()).reshape(28, -1) @ four.T
    squares = np.linalg.eigvalsh(rows.T @ rows)
    assert squares.max() < (1 + 1e-6) * squares.min()
