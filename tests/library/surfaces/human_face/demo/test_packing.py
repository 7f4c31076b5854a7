"""The packed model against the file that it was made from, where that lies beside the checkout."""

import csv
import hashlib

import numpy as np
import pytest
from scipy.spatial import cKDTree

from benchmarks import pack_public_faces as packing
from shapedp.surfaces import topology
from shapedp.surfaces.human_face import real_faces


@pytest.fixture
def source(shared_data):
    return shared_data / "faces" / "ict_faces.npz"


def test_the_packed_file_is_what_the_command_makes(source, tmp_path):
    made = tmp_path / "again.npz", tmp_path / "expressions.npz"
    packing.pack(source, source.with_name("ict_expressions.npz"), *made)
    with np.load(made[1]) as again, np.load(packing.PACKED_EXPRESSIONS) as packed:
        assert np.array_equal(again["names"], packed["names"])
        assert np.abs(again["expressions"].astype(int) - packed["expressions"]).max() <= 1
    with np.load(made[0]) as again, np.load(packing.PACKED) as packed:
        assert sorted(again) == sorted(packed)
        for name in ("triangles", "nose_tip", "source", "modes_scale"):
            assert np.array_equal(again[name], packed[name])
        for name in ("mean", "modes"):  # the membranes are solved for: rounding differs from machine to machine
            assert np.abs(again[name].astype(int) - packed[name]).max() <= 1


def test_skin_and_modes_are_the_sources(source):
    with np.load(source, allow_pickle=False) as data:
        ict = {name: data[name] for name in ("mean", "modes", "triangles")}
    far, here = cKDTree(10 * ict["mean"]).query(real_faces.template())
    skin = far < 0.03  # mm: the mean is made symmetric
    assert skin.sum() > 5300
    kept = np.flatnonzero(skin)
    assert len(np.unique(here[kept])) == len(kept)
    largest = np.argsort(-(ict["modes"].astype(float) ** 2).sum(axis=(1, 2)), kind="stable")[: real_faces.count()]
    off = real_faces.modes()[:, kept] - 10 * ict["modes"][largest][:, here[kept]]
    assert np.abs(off).max() <= packing.STEP_MM / 2 + 1e-6


def test_skin_and_expressions_are_the_sources(source):
    with np.load(source.with_name("ict_expressions.npz"), allow_pickle=False) as data:
        names, shapes = data["names"].tolist(), 10 * data["expressions"].astype(float)
    with np.load(source, allow_pickle=False) as data:
        far, here = cKDTree(10 * data["mean"]).query(real_faces.template())
    skin = far < 0.03  # mm: the mean is made symmetric
    for name, shape in zip(real_faces.expression_names(), real_faces.expressions(), strict=True):
        off = shape[skin] - shapes[names.index(name)][here[skin]]
        assert np.abs(off).max() <= packing.EXPRESSION_STEP_MM / 2 + 1e-5, name
    jaw = real_faces.expressions()[real_faces.expression_names().index("jawOpen")]
    assert jaw[:, 1].min() < -35, "mm: the chin goes down"


def test_the_mean_is_symmetric_and_the_file_is_small():
    mean = real_faces.template()
    distance, partner = cKDTree(mean).query(mean * [-1, 1, 1])
    assert distance.max() < 0.01, "mm, of integers"
    assert np.array_equal(partner[partner], np.arange(len(mean)))
    assert packing.PACKED.stat().st_size + packing.PACKED_EXPRESSIONS.stat().st_size < 2.5e6
    assert packing.PACKED.with_name("ict_facekit.LICENSE").read_text().startswith("MIT License")


def _rim(count):
    angle = np.linspace(0, 2 * np.pi, count, endpoint=False)
    return np.stack([15 * np.cos(angle), 8 * np.sin(angle), 0 * angle], axis=1)


def test_a_membrane_over_a_flat_rim_is_flat_and_spans_it():
    rim = _rim(40)
    weights, triangles = packing.membrane(rim)
    points = np.concatenate([rim, weights @ rim])
    assert not topology.fault(triangles, len(points))
    assert np.abs(points[:, 2]).max() < 1e-12
    assert np.allclose(weights.sum(axis=1), 1)
    a, b, c = (points[triangles[:, k]] for k in range(3))
    assert np.cross(b - a, c - a)[:, 2].sum() / 2 == pytest.approx(15 * 8 * np.pi, rel=0.01)


def test_a_patch_goes_on_as_the_skin_round_it_does():
    """Of skin on a ball of 60 mm a plate lies near the ball, where a membrane sinks to the rim."""
    inner, triangles = _rim(40), []
    skin = np.concatenate([inner, *(inner * size for size in (1.1, 1.2, 1.3))])
    for ring in range(3):
        k, after = np.arange(40), (np.arange(40) + 1) % 40
        triangles += [np.column_stack([40 * ring + k, 40 * ring + 40 + k, 40 * ring + 40 + after])]
        triangles += [np.column_stack([40 * ring + k, 40 * ring + 40 + after, 40 * ring + after])]
    weights, inside = packing.membrane(inner)
    new = len(skin) + np.arange(len(weights))
    triangles = np.concatenate([*triangles, np.append(np.arange(40), new)[inside]])
    flat = np.concatenate([skin, weights @ inner])
    how, height = packing.plate(flat, triangles, new)
    assert np.allclose(how.sum(axis=1), 1)
    assert height[:, 2].max() == pytest.approx(1) and height.min() > -1e-9, "outwards"
    ball = np.sqrt(60**2 - (flat[:, :2] ** 2).sum(axis=1))
    assert np.abs(how @ ball[: len(skin)] - ball[len(skin) :]).max() < 0.1, "mm"
    assert np.abs(weights @ ball[:40] - ball[len(skin) :]).max() > 0.8, "mm"


def test_rings_count_edges_from_a_loop():
    strip = np.array([[0, 1, 2], [1, 3, 2], [2, 3, 4], [3, 5, 4], [4, 5, 6]])
    assert packing.rings(strip, [0], 2).tolist() == [0, 1, 1, 2, 2, 3, 3]


def test_a_model_without_mirrored_pairs_is_refused():
    with pytest.raises(ValueError, match="mirrored pairs"):
        packing.mirrored(np.array([[1.0, 0, 0], [-1, 0, 0], [-1.1, 0, 0]]))


def test_the_packed_file_is_the_one_whose_digest_is_noted():
    with packing.PACKED.with_name("files.tsv").open(encoding="utf-8") as stream:
        rows = {row["file"]: row["sha256"] for row in csv.DictReader(stream, delimiter="\t")}
    paths = packing.PACKED, packing.PACKED_EXPRESSIONS
    assert rows == {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}
