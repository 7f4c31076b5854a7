"""A release about a private center exists whatever the records are: declared sizes and settings alone decide."""

import json

import numpy as np
import pytest

import center_shapes
import read_shapes
import release_shapes
import shape_settings
from shapedp.base import artifacts
from shapedp.landmarks import outlines

SETTINGS = {"radius": 0.2, "contour_modes": 0, "center": "private", "persons": "refuse"}
N = 12


def release(folder, records):
    """The statement of a release about a private center."""
    folder.mkdir()
    np.savez(folder / "private.npz", X=records)
    paths = folder / "landmarks.h5", folder / "shapes.h5"
    count = records.shape[1]
    read_shapes.read_shapes(folder / "private.npz", paths[0], "private", landmark_count=count, people=N)
    center_shapes.center_shapes(*paths, "private")
    entry = {"name": "mean", "mechanism": "private_center", "budget": {"mu_total": 3.0}}
    output = folder / "results" / "release" / "shapes" / "mean"
    release_shapes.release_shapes(*paths[::-1], output, entry, SETTINGS, shape_settings.privacy(folder))
    with artifacts.reader(output / "mean_shape.h5", artifacts.RELEASED_SHAPE) as out:
        assert np.isfinite(out["landmarks"]).all()
    return json.loads((output / "statement.json").read_text())


@pytest.mark.parametrize("valid", [0, 1, 2])
@pytest.mark.parametrize("other", [np.nan, 0.0, 1.0])
def test_no_record_decides_whether_a_release_exists(tmp_path, valid, other):
    records = outlines.population(N, 3)[0]
    records[valid:] = other
    stated = release(tmp_path / "some", records)
    assert stated["formally_private"] and stated["release"]["n"] == N
