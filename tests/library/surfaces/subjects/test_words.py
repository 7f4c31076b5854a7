"""What is said of a face beside what is said of any surface, and of no other subject."""

from pathlib import Path

import pytest

from shapedp import surfaces
from shapedp.base.settings.subjects import FACES, Subject
from shapedp.surfaces.human_face import words as words_of_faces
from shapedp.surfaces.subjects import words

EAR = Subject.from_setting("ear")


@pytest.mark.parametrize("part", words_of_faces.CAUSES)
def test_each_cause_belongs_to_a_reason_that_the_chain_gives(part):
    home = Path(surfaces.__file__).parent
    rooms = [path for path in home.rglob("*.py") if "human_face" not in path.parts]
    assert any(part in path.read_text(encoding="utf-8") for path in rooms)


def test_a_face_is_told_its_causes_and_an_ear_is_not():
    reason = "the surface overlaps itself; crop the scan to the face"
    assert words.explain(reason, FACES) == f"{reason}; on faces, hair, a collar and shoulders do this"
    assert words.explain(reason, EAR) == "the surface overlaps itself; crop the scan to the ear"


def test_a_reason_without_a_cause_stays():
    assert words.explain("the file is empty", FACES) == "the file is empty"


def test_a_face_has_a_nose_tip_to_mark_and_an_ear_has_none():
    assert "nose tip" in words.say_how_to_mark(FACES)
    assert words.say_how_to_mark(EAR) == ""
