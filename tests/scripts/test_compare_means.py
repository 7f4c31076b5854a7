"""Released means of groups beside each other: known noise, chance as far as the release tells it, the same points."""

import csv
from dataclasses import replace

import numpy as np
import pytest

from library.privacy.learned import people
from scripts.test_release_face_model import N, Workspace
from scripts.test_release_groups import Workspace as Groups
from scripts.test_release_shape_model import Workspace as Shapes
from scripts.test_release_shape_model import folder as outlines  # noqa: F401
from shapedp.app.api import released as api
from shapedp.app.cli import models
from shapedp.base import artifacts
from shapedp.base.errors import ArtifactError
from shapedp.releases.model import compared, released_model


class Means(Workspace):
    def release(self, name, **asked):
        return super().release((), name, mu=4.0, cap=100.0, kind="mean_face", **asked)[0]


@pytest.fixture(scope="module")
def faces(tmp_path_factory):
    """Folders of two means of people who lie alike, and of one whose people lie far off along the first mode."""
    found, away = Means(tmp_path_factory.mktemp("means")), people.variation().modes[0]
    released = []
    for name, seed, moved in (("women", 11, 0.0), ("men", 12, 0.0), ("others", 13, 0.3)):
        found.stack(people.draw(N, seed) + moved * away)
        released.append(found.release(name))
    return released


def test_two_mean_faces_are_compared_with_their_noise_and_chance(faces, tmp_path):
    women, men, others = faces
    lines = list(models.write_comparison([women, men], tmp_path / "map.csv"))
    assert "; 0% of the points exceed noise and chance" in lines[1]
    assert "over 10% of the points is found 8 times in 10" in lines[2]
    assert lines[3].startswith("women, men: chance in who took part is counted as public people differ")
    assert lines[4].startswith("women, men: the mean is drawn towards public people's") and len(lines) == 5
    rows = list(csv.DictReader((tmp_path / "map.csv").read_text().splitlines()))
    assert len(rows) == people.SHAPE[0] * people.SHAPE[2] and {row["exceeds"] for row in rows} == {"0"}
    assert "; 0% of" not in list(models.write_comparison([women, others], tmp_path / "map.html"))[1]
    assert "data:image/png;base64," in (tmp_path / "map.html").read_text()
    told = list(models.write_comparison(faces, tmp_path / "map.csv"))
    assert "women and men: " in told[1] and "one test of all" not in "".join(told)
    by_api = api.compare(*map(api.read_release, (women, others)))
    assert by_api.exceeds.any() and by_api.distance.shape == (len(rows),)


def test_chance_is_what_public_people_give_along_the_released_directions(faces):
    one = compared.read(faces[0])
    with artifacts.reader(faces[0] / "drawn.h5", artifacts.DRAWN) as source:
        spread = source["spread"]
    assert np.mean(one.sampling) == pytest.approx(np.sum(spread) * 150**2 / N) and one.people == N
    np.testing.assert_allclose(one.sampling / one.noise, np.mean(one.sampling) / np.mean(one.noise))


def test_without_what_was_drawn_chance_is_said_not_to_be_counted(tmp_path):
    workspace = Groups(tmp_path)
    stack = workspace.stack()
    for group in "ab":
        workspace.release(stack, group)
    folders = [tmp_path / "results/release/faces" / group for group in "ab"]
    lines = list(models.write_comparison(folders, tmp_path / "map.csv"))
    assert lines[-1] == "a, b: chance in who took part is not counted, since the release says nothing about it"
    assert compared.read(folders[0]).sampling is None


def test_mean_shapes_are_compared_as_they_were_drawn(outlines, tmp_path):  # noqa: F811
    public, told = outlines
    workspace, kind = Shapes(public, [f"{one:.4f}" for one in told], tmp_path), {"kind": "mean_shape"}
    plain, shrunk = (workspace.release(name, shrink=name == "shrunk", **kind)[0] for name in ("plain", "shrunk"))
    gaussian, _ = workspace.release("gaussian", mechanism="gaussian", **kind)
    lines = list(models.write_comparison([plain, shrunk], tmp_path / "map.csv"))
    assert lines[-1].startswith("plain, shrunk: chance in who took part is counted")
    one, other = compared.read(plain), compared.read(gaussian)
    few = replace(one, drawn={name: values[:1] for name, values in one.drawn.items()})
    cut, _ = compared.match_releases([one, few], "ab")
    assert len(one.drawn["values"]) > 1
    np.testing.assert_array_equal(cut.mean, one.along(1).mean)
    assert one.noise.shape == one.sampling.shape == (1, 50, 2, 2) and other.sampling is None
    with artifacts.reader(plain / "mean_shape.h5", artifacts.RELEASED_SHAPE) as source:
        landmarks, covariance = source["landmarks"], source["noise_covariance"]
    np.testing.assert_allclose(one.mean[0].T, landmarks, atol=2e-3)
    # What is stated counts, beside the noise, what the directions leave out and the clip takes.
    more = np.linalg.eigvalsh(covariance - one.noise[0])
    assert more.min() > -1e-12 and 0 < more.sum() < np.trace(one.noise[0], axis1=1, axis2=2).sum()
    lines = list(models.write_comparison([plain, gaussian], tmp_path / "map.html"))
    assert lines[-1].startswith("gaussian: chance in who took part is not counted")
    nobody = replace(one, drawn=one.drawn | {"spread": 0 * one.drawn["spread"]})
    assert nobody.along(3).sampling is None, "without public people nothing says how far persons lie"


def test_what_lies_at_other_points_is_refused_by_command_and_python_alike(faces, tmp_path, monkeypatch):
    """As models of a template with other spacings of the curves do, whose arrays have the same shapes."""
    one, other = map(compared.read, faces[:2])
    elsewhere = replace(other, radii=other.radii**2)
    with pytest.raises(ArtifactError, match="men: has other curves or another template than women"):
        compared.match_releases([one, elsewhere], ["women", "men"])
    both = dict(zip(faces[:2], (one, elsewhere), strict=True))
    monkeypatch.setattr(compared, "read", lambda path: both[path if path in both else path.parent])
    with pytest.raises(ArtifactError, match="another template"):
        list(models.write_comparison(faces[:2], tmp_path / "map.csv"))
    with pytest.raises(ArtifactError, match="another template"):
        api.compare(*map(api.read_release, faces[:2]))


@pytest.mark.parametrize("spectrum", [(1.0, 0, 0), (0.6, 0.3, 0.1), (1 / 3, 1 / 3, 1 / 3)])
def test_a_length_of_which_only_the_variance_is_known_exceeds_chance_no_more_often_than_told(spectrum):
    """In whatever directions it lies (Székely and Bakirov): the extreme is one direction, of which p is exact."""
    d = np.random.default_rng(4).standard_normal((200_000, 3)) * np.sqrt(spectrum)
    found = released_model.over_points(d.T[None], np.ones((1, len(d), 1, 1)))
    for level in (0.2, 0.05, 0.005):
        often = np.mean(found.p_values < level) / level
        assert often < 1.1 and (spectrum[0] < 1 or often > 0.9)
