"""Masks cancel in the sum, look uniform, and belong to one study, round and kind."""

import hashlib

import numpy as np
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from scipy import stats

from shapedp.base.errors import ConfigError
from shapedp.laboratories import rounds

LABS = ("bergen", "graz", "pisa", "turku", "ulm")


def keys_of(labs):
    own = {lab: X25519PrivateKey.generate() for lab in labs}
    raw = (serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    return own, {lab: key.public_key().public_bytes(*raw) for lab, key in own.items()}


def parts_of(whole, context=b"round"):
    own, public = keys_of(list(whole))
    return {lab: masked(one, lab, own, public, context) for lab, one in whole.items()}


def masked(integers, lab, own, public, context):
    return rounds.mask_integers(integers, lab, rounds.agree_mask_keys(lab, own[lab], public, context))


@pytest.fixture(scope="module")
def whole():
    rng = np.random.default_rng(1)
    return {lab: rng.integers(-(2**58), 2**58, 500) for lab in LABS}


def test_the_sum_of_all_parts_is_that_of_the_integers_to_the_last_bit(whole):
    parts = parts_of(whole)
    assert (rounds.sum_unmasked(list(parts.values())) == sum(whole.values())).all()


@pytest.mark.parametrize("left_out", LABS)
def test_without_one_part_the_sum_says_nothing(whole, left_out):
    parts = parts_of(whole)
    rest = rounds.sum_unmasked([part for lab, part in parts.items() if lab != left_out])
    others = sum(one for lab, one in whole.items() if lab != left_out)
    assert np.mean(np.abs(rest.astype(float) - others)) > 2**60


def test_two_laboratories_share_a_mask_that_belongs_to_the_context(whole):
    own, public = keys_of(LABS[:2])
    zeros = np.zeros(100, dtype=np.int64)
    first = masked(zeros, LABS[0], own, public, b"a")
    second = masked(zeros, LABS[1], own, public, b"a")
    other = masked(zeros, LABS[0], own, public, b"b")
    assert (first + second == 0).all()
    assert not (first == other).any()


def test_bytes_of_a_part_are_uniform():
    """Chi-square over 10^7 bytes of a part whose integers are all zero, at the level 1e-6."""
    part = parts_of({lab: np.zeros(10**7 // 8, dtype=np.int64) for lab in LABS[:2]})[LABS[0]]
    counts = np.bincount(part.view(np.uint8), minlength=256)
    assert stats.chisquare(counts).pvalue > 1e-6


def test_what_is_no_point_of_the_curve_is_refused():
    own, public = keys_of(LABS[:2])
    public[LABS[1]] = bytes(32)  # of small order: the secret would be known to all
    with pytest.raises(ConfigError, match="ask for a new hello"):
        rounds.agree_mask_keys(LABS[0], own[LABS[0]], public, b"")


def test_two_laboratories_with_one_key_are_refused():
    """Between them a laboratory would add one's mask and subtract the other's, which is the same: a bare part."""
    own, public = keys_of(LABS[:3])
    public[LABS[2]] = public[LABS[0]]
    with pytest.raises(ConfigError, match=f"'{LABS[2]}' gives the same mask as that of '{LABS[0]}'"):
        rounds.agree_mask_keys(LABS[1], own[LABS[1]], public, b"")


def test_the_mask_is_chacha20_under_hkdf_as_written():
    """An independent computation of one mask, from the standard's own pieces."""
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    own, public = keys_of(LABS[:2])
    context = hashlib.sha256(b"study").digest()
    part = masked(np.zeros(4, dtype=np.int64), LABS[0], own, public, context)
    shared = own[LABS[1]].exchange(own[LABS[0]].public_key())
    key = HKDF(hashes.SHA256(), 32, None, b"shapedp masks 1" + context).derive(shared)
    stream = Cipher(algorithms.ChaCha20(key, bytes(16)), None).encryptor().update(bytes(32))
    assert part.tobytes() == stream
