"""What a review page is made of: order, doubt by public limits, swapped landmarks; whatever a record is called."""

import base64

import numpy as np
import pytest

from shapedp.releases.viewer import review

LIMITS = {"energy_after": (0.2, False), "min_jacobian": (0.3, True)}


def record(name, rejected=False, doubt=0.0, words=(), **given):
    return review.Record(name, "0", given.get("group", ""), rejected, doubt, words, {}, {"nose": []})


def test_doubt_is_the_share_of_the_nearest_limit_from_either_side():
    assert review.measure_doubt({"energy_after": 0.1, "min_jacobian": 0.9}, LIMITS) == (
        pytest.approx(0.5),
        "energy_after",
    )
    assert review.measure_doubt({"energy_after": 0.01, "min_jacobian": 0.4}, LIMITS) == (
        pytest.approx(0.75),
        "min_jacobian",
    )
    assert review.measure_doubt({"energy_after": float("nan")}, LIMITS) == (0, "")


def test_doubtful_ones_come_first_then_rejected_then_good_those_with_a_notice_before_others():
    given = [record("good"), record("gone", True), record("near", doubt=0.8), record("told", words=("a notice",))]
    assert [one.state for one in given] == [review.GOOD, review.REJECTED, review.DOUBTFUL, review.GOOD]
    text = review.render_page("Faces", given, [], {"kind": "faces"})
    places = [text.index(f'"id":"{name}"') for name in ("near", "gone", "told", "good")]
    assert places == sorted(places)


def test_what_a_sheet_says_cannot_break_the_page():
    evil = record("</script><script>alert(1)</script>", words=("<b>&</b>",), group="<i>")
    text = review.render_page("Faces <to> look", [evil, record("b")], ["<u>"], {"kind": "faces"})
    assert "<script>alert" not in text and "<b>" not in text and "<u>" not in text and "<i>" not in text


def test_landmarks_that_lie_off_are_marked_and_those_that_are_said_to_be_exchanged():
    public = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]) / 2
    drawn = review.pack_landmarks(public[[1, 0, 2, 3]] + 0.01, public, np.full(4, 0.02), (0, 1))
    assert drawn["off"] == [1, 2] and drawn["swapped"] == [[1, 2]]
    alone = public + np.array([[0.0, 0.0], [0.0, 0.0], [0.3, 0.3], [0.0, 0.0]])
    drawn = review.pack_landmarks(alone, public, np.full(4, 0.02))
    assert drawn["off"] == [3] and drawn["swapped"] == []


def test_the_map_of_distances_is_in_tenths_of_a_mm():
    surface = np.zeros((2, 3, 3), np.int16)
    surface[0, 0] = 200  # steps: a hundredth of a unit along each axis
    nothing = {
        "points": np.zeros((1, 3), np.int16),
        "nose": np.zeros((0, 3), np.int16),
        "unit": 0.01,
        "middle": np.zeros(3),
        "axes": np.eye(3),
    }
    look = {**nothing, "surface": surface, "turned": 1}
    drawn = review.pack_surface(look, np.zeros((2, 3, 3)), 100.0)
    assert np.frombuffer(base64.b64decode(drawn["apart"]), "u1").tolist() == [17, 0, 0, 0, 0, 0]
    assert drawn["mm"] == pytest.approx(0.71) and "apart" not in review.pack_surface(
        {**look, "turned": 0}, surface, 1.0
    )


def test_summaries_count_by_batch_and_by_public_group_where_there_are_several():
    given = [record("a", group="x"), record("b", True, group="y"), record("c", group="y")]
    text = review.render_page("Faces", given, [], {"kind": "faces"})
    assert '<th scope="row">y</th><td>2</td><td>0</td><td>1</td><td>1</td>' in text and ">batch<" not in text
