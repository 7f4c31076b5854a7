"""Numbers that are written plainly are read as `float` reads them; anything else is left to it."""

import numpy as np
import pytest

from shapedp.base.reading import plain_numbers


def written(rng, count):
    """Numbers of up to 15 digits, the point anywhere or nowhere, with all signs."""
    for _ in range(count):
        digits = "".join(map(str, rng.integers(0, 10, rng.integers(1, 16))))
        at = rng.integers(0, len(digits) + 1)
        yield rng.choice(["", "-", "+"]) + (digits if rng.random() < 0.3 else digits[:at] + "." + digits[at:])


@pytest.mark.parametrize("delimiter", [None, b",", b";", b"\t"])
def test_each_is_the_double_nearest_to_it(delimiter):
    tokens = np.array(list(written(np.random.default_rng(1), 3000))).reshape(-1, 3)
    text = "\n".join((delimiter or b"  ").decode().join(row) for row in tokens).encode()
    expected = np.array([[float(one) for one in row] for row in tokens])
    found = plain_numbers.parse_rows(text, delimiter)
    assert np.array_equal(found, expected) and np.array_equal(np.signbit(found), np.signbit(expected))


def test_words_before_them_and_empty_lines_do_not_count():
    assert plain_numbers.parse_rows(b"\nv 1 2\n\nw -3 4.5 \n", skipped=1).tolist() == [[1, 2], [-3, 4.5]]


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        (b"1 2\n3", None),
        (b"1 2\n3 4 5", None),
        (b"1 2e3", None),
        (b"1 nan", None),
        (b"1 1_0", None),
        (b"1 2.3.4", None),
        (b"1 .", None),
        (b"1 -", None),
        (b"1 1234567890123456", None),
        (b"1 2\r\n3 4", None),
        (b"1,2\n3,", b","),
        (b"1,2\n,3", b","),
        (b"1,2\n3, 4", b","),
        (b"1,2\n3,4,", b","),
        (b"1.2,3\n4\t5", b","),
        (b"", None),
    ],
)
def test_anything_else_is_left_to_float(text, delimiter):
    assert plain_numbers.parse_rows(text, delimiter) is None
