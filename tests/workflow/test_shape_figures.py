"""Every figure of the shapes' branch is drawn by its rule on a few outlines, shows something, and names its axes."""

import csv
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from PIL import Image

from workflow import runs

pytestmark = pytest.mark.thorough

SMALL = {"shapes.demo": {"count": 12, "seed": 7}, "shapes.contour_modes": 10}
FIGURES = "results/private/shapes/figures"
WORDS = {  # figure: texts that must stand in it
    "outlines": {"records", "mean", "x (unit size)", "y (unit size)", "from the mean (rad)", "records (count)"},
    "releases": {
        "KNG",
        "Laplace",
        "Gaussian",
        "point-wise, aligned",
        "point-wise, unaligned",
        "smoothed",
        "public center, no data",
        "sampling error",
        "x (unit size)",
    },
    "distances": {"distance from the true mean (rad)", "KNG, 10 modes; epsilon = 1", "records from their mean"},
}


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """The folder of a run that has drawn them."""
    folder = tmp_path_factory.mktemp("shape_figures")
    runs.snakemake(folder, *(f"{FIGURES}/{name}.png" for name in WORDS), settings=runs.tiny(SMALL))
    return folder


@pytest.mark.parametrize("name", WORDS)
def test_it_shows_something_in_colour(done, name):
    pixels = np.asarray(Image.open(done / FIGURES / f"{name}.png").convert("RGB")).astype(int)
    coloured = np.ptp(pixels, axis=-1) > 40
    assert coloured.mean() > 0.001
    edge = np.concatenate([pixels[:2].ravel(), pixels[-2:].ravel(), pixels[:, :2].ravel(), pixels[:, -2:].ravel()])
    assert (edge > 200).all(), "something is cut off at the figure's edge"


@pytest.mark.parametrize("name", WORDS)
def test_its_texts_stand_in_it(done, name):
    root = ElementTree.parse(done / FIGURES / f"{name}.svg").getroot()
    texts = {"".join(one.itertext()).strip() for one in root.iter() if one.tag.endswith("text")}
    assert WORDS[name] <= texts


def test_the_table_compares_each_mechanism_at_its_guarantee(done):
    with (done / "results/private/shapes/comparison.tsv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    assert [(row["mechanism"], row["modes"]) for row in rows] == [
        *((name, "10") for name in ("shaped", "knorm") if name in {row["mechanism"] for row in rows}),
        *((name, modes) for name in ("kng", "laplace", "gaussian") for modes in ("0", "10")),
        *((f"pointwise_laplace{form}", "0") for form in ("", "_aligned", "_unaligned")),
        ("public center, no data", "0"),
        ("sampling error", "0"),
    ]
    *rows, _, _ = rows
    assert {row["guarantee"] for row in rows} == {"epsilon = 1", "mu = 0.2367: (1, 1e-06)", "none (as published)"}
    assert all(0 < float(row["distance_se"]) < float(row["distance"]) < np.pi / 2 for row in rows)
