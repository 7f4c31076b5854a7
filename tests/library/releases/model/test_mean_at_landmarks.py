"""What a mean knows at its landmarks: how far its distances err, and what people's exceed those of the mean by."""

import csv
import shutil
from dataclasses import replace

import numpy as np
import pytest

import show_release
from library.app.cli.test_beside import landmarks_on_grid
from library.privacy.learned import people
from scripts.test_release_face_model import Workspace
from shapedp.app.cli import beside
from shapedp.base import artifacts
from shapedp.base.errors import ArtifactError, RefusedRelease
from shapedp.privacy import noise
from shapedp.privacy.curves.base import CurveSettings
from shapedp.privacy.curves.learned import Shaped
from shapedp.privacy.statistic import Rows
from shapedp.releases import allow_list
from shapedp.releases.figures import release_files
from shapedp.releases.model import mean_at_landmarks, norms
from shapedp.releases.viewer import release_page
from shapedp.surfaces.human_face.distances import VERTICES, FaceMeasures

N, MU, SCALE = 400, 2.0, 150.0


def measures():
    """Three distances between landmarks that each lie at a point of its own."""
    weights = np.zeros((len(VERTICES), people.SHAPE[0], people.SHAPE[2]))
    for k, one in enumerate(weights):
        one[k % people.SHAPE[0], (7 * k) % people.SHAPE[2]] = 1.0
    between = {"width": ("nasion", "gnathion"), "height": ("glabella", "stomion"), "depth": ("subnasale", "pogonion")}
    return FaceMeasures(tuple(VERTICES), weights, between)


def plan(public_seed):
    """The mechanism planned from one public set."""
    settings = CurveSettings(people.SHAPE, N, people.variation(200, public_seed), people.center(), {"mu_total": MU}, {})
    return replace(Shaped.of(settings), first=0.0)


@pytest.fixture(scope="module")
def mechanism():
    return plan(1)


def release(mechanism, curves, seed):
    """(ReleasedMean, MeanAtLandmarks) in mm."""
    sums = mechanism.sums(Rows(len(curves), lambda start, stop: curves[start:stop]))
    answer = mechanism.noised(sums, noise.SeededNoise(seed))
    decoder = mechanism.decoder_for(answer)
    fields = mean_at_landmarks.learn(decoder, measures())
    known = {name: fields[name] * SCALE**2 for name in mean_at_landmarks.SQUARES}
    mean = decoder.decode(answer) * SCALE
    return mean, mean_at_landmarks.MeanAtLandmarks(measures(), **known)


def test_the_mean_of_people_s_distances_lies_within_its_error():
    """Of people like the public ones: what means err by is what is stated, over cohorts and public sets."""
    truth = measures().values(people.draw(20_000, 77) * SCALE).mean(axis=0)
    away = []
    for seed in range(60):
        if seed % 15 == 0:
            mechanism = plan(seed + 1)
        mean, known = release(mechanism, people.draw(N, 1000 + seed), seed)
        norm = norms._norm(norms.OfMean(known), mean, known.measures)
        away.append((norm.mean - truth) / norm.mean_error)
    assert 0.8 < np.sqrt(np.mean(np.square(away))) < 1.2
    assert 0.9 < np.mean(np.abs(away) < 1.96) < 0.99


def test_a_distance_exceeds_that_in_the_mean_by_what_people_differ_across_it(mechanism):
    """tr(Q S)/2|d| by hand, with the covariance of public people at both ends; half of it stands in the error."""
    mean, known = release(mechanism, people.draw(N, 5), 1)
    norm = norms._norm(norms.OfMean(known), mean, known.measures)
    points, at = known.measures.points(mean), [list(VERTICES).index(end) for end in ("nasion", "gnathion")]
    d = points[at[0]] - points[at[1]]

    def covariance(field):
        (a, b) = at
        return field[a, :, a] + field[b, :, b] - field[a, :, b] - field[b, :, a]

    across = np.eye(3) - np.outer(d, d) / (d @ d)
    beyond, error = (
        np.trace(across @ covariance(field)) / 2 / np.linalg.norm(d)
        for field in (known.public, known.noise + known.chance)
    )
    assert norm.mean[0] - norm.value[0] == pytest.approx(beyond - error, rel=1e-6)
    sure = replace(known, public=np.zeros_like(known.public))
    assert norm.mean_error[0] > norms._norm(norms.OfMean(sure), mean, known.measures).mean_error[0]


@pytest.fixture(scope="module")
def mean_folder(tmp_path_factory):
    """A mean face that knows its landmarks, drawn as a run draws it."""
    workspace = Workspace(tmp_path_factory.mktemp("mean"))
    workspace.stack()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FaceMeasures, "from_template", lambda _: landmarks_on_grid())
        folder = workspace.release(name="mean", kind="mean_face", covariates={}, mu=5.0, cap=30.0)[0]
    show_release.show_release(folder)
    return folder


def test_a_mean_has_its_tables_in_its_folder(mean_folder, tmp_path):
    assert {"measures.csv", "tables.html", "mean_at_landmarks.h5"} <= {path.name for path in mean_folder.iterdir()}
    allow_list.check_folder(mean_folder, "faces", release_page.render_page)
    allow_list.check_drawings(mean_folder, "faces", release_files.draw)
    rows = list(csv.DictReader((mean_folder / "measures.csv").read_text(encoding="utf-8").splitlines()))
    assert list(rows[0]) == ["measure", "unit", "mean", "mean_error"] and all(
        float(row["mean_error"]) > 0 for row in rows
    )
    page = (mean_folder / "tables.html").read_text(encoding="utf-8")
    assert "20 of the 29 distances" in page and "in the mean face" in page
    list(beside.write_tables(mean_folder, tmp_path / "out", tmp_path / "no_template.h5"))
    for name in ("measures.csv", "tables.html"):
        assert (tmp_path / "out" / name).read_bytes() == (mean_folder / name).read_bytes()


@pytest.mark.parametrize("name", ["measures.csv", "tables.html"])
def test_a_table_that_the_mean_does_not_give_may_not_be_published(mean_folder, tmp_path, name):
    folder = tmp_path / "results/release/faces/mean"
    shutil.copytree(mean_folder, folder)
    text = (folder / name).read_text(encoding="utf-8")
    at = max(text.rfind(digit) for digit in "0123456789")
    (folder / name).write_text(f"{text[:at]}{(int(text[at]) + 1) % 10}{text[at + 1 :]}", encoding="utf-8")
    with pytest.raises(RefusedRelease, match="differs from what its release gives"):
        allow_list.check_folder(folder, "faces", release_page.render_page)


def test_words_and_shapes_that_are_no_mean_s_may_not_be_published(mean_folder, tmp_path):
    folder = tmp_path / "results/release/faces/mean"
    shutil.copytree(mean_folder, folder)
    with artifacts.reader(folder / mean_at_landmarks.FILE, artifacts.MEAN_AT_LANDMARKS) as source:
        fields = {name: source[name] for name in artifacts.MEAN_AT_LANDMARKS.fields}
    for changed, match in (
        ({"names": ["Ada Lovelace", *fields["names"][1:]]}, "'Ada Lovelace' is neither a landmark of faces nor"),
        ({"weights": fields["weights"][:, :-1]}, "has shape"),
    ):
        with artifacts.writer(folder / mean_at_landmarks.FILE, artifacts.MEAN_AT_LANDMARKS) as out:
            out.set(**{**fields, **changed})
        with pytest.raises(ArtifactError, match=match):
            allow_list.check_folder(folder, "faces", release_page.render_page)


def test_a_template_with_few_landmarks_gives_no_tables(tmp_path):
    workspace = Workspace(tmp_path)
    workspace.stack()
    folder = workspace.release(name="mean", kind="mean_face", covariates={}, mu=5.0, cap=30.0)[0]
    show_release.show_release(folder)
    assert not {"measures.csv", "tables.html", "mean_at_landmarks.h5"} & {path.name for path in folder.iterdir()}
    allow_list.check_folder(folder, "faces", release_page.render_page)
