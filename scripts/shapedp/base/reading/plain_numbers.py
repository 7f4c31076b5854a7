"""Numbers as most files write them: a sign, at most 15 digits, a point among them.

Such digits are a whole number below 2^53, and the power of ten that the point asks for is one below 10^22: both are
doubles, so their quotient is the double nearest to the number written, as `float` gives it. What is written otherwise
is left to `float`.
"""

from functools import cache

import numpy as np

MOST_DIGITS = 15
LINE_END, TAB, SPACE, PLUS, MINUS, POINT, ZERO, NINE = b"\n\t +-.09"


def parse_rows(text, delimiter=None, skipped=0):
    """Return the numbers (n, k) of a table's lines, fast; None where they are not written plainly and a slower reader
    must look.

    That is where lines differ in how many numbers they hold, or hold anything else. Empty lines do not count.

    Parameters
    ----------
    text : bytes
        The lines.
    delimiter : bytes
        One byte between the cells, none of them empty; None: white space.
    skipped : int
        How many words at the beginning of each line are no numbers.
    """
    width = len(text.lstrip(b"\n").partition(b"\n")[0].split(delimiter)) - skipped
    if width < 1 or (delimiter and (skipped or len(delimiter) > 1)):
        return None
    # Lines of so many numbers: each number takes a digit and what ends it.
    most_rows = (len(text) + 1) // (2 * width)
    numbers = np.empty((min(text.count(b"\n"), most_rows) + 1, width))
    count = _compile_loop()(
        np.frombuffer(text, np.uint8), SPACE if delimiter is None else ord(delimiter), skipped, numbers
    )
    return numbers[:count] if count >= 0 else None


@cache
def _compile_loop():
    """Return the compiled loop by which `parse_rows` reads numbers, compiled when the first scan asks for it."""
    # Late: whoever plans a run knows this room and reads no scan.
    from shapedp.base.storage.loops import loop

    return loop(_parse_into)


def _parse_into(text, between, skipped, numbers):
    """Read a text's numbers into `numbers` (n, k), the loop of `parse_rows`; return the lines read, -1 where one is not
    plain.
    """
    row, column, at, is_cell_due = 0, -skipped, 0, False
    while at <= len(text):
        letter = text[at] if at < len(text) else LINE_END
        if letter == LINE_END:
            if is_cell_due or column not in (-skipped, numbers.shape[1]):
                return -1
            row += column > 0
            column = -skipped
        elif letter == between or (letter == TAB and between == SPACE):
            if between != SPACE:
                if is_cell_due or column == 0:
                    return -1
                is_cell_due = True
        elif column == numbers.shape[1]:
            return -1
        elif column < 0:
            while at + 1 < len(text) and text[at + 1] not in (LINE_END, TAB, SPACE):
                at += 1
            column += 1
        else:
            negative = letter == MINUS
            at += letter in (PLUS, MINUS)
            whole, digits, divisor, fraction = 0, 0, 1, False
            while at < len(text) and (ZERO <= text[at] <= NINE or (text[at] == POINT and not fraction)):
                if text[at] == POINT:
                    fraction = True
                else:
                    whole, digits = 10 * whole + (text[at] - ZERO), digits + 1
                    divisor *= 10 if fraction else 1
                    # More digits are no exact double any more, so that the quotient would not be the nearest one.
                    if digits > MOST_DIGITS:
                        return -1
                at += 1
            is_ended = at == len(text) or text[at] in (LINE_END, between) or (text[at] == TAB and between == SPACE)
            if digits == 0 or not is_ended:
                return -1
            value = float(whole) / divisor
            numbers[row, column] = -value if negative else value
            column, is_cell_due = column + 1, False
            continue
        at += 1
    return row
