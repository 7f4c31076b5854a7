"""One's own people, in two deliberate steps: a look that spends nothing, and a release that somebody wrote down."""

import csv
import shutil
import stat

import numpy as np
import pytest
import yaml

from shapedp.landmarks import outlines
from shapedp.ledger.ledger_folder import Ledger
from shapedp.ledger.spending import Cap
from shapedp.privacy.accounting.cost import GAUSSIAN, Cost
from shapedp.surfaces.human_face.demo import scans
from workflow import runs

pytestmark = pytest.mark.thorough

MINE = "my.yaml"
RELEASE = {"name": "mine", "mechanism": "matched_joint", "budget": {"mu_total": 1.5}, "worth_it_anyway": True}
DEMO_WORDS = ("demo_faces", "demo_shapes", "mean_shape", "outlines.npz", "data/demo/faces")


def written(folder, *arguments):
    """The settings file that `shapedp new` writes, made small so that a run takes seconds."""
    runs.command(folder, "shapedp", "new", MINE, *arguments)
    settings = yaml.safe_load((folder / MINE).read_text(encoding="utf-8"))
    if settings["faces"]:
        settings["faces"] |= {"surface": {"rings": 48, "angles": 128}, "registration": {"levels": 2, "basis": 60}}
        settings["faces"]["gates"] = {"energy": 0.3}  # so coarse a registration leaves more
        settings["faces"] |= {"curves": {"count": 23, "samples": 80}, "variation": {"directions": 12, "harmonics": 12}}
        settings["faces"]["bounds"]["reference_count"] = 10
    shutil.copy(runs.ROOT / "config.yaml", folder)  # the demo's, which must not show through
    return settings


def declare(settings, *objects):
    """What whoever releases says of the public objects."""
    settings["privacy"]["tuned_on"] = "public"
    said = dict.fromkeys(objects, "chosen before anybody was measured")
    settings["privacy"]["sources"] = (settings["privacy"]["sources"] or {}) | said


def save(folder, settings):
    (folder / MINE).write_text(yaml.safe_dump(settings, sort_keys=False), encoding="utf-8")


def forecast(folder):
    """Rows of what is worth making, and of what is no better than the public reference."""
    rows = []
    for name in ("forecast.tsv", "forecast_no_better.tsv"):
        with (folder / name).open(encoding="utf-8") as stream:
            rows += csv.DictReader(stream, delimiter="\t")
    return rows


def said(done):
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A folder with scans and a settings file without releases."""
    folder = tmp_path_factory.mktemp("own")
    scans.make_scans(folder / "scans", 4, seed=9, bad=1)
    (folder / "scans/samples.tsv").unlink()
    save(folder, written(folder, "--scans", "scans", "--population", "my_people", "--cap", "2"))
    return folder


@pytest.fixture(scope="module")
def looked(own):
    """The first step, done: what it said."""
    return said(runs.snakemake(own, file=MINE))


def test_nothing_of_the_demo_survives_beside_a_file_of_ones_own(own):
    told = said(runs.snakemake(own, "--dry-run", file=MINE))
    assert [word for word in DEMO_WORDS if word in told] == []
    assert "release" not in {line.split()[0] for line in told.splitlines() if line.strip()}
    assert "faces.releases is empty: nothing will be spent" in told


def test_without_such_a_file_the_demo_runs_with_its_releases(own):
    told = said(runs.snakemake(own, "--dry-run", file=None))
    assert "release_faces/mean_face: Draw the release" in told
    assert "'mean_face' will spend mu = 1;" in told


def test_the_first_step_spends_nothing_and_forecasts(own, looked):
    assert not (own / "data/ledger").exists()
    assert not (own / "results/release").exists()
    rows = [row for row in forecast(own / "results/private/faces") if row["mechanism"] == "matched_joint"]
    noise = {float(row["mu"]): float(row["noise"]) for row in rows}
    assert noise[0.5] == pytest.approx(2 * noise[1.0], rel=1e-3)
    assert all(float(row["sampling"]) > 0 for row in rows)
    left = {float(row["mu"]): float(row["left_mu"]) for row in rows}
    assert left[1.0] == pytest.approx(np.sqrt(2**2 - 1), rel=1e-3)
    assert "this run spends nothing" in looked
    assert "1 of 5 records were rejected (20%)" in looked
    assert "5 people are few" in looked


def test_what_is_about_people_is_closed_to_others(own, looked):
    for folder in (".snakemake", "results/private", "data/demo"):
        assert stat.S_IMODE((own / folder).stat().st_mode) == 0o700, folder
    made = [path for path in (own / "results").rglob("*") if path.is_file()]
    assert made
    assert [path for path in made if path.stat().st_mode & 0o077] == []


def test_the_second_step_spends_and_says_what_is_left(own, looked):
    settings = yaml.safe_load((own / MINE).read_text(encoding="utf-8"))
    declare(settings, "settings")
    settings["faces"]["releases"] = [RELEASE | {"worth_it_anyway": False}]
    save(own, settings)
    refused = said(runs.snakemake(own, "release", file=MINE, check=False))
    assert "release 'mine': no better than the public reference" in refused
    assert not (own / "results/release").exists()
    settings["faces"]["releases"] = [RELEASE]
    save(own, settings)
    planned = said(runs.snakemake(own, "release", "--dry-run", file=MINE))
    assert "'mine' will spend mu = 1.5; then mu = 1.323 is left" in planned
    assert f"start:\n  snakemake release --snakefile {runs.ROOT}" in said(runs.snakemake(own, file=MINE))
    assert not (own / "results/release").exists()
    told = said(runs.snakemake(own, "release", file=MINE))
    assert "what this run spends" in told
    assert "this run spends nothing" not in told
    words = own / "results/private/faces/forecast.txt"
    assert "my_people' had spent mu = 0 of 2" in words.read_text()
    assert "population 'my_people' has spent mu = 1.5 of 2; mu = 1.323 is left" in told
    assert [row["name"] for row in Ledger(own / "data/ledger").list_releases("my_people")] == ["mine"]
    assert {path.name for path in (own / "results/release").iterdir()} == {"faces"}
    again = said(runs.snakemake(own, "release", file=MINE))
    assert "Nothing to be done" in again
    assert "all releases of the settings are made" in said(runs.snakemake(own, file=MINE))


def test_a_dry_run_speaks_of_the_ledger_of_its_own_folder(tmp_path):
    with Ledger(tmp_path / "data/ledger").open_book("demo_faces") as book:
        book.reserve("0" * 64, Cost(GAUSSIAN, mu=3.0), Cap(12.0), None, branch="faces", name="earlier", records="")
    told = said(runs.snakemake(tmp_path, "--dry-run", settings=runs.tiny({"shapes": None})))
    assert "population 'demo_faces' has spent mu = 3 of 12" in told


def test_landmarks_alone_take_the_same_two_steps(tmp_path):
    np.savez(tmp_path / "hands.npz", X=outlines.population(30, 5)[0])
    np.savez(tmp_path / "public.npz", X=outlines.template()[None])
    settings = written(
        tmp_path, "--landmarks", "hands.npz", "--center", "public.npz", "--population", "hands", "--cap", "2"
    )
    save(tmp_path, settings)
    unlooked = runs.snakemake(tmp_path, "release", file=MINE, check=False)
    assert unlooked.returncode == 0, "nothing is asked for yet"
    settings["shapes"]["releases"] = [{"name": "hand", "mechanism": "gaussian", "budget": {"mu_total": 1.0}}]
    declare(settings, "settings", "center", "radius")
    save(tmp_path, settings)
    unlooked = runs.snakemake(tmp_path, "release", file=MINE, check=False)
    assert unlooked.returncode != 0
    assert "nobody has looked at population 'hands' yet" in said(unlooked)
    for _ in range(2):
        told = said(runs.snakemake(tmp_path, file=MINE))
        assert "shapes, radius (0.2 rad): 0 of 30 lie beyond it" in told
        (row,) = (
            row
            for row in forecast(tmp_path / "results/private/shapes")
            if (row["mechanism"], row["mu"]) == ("gaussian", "1")
        )
        assert f"shapes 'hand', gaussian: noise {row['noise']} of the shape's size: {row['verdict']}" in told
        assert "this run spent nothing; to spend, start:" in told
    assert not (tmp_path / "data/ledger").exists()
    assert "gaussian" in {row["mechanism"] for row in forecast(tmp_path / "results/private/shapes")}
    save(tmp_path, settings | {"shapes": settings["shapes"] | {"radius": 0.25}})
    runs.snakemake(tmp_path, file=MINE)
    fitted = said(runs.snakemake(tmp_path, "release", file=MINE, check=False))
    assert "shapes.radius: is 0.25, and was 0.2 when population 'hands' was first looked at" in fitted
    assert not (tmp_path / "data/ledger").exists()
    save(tmp_path, settings)
    runs.snakemake(tmp_path, file=MINE)
    runs.snakemake(tmp_path, "release", file=MINE)
    assert [row["name"] for row in Ledger(tmp_path / "data/ledger").list_releases("hands")] == ["hand"]
    assert not (tmp_path / "results/private/faces").exists()
    refuse_more(tmp_path, settings)


def refuse_more(folder, settings):
    """A release beyond the cap is refused with the remedy, and nobody is told to try the same again."""
    settings["shapes"]["releases"].append({"name": "more", "mechanism": "gaussian", "budget": {"mu_total": 1.9}})
    save(folder, settings)
    told = said(runs.snakemake(folder, "release", file=MINE, check=False))
    assert "'more' asks for mu = 1.9, more than the mu = 1.732 left: it will be refused" in told
    assert "Nothing was started and nothing spent" in told
    assert [row["name"] for row in Ledger(folder / "data/ledger").list_releases("hands")] == ["hand"]
    assert "start the same command again" not in told
    assert "Traceback" not in told


def test_a_release_needs_its_declaration(tmp_path):
    scans.make_scans(tmp_path / "scans", 2, seed=9, bad=0)
    settings = written(tmp_path, "--scans", "scans/samples.tsv", "--population", "few")
    settings["faces"]["releases"] = [RELEASE]
    save(tmp_path, settings)
    done = runs.snakemake(tmp_path, "--dry-run", file=MINE, check=False)
    assert done.returncode != 0
    assert f"{MINE}: privacy.tuned_on: missing" in said(done)
    assert f"{MINE}: privacy.sources.settings: how were the settings chosen" in said(done)
    assert "common.smk" not in said(done)
