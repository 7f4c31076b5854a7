"""Marks of public arrays: what rounding does not move, and what every other change does."""

import hashlib

import numpy as np
import pytest

from shapedp.privacy.manifolds import marks


def arrays(seed=0):
    """What a release of faces rests on, small: numbers in double and single precision, one number, whole numbers."""
    rng = np.random.default_rng(seed)
    modes = rng.normal(size=(70, 4, 3, 5)).astype(np.float32)
    return [rng.normal(size=(4, 3, 5)), 187.5, 1e-3 * rng.normal(size=(30, 80)), modes, np.array([0, 3, 4])]


def changed(at, change):
    given = arrays()
    given[at] = change(given[at])
    return given


def test_rounding_moves_no_mark():
    rng = np.random.default_rng(1)
    near = [
        one if np.asarray(one).dtype.kind == "i" else one * (1 + 1e-9 * rng.normal(size=np.shape(one)))
        for one in arrays()
    ]
    first, second = marks.mark(*arrays()), marks.mark(*near)
    assert first.shape == (32,) and first.dtype == np.uint8
    assert marks.are_alike(first, second)
    assert marks.are_alike_in_hex(first.tobytes().hex(), second.tobytes().hex())


@pytest.mark.parametrize(
    "other",
    [
        arrays(1),
        arrays()[1:],
        changed(0, lambda one: one[::-1]),
        changed(0, lambda one: -one),
        changed(1, lambda one: one + 0.01),
        changed(2, lambda one: one * 1.001),
        changed(2, lambda one: one[:-1]),
        changed(3, lambda one: np.concatenate([one[:1], -one[1:2], one[2:]])),
        changed(4, lambda one: np.append(one[:-1], 5)),
    ],
)
def test_another_public_set_template_or_choice_has_another_mark(other):
    assert not marks.are_alike(marks.mark(*arrays()), marks.mark(*other))


def test_a_hash_of_an_older_version_is_like_itself_alone():
    hashes = [np.frombuffer(hashlib.sha256(word).digest(), dtype=np.uint8) for word in (b"one", b"other")]
    assert marks.are_alike(hashes[0], hashes[0].copy()) and not marks.are_alike(*hashes)
    assert not marks.are_alike(hashes[0], marks.mark(*arrays()))
    assert marks.is_mark(marks.mark(*arrays()).tobytes()) and not marks.is_mark(hashes[0].tobytes())


def test_text_that_is_no_mark_is_like_itself_alone():
    assert marks.are_alike_in_hex("no digits", "no digits")
    assert not marks.are_alike_in_hex("no digits", "none either")
    assert not marks.are_alike_in_hex("00ff", "00fe")
