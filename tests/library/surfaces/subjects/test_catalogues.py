"""What tables measure beside what has names: landmarks of a template's own, and distances that settings name."""

import pytest

from shapedp.base.artifacts import kinds
from shapedp.base.errors import Rejected
from shapedp.base.settings import pages
from shapedp.surfaces.chain import cohort, to_template
from shapedp.surfaces.subjects import catalogues


def test_a_template_without_landmarks_of_its_own_is_as_before():
    demo = pages.make_demo()["faces"]
    assert to_template.list_settings(demo) == to_template.SETTINGS
    assert cohort.find_template_kind(demo) is kinds.TEMPLATE
    assert catalogues.state_measures(demo) == {}


def test_a_landmark_off_the_template_is_refused(tmp_path):
    demo = pages.make_demo()["faces"] | {"landmarks": {"far": [0.0, 500.0, 0.0]}}
    faces = {key: demo[key] for key in to_template.list_settings(demo)}
    with pytest.raises(Rejected, match=r"faces\.landmarks\.far: \[0\.0, 500\.0, 0\.0\] lies .* from the template's"):
        cohort.prepare_template(None, tmp_path / "template.h5", faces, False)


def test_of_a_subject_that_is_no_face_its_own_landmarks_alone_have_names():
    stated = {"subject": "knee", "measures": {"landmarks": ["top", "rim", "end"]}}
    assert list(catalogues.name_measures(stated)) == ["top to rim", "top to end", "rim to end"]
    assert catalogues.list_landmarks(stated) == {"top", "rim", "end"}
    assert catalogues.name_measures({"subject": "knee"}) == {}
