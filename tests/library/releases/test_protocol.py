"""Keyed digests know the same records again, in any order and any cut, and nothing without the key."""

import numpy as np

from shapedp.releases import protocol

KEY, OTHER = b"k" * 32, b"o" * 32
RECORDS = np.random.default_rng(1).standard_normal((600, 2, 3))


def of(records, key=KEY):
    return protocol.digest_records(key, lambda start, stop: records[start:stop], len(records))[0]


def test_order_and_cut_do_not_matter_and_one_record_does(monkeypatch):
    first = of(RECORDS)
    assert of(RECORDS[::-1]) == first
    monkeypatch.setattr(protocol, "BLOCK", 7)
    assert of(RECORDS) == first
    changed = RECORDS.copy()
    changed[17, 0, 0] = np.nextafter(changed[17, 0, 0], 9)
    assert of(changed) != first and of(RECORDS[:-1]) != first


def test_a_record_that_stands_twice_counts_twice():
    assert of(np.concatenate([RECORDS, RECORDS[:1]])) != of(np.concatenate([RECORDS, RECORDS[1:2]]))


def test_another_key_gives_another_digest():
    assert of(RECORDS) != of(RECORDS, OTHER)
    assert protocol.digest_arrays(KEY, RECORDS) != protocol.digest_arrays(OTHER, RECORDS)


def test_arrays_are_known_by_shape_kind_and_order():
    a, b = np.arange(6.0), np.arange(6)
    found = [(a, b), (b, a), (a.reshape(2, 3), b), (a,), (a.astype("f4"), b)]
    assert len({protocol.digest_arrays(KEY, *values) for values in found}) == len(found)
    assert protocol.digest_arrays(KEY, np.arange(12.0)[::2]) == protocol.digest_arrays(KEY, np.arange(0.0, 12.0, 2))
