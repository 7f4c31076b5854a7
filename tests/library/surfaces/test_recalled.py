"""The last answer is given again, and only to the same question."""

import numpy as np

from shapedp.surfaces.recalled import recalled


def test_the_same_question_is_answered_once_and_another_afresh():
    asked = []

    @recalled
    def double(array, flag=False):
        asked.append(flag)
        return 2 * array

    one = np.arange(3)
    first = double(one)
    first[0] = 99  # the caller's own copy
    assert double(one.astype(np.int32)).tolist() == [0, 2, 4]
    assert asked == [False]
    one[0] = 5  # the array that was asked of has changed
    assert double(one).tolist() == [10, 2, 4]
    assert double(one, True).tolist() == [10, 2, 4]
    assert double(one[:2], True).tolist() == [10, 2]
    assert asked == [False, False, True, True]
