"""Landmarks in space from a file to a statement: symmetry, missing landmarks, semilandmarks, repeats, and size."""

import json

import numpy as np
import pytest

import center_shapes
import read_shapes
import release_shapes
import shape_settings
from shapedp.base import artifacts
from shapedp.base.errors import RefusedRelease
from shapedp.privacy.manifolds import landmark_shapes
from shapedp.releases.kinds.mean import shown

K, PAIRS = 12, [[1, 2], [3, 4], [5, 6]]
SHAPED = {"name": "mean_shape", "mechanism": "shaped", "budget": {"mu_total": 1.0}}
SETTINGS = {"radius": 0.2, "contour_modes": 0, "center": "reference_set", "persons": "refuse"}


def people(count, seed):
    """Configurations that vary along five directions, of centroid size 3 to 4, each in a pose of its own."""
    rng = np.random.default_rng(21)
    base, ways = rng.normal(size=(K, 3)), rng.normal(size=(5, K, 3))
    base[1:6:2] = base[0:6:2] * [-1, 1, 1]
    rng = np.random.default_rng(seed)
    shapes = landmark_shapes.unit(base + 0.05 * np.einsum("nw,wkd->nkd", rng.normal(size=(count, 5)), ways))[0]
    turns = np.linalg.qr(rng.normal(size=(count, 3, 3)))[0]
    turns[:, 0] *= np.linalg.det(turns)[:, None]
    return shapes @ turns * np.exp(rng.normal(1.25, 0.04, (count, 1, 1))) + rng.normal(size=(count, 1, 3))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("space")
    private = people(150, 1)
    private[3, 5], private[4] = np.nan, np.nan
    for name, shapes in (("private", private), ("public", people(30, 2))):
        np.savez(folder / f"{name}.npz", X=shapes)
    read_shapes.read_shapes(folder / "private.npz", folder / "landmarks.h5", "reference_set", folder / "public.npz")
    return folder


def centered(folder, tmp_path, **asked):
    path = tmp_path / "shapes.h5"
    tmp_path.mkdir(exist_ok=True)
    center_shapes.center_shapes(folder / "landmarks.h5", path, "reference_set", folder / "public.npz", **asked)
    with artifacts.reader(path, artifacts.SHAPES) as source:
        return path, {name: source[name] for name in artifacts.SHAPES.fields}


def released(folder, tmp_path, shapes_path, entry=SHAPED, **settings):
    privacy = shape_settings.privacy(tmp_path, population={"shapes": "skulls"})
    output = tmp_path / "results" / "release" / "shapes" / entry["name"]
    settings = {**SETTINGS, "reference_set": folder / "public.npz", **settings}
    release_shapes.release_shapes(shapes_path, folder / "landmarks.h5", output, entry, settings, privacy)
    with artifacts.reader(output / "mean_shape.h5", artifacts.RELEASED_SHAPE) as source:
        return json.loads((output / "statement.json").read_text()), {
            name: source[name] for name in artifacts.RELEASED_SHAPE.fields
        }


def test_a_mean_shape_in_space_is_released_nearer_to_the_mean_than_the_center_is(folder, tmp_path):
    path, shapes = centered(folder, tmp_path)
    assert shapes["ok"].tolist() == [index != 4 for index in range(150)]
    assert shapes["reasons"][3] == "1 landmark is missing, and filled in from public shapes"
    center_shapes.mean_shape(path, tmp_path / "mean.h5")
    with artifacts.reader(tmp_path / "mean.h5", artifacts.MEAN_SHAPE) as source:
        mean = source["mean"]
    stated, found = released(folder, tmp_path, path)
    assert stated["formally_private"], stated["reasons"]
    assert found["landmarks"].shape == (K, 3) and np.isnan(found["size"])
    far = landmark_shapes.dist(mean, np.stack([found["landmarks"], found["center"]]))
    assert far[0] < 0.5 * far[1]
    assert found["noise_covariance"].trace(axis1=1, axis2=2).sum() == pytest.approx(
        found["noise_radius"] ** 2, rel=0.01
    )


def test_a_symmetric_release_is_symmetric_and_its_size_is_that_of_the_people(folder, tmp_path):
    path, shapes = centered(folder, tmp_path, pairs=PAIRS, semilandmarks=[[7, 8, 9]])
    stated, found = released(folder, tmp_path, path, size=[2.5, 5.0])
    swapped = found["landmarks"][[1, 0, 3, 2, 5, 4, *range(6, K)]] * [-1, 1, 1]
    assert landmark_shapes.dist(found["landmarks"], swapped) < 1e-6
    assert stated["formally_private"] and stated["settings"]["size"] == [2.5, 5.0]
    assert found["size"] == pytest.approx(np.exp(np.nanmean(shapes["log_sizes"])), rel=0.05)
    said = f"The mean centroid size is {found['size']:.6g} in the unit of the files, noise included (standard dev"
    assert said in shown.view_shape(found, b"").section


def test_semilandmarks_that_slid_to_the_least_bending_energy_have_none_left_along_the_curve(folder, tmp_path):
    rows = [[7, 8, 9], [8, 9, 10]]
    path, shapes = centered(folder, tmp_path, semilandmarks=rows, sliding="bending_energy")
    assert shapes["slid"].shape == (2, K, 3) and len(shapes["ignored"]) == 0
    _, nearest = centered(folder, tmp_path / "nearest", semilandmarks=rows)
    stated, found = released(folder, tmp_path, path, semilandmarks=rows, sliding="bending_energy")
    assert stated["formally_private"] and stated["settings"]["sliding"] == "bending_energy"
    b = landmark_shapes.bending_matrix(shapes["center"])
    along = {
        name: np.abs(np.einsum("skd,kl,...ld->...s", shapes["slid"], b, one - shapes["center"])).max()
        for name, one in (("slid", shapes["shapes"]), ("nearest", nearest["shapes"]), ("release", found["landmarks"]))
    }
    assert along["slid"] < 1e-9 * along["nearest"] and along["release"] < 1e-5 * along["nearest"]


def test_what_is_for_the_plane_alone_is_refused_in_space(folder, tmp_path):
    path, _ = centered(folder, tmp_path)
    for mechanism, budget in (("laplace", "epsilon"), ("gaussian", "mu_total"), ("pointwise_laplace", "epsilon")):
        entry = {"name": "other", "mechanism": mechanism, "budget": {budget: 1.0}}
        with pytest.raises(RefusedRelease, match=f"`{mechanism}` is for landmarks in the plane"):
            released(folder, tmp_path, path, entry)


def test_leaving_landmarks_out_releases_what_files_without_them_do(folder, tmp_path):
    out = [2, 11]
    kept = np.delete(np.arange(K), np.array(out) - 1)
    for name in ("private", "public"):
        with np.load(folder / f"{name}.npz") as source:
            np.savez(tmp_path / f"{name}.npz", X=source["X"][:, kept])
    found, seeded = [], SHAPED | {"reproduction": True}
    for files, named in ((folder, {"leave_out": out}), (tmp_path, {})):
        place = tmp_path / f"of_{len(found)}"
        place.mkdir()
        sources = [files / f"{name}.npz" for name in ("private", "public")]
        paths = [place / f"{name}.h5" for name in ("landmarks", "shapes")]
        read_shapes.read_shapes(sources[0], paths[0], "reference_set", sources[1], **named)
        center_shapes.center_shapes(*paths, "reference_set", sources[1], semilandmarks=[[6, 7, 8]], **named)
        privacy = shape_settings.privacy(place, population={"shapes": "skulls"}, seed=1)
        section = SETTINGS | {"reference_set": str(sources[1]), "links": [[1, 2]]} | named
        output = place / "results" / "release" / "shapes" / "mean_shape"
        release_shapes.release_shapes(paths[1], paths[0], output, seeded, section, privacy)
        with artifacts.reader(output / "mean_shape.h5", artifacts.RELEASED_SHAPE) as source:
            found.append((source["landmarks"], source["noise_radius"], output))
    assert np.array_equal(found[0][0], found[1][0]) and found[0][0].shape == (K - 2, 3)
    assert found[0][1] == found[1][1]
    told, silent = (output / "statement.md" for _, _, output in found)
    assert json.loads(told.with_suffix(".json").read_text())["settings"]["leave_out"] == out
    assert "Left out: landmarks 2, 11 of the files" in told.read_text()
    assert "Left out" not in silent.read_text()
