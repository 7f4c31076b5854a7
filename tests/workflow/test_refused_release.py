"""A refused release leaves the former one whole, and nothing lies under results/release/ without a statement."""

import shutil

import pytest

from shapedp.ledger.ledger_folder import Ledger
from workflow import runs

pytestmark = pytest.mark.thorough

PAGE = "results/release/shapes/mean_shape/index.html"
SMALL = {"shapes.demo": {"count": 12, "seed": 7}, "shapes.contour_modes": 10}


def settings(mu, name="mean_shape", **more):
    entry = {"name": name, "mechanism": "gaussian", "budget": {"mu_total": mu}, **more}
    return runs.tiny({**SMALL, "shapes.releases": [entry]})


def shown(folder):
    root = folder / "results/release"
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def folders(folder):
    return [path.name for path in (folder / "results/release").glob("*/*")]


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    folder = tmp_path_factory.mktemp("released")
    runs.snakemake(folder, PAGE, settings=settings(1.0))
    return folder


@pytest.fixture
def done(released, tmp_path):
    return shutil.copytree(released, tmp_path / "done")


def test_other_settings_under_the_same_name_are_refused_and_the_former_release_stays(done):
    before = shown(done)
    refused = runs.snakemake(done, PAGE, settings=settings(2.0), check=False)
    assert refused.returncode != 0
    assert "give this one a new name in shapes.releases" in refused.stderr + refused.stdout
    assert shown(done) == before
    runs.snakemake(done, PAGE, settings=settings(1.0))
    assert shown(done) == before
    assert len(Ledger(done / "data/ledger").list_releases("demo_shapes")) == 1


def test_what_is_shown_stays_where_showing_it_again_fails(done):
    before, folder = shown(done), (done / PAGE).parent
    released = folder / "mean_shape.h5"
    content = released.read_bytes()
    released.write_bytes(content + b" ")
    failed = runs.snakemake(done, "--forcerun", "show_release", "--", PAGE, settings=settings(1.0), check=False)
    assert failed.returncode != 0 and "mean_shape.h5" in failed.stderr + failed.stdout
    released.write_bytes(content)
    assert shown(done) == before
    runs.snakemake(done, PAGE, settings=settings(1.0))
    assert shown(done) == before


def test_a_refused_first_release_leaves_no_folder(done):
    page = PAGE.replace("mean_shape/", "second/")
    for asked in (settings(20.0, "second"), settings(1.0, "second", mechanism="pointwise_laplace_aligned")):
        entry = asked["shapes"]["releases"][0]
        if entry["mechanism"] != "gaussian":
            entry["budget"] = {"epsilon": 1.0}
        refused = runs.snakemake(done, page, settings=asked, check=False)
        assert refused.returncode != 0
        assert folders(done) == ["mean_shape"]


def test_a_lost_release_is_shown_again_from_the_ledger(done):
    before = shown(done)
    shutil.rmtree(done / "results/release")
    runs.snakemake(done, PAGE)
    assert shown(done) == before
    assert len(Ledger(done / "data/ledger").list_releases("demo_shapes")) == 1
