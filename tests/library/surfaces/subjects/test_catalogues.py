"""What tables measure beside what has names: landmarks of a template's own, and distances that settings name."""

import pytest

from shapedp.base.artifacts import kinds
from shapedp.base.errors import ArtifactError, Rejected
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


@pytest.mark.parametrize(
    "measures",
    [
        {"landmarks": ["ear", "=1+1"]},
        {"landmarks": ["ear", "a\nb"]},
        {"landmarks": [["ear"]]},
        {"distances": 7},
        {"distances": [{"name": 1}]},
        {"distances": [{"name": "=1+1", "ends": ["ear", "jaw"]}]},
        {"distances": [{"name": "a", "ends": [{}, {}]}]},
    ],
)
def test_what_a_stranger_s_release_states_names_no_row_unless_settings_may_say_it(measures):
    with pytest.raises(ArtifactError, match="ask whoever released it"):
        catalogues.name_measures({"subject": "knee", "measures": measures})
