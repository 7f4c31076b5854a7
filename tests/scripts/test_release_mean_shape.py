"""A shape release from files to statement: private with public inputs, not with private shapes among them."""

import json

import numpy as np
import pytest

import center_shapes
import read_shapes
import release_mean_shape
from shapedp import artifacts
from shapedp.demo import outlines
from shapedp.releases.ledger import Ledger

GAUSSIAN = {"name": "mean_shape", "mechanism": "gaussian", "budget": {"mu_total": 1.0}}
LAPLACE = {"name": "mean_shape", "mechanism": "laplace", "budget": {"epsilon": 1.0}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Private outlines, others that are public, one outline of each."""
    folder = tmp_path_factory.mktemp("outlines")
    private, public = (outlines.population(20, seed)[0] for seed in (1, 2))
    for name, found in (("private", private), ("public", public), ("one_private", private[3:4]), ("one", public[:1])):
        np.savez(folder / f"{name}.npz", X=found)
    read_shapes.read_shapes(folder / "private.npz", folder / "landmarks.h5")
    return folder


def release(folder, tmp_path, center, reference_set=None, entry=GAUSSIAN, seed=None, **asked):
    """(statement, released noise radius) of a release about a center."""
    shapes = tmp_path / "shapes.h5"
    center_shapes.center_shapes(folder / "landmarks.h5", shapes, center, reference_set)
    entry = {**entry, **asked}
    output = tmp_path / "results" / "release" / "shapes" / entry["name"]
    privacy = {
        "ledger": tmp_path / "ledger",
        "population": {"shapes": "people"},
        "cap": {"shapes": {"mu_total": 12.0}},
        "seed": seed,
        "tuned_on": "public",
        "sources": {"settings": "demo", "center": "demo", "radius": "demo"},
        "statement": {},
    }
    settings = {"radius": 0.2, "modes": 10, "center": center}
    release_mean_shape.release_mean_shape(shapes, folder / "landmarks.h5", output, entry, settings, privacy)
    with artifacts.reader(output / "mean_shape.h5", artifacts.RELEASED_SHAPE) as source:
        noise_radius = source["noise_radius"]
    return json.loads((output / "statement.json").read_text()), noise_radius


@pytest.mark.parametrize("entry", [GAUSSIAN, LAPLACE])
@pytest.mark.parametrize(("center", "reference_set"), [("demo", None), ("reference_set", "public"), ("one", None)])
def test_public_inputs_give_a_private_release(folder, tmp_path, center, reference_set, entry):
    reference_set = reference_set and folder / f"{reference_set}.npz"
    center = center if center in release_mean_shape.CENTERS else str(folder / f"{center}.npz")
    stated, _ = release(folder, tmp_path, center, reference_set, entry)
    assert stated["formally_private"], stated["reasons"]


@pytest.mark.parametrize(("center", "reference_set"), [("reference_set", "private"), ("one_private", None)])
def test_a_center_that_is_made_of_private_shapes_is_not_public_whatever_it_is_called(
    folder, tmp_path, center, reference_set
):
    reference_set = reference_set and folder / f"{reference_set}.npz"
    center = center if center in release_mean_shape.CENTERS else str(folder / f"{center}.npz")
    stated, _ = release(folder, tmp_path, center, reference_set, reproduction=True)
    assert stated["reasons"] == ["The reference or center is computed from the private data."]
    assert stated["settings"]["center"] == "data"
    assert Ledger(tmp_path / "ledger").table("people")[0]["guarantee"] == "none"


def test_a_seed_takes_the_verdict_and_does_not_show(folder, tmp_path):
    stated, _ = release(folder, tmp_path, "demo", seed=987654321, reproduction=True)
    assert not stated["formally_private"] and len(stated["reasons"]) == 1
    assert "987654321" not in json.dumps(stated)


@pytest.mark.parametrize("entry", [GAUSSIAN, LAPLACE])
def test_other_data_do_not_move_the_noise(folder, tmp_path, entry):
    """As many people, of another kind, one of them far away: the same noise, bounds and sensitivity."""
    other, _ = outlines.population(20, 9)
    other[0] = np.column_stack([np.arange(50.0), np.arange(50.0) ** 2])
    (tmp_path / "other").mkdir()
    np.savez(tmp_path / "other" / "private.npz", X=other)
    read_shapes.read_shapes(tmp_path / "other" / "private.npz", tmp_path / "other" / "landmarks.h5")
    one = release(folder, tmp_path, "demo", entry=entry)
    two = release(tmp_path / "other", tmp_path / "other", "demo", entry=entry)
    assert one[1] == two[1]
    assert one[0]["mechanism"] == two[0]["mechanism"] and one[0]["noise"] == two[0]["noise"]
