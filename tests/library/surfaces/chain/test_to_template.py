"""A template's artifact: which model of public people it rests on."""

import re

import numpy as np
import pytest

from library.releases import dome_faces
from shapedp.base import artifacts
from shapedp.base.errors import ArtifactError
from shapedp.surfaces.human_face import fit, real_faces
from shapedp.surfaces.registration.template import Options


def write(path, **people):
    """A template's artifact whose public people are these."""
    dome_faces.write_template(path)
    with artifacts.reader(path, artifacts.TEMPLATE) as source:
        fields = {name: source[name] for name in artifacts.TEMPLATE.fields}
    with artifacts.writer(path, artifacts.TEMPLATE) as out:
        out.set(**(fields | people))


def test_a_template_made_with_another_model_of_public_people_is_told_with_file_and_remedy(tmp_path):
    path = tmp_path / "template.h5"
    write(path, people_size=80.0, people_model="0123456789", people_triangles=np.full((4, 8), 10**6))
    with pytest.raises(ArtifactError, match=rf"^{re.escape(str(path))}: made with another model .*delete it") as told:
        fit.read_forms(path, Options())
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("people", [{"people_size": 80.0, "people_model": real_faces.digest()}, {"people_size": 0.0}])
def test_one_made_with_this_model_or_without_people_is_read(tmp_path, people):
    path = tmp_path / "template.h5"
    write(path, **people)
    fit.read_forms(path, Options())
