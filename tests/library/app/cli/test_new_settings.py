"""What `shapedp new` writes is what the demo runs on, is valid with and without its comments,."""

import re

import numpy as np
import pytest
from typer.testing import CliRunner

from shapedp.app import workflow
from shapedp.app.cli import commands, new_settings
from shapedp.base import settings, writers
from shapedp.base.errors import ConfigError
from shapedp.base.settings import pages, schema
from shapedp.landmarks import outlines
from shapedp.surfaces.human_face.demo import scans

OWN = {"scans", "demo", "keep", "releases"}  # what may differ between the demo's faces and somebody's own


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three scans, each of its own person, without a sheet."""
    made = tmp_path_factory.mktemp("own") / "scans"
    scans.make_scans(made, 3, seed=9, bad=0)
    (made / "samples.tsv").unlink()
    return made


@pytest.fixture
def new(tmp_path, monkeypatch):
    """Run the command in an empty folder; (what it printed, the settings it wrote)."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        done = CliRunner().invoke(commands.app, ["new", "my.yaml", "--population", "mine", *map(str, arguments)])
        if done.exception and not isinstance(done.exception, SystemExit):
            raise done.exception
        assert done.exit_code == 0, done.output
        return done.output, settings.load("my.yaml")

    return run


@pytest.fixture
def shapes_file(tmp_path):
    np.savez(tmp_path / "hands.npz", X=outlines.population(6, 5)[0])
    return tmp_path / "hands.npz"


def test_faces_are_processed_as_the_demos_are(new, folder):
    _, mine = new("--scans", folder)
    demo = settings.check(pages.make_demo())["faces"]
    assert {key: value for key, value in mine["faces"].items() if key not in OWN} == {
        key: value for key, value in demo.items() if key not in OWN
    }
    assert mine["faces"]["keep"] == ["curves"]


def test_it_says_what_keeping_the_curves_alone_means(new, folder):
    told, _ = new("--scans", folder)
    assert "keep: [curves] means: one job takes a batch of faces through all steps" in told


def test_what_is_in_comments_is_valid_without_them(new, folder, shapes_file, tmp_path):
    new("--scans", folder, "--landmarks", shapes_file)
    text = (tmp_path / "my.yaml").read_text(encoding="utf-8")
    (tmp_path / "said.yaml").write_text(re.sub(r"^( {2,4})# (?=[a-z_]+: )", r"\1", text, flags=re.M), encoding="utf-8")
    said = settings.load(tmp_path / "said.yaml")
    assert said["privacy"]["tuned_on"] == "public"
    assert set(said["privacy"]["sources"]) == {"settings", "template", "bounds", "center", "radius"}
    said["faces"]["releases"] = schema.find_meaning("faces.releases")["demo"]
    settings.check(said)


def test_what_is_chosen_is_written(new, folder):
    _, mine = new("--scans", folder, "--persons", "average", "--reference-set", "formula", "--extent", "0.46")
    assert (mine["faces"]["persons"], mine["faces"]["extent"]["radius"]) == ("average", 0.46)
    assert mine["faces"]["bounds"]["reference_set"] == "formula"


def test_several_reference_sets_are_written_as_a_list(new, folder, tmp_path):
    (tmp_path / "public").mkdir()
    for index in (1, 2):
        writers.write_scan(tmp_path / f"public/ours_{index}.ply", scans.scan(3, index))
    _, mine = new("--scans", folder, "--reference-set", "built_in", "--reference-set", "public")
    assert mine["faces"]["bounds"]["reference_set"] == ["built_in", "public"]


def test_a_public_template_of_ones_own_is_to_be_declared(new, folder, tmp_path):
    writers.write_scan(tmp_path / "public.ply", scans.scan(3, 0))
    _, mine = new("--scans", folder, "--template", "public.ply")
    assert mine["faces"]["template"] == "public.ply"
    assert mine["privacy"]["sources"] == {"bounds": "built_in"}


def test_a_sheet_in_the_folder_is_used_and_is_no_scan(new, folder, tmp_path):
    sheet = tmp_path / "sheet"
    sheet.mkdir()
    for path in folder.iterdir():
        (sheet / path.name).write_bytes(path.read_bytes())
    whose = zip(sorted(folder.iterdir()), ("adam", "zoe", "zoe"), strict=True)
    rows = [f"{path.stem}\t{path.name}\t{person}" for path, person in whose]
    (sheet / "people.csv").write_text("\n".join(["id\tpath\tperson", *rows]) + "\n", encoding="utf-8")
    told, mine = new("--scans", sheet)
    assert mine["faces"]["scans"].endswith("people.csv")
    assert "people.csv: is used as the sample sheet" in told
    assert ": 3 scans of 2 people" in told
    assert mine["privacy"]["people"] == {"faces": 2}
    assert "1 people have several scans, such as 'zoe', and a run stops at them (persons: refuse)" in told


def test_a_sheet_that_a_glob_passes_over_is_told_and_by_a_run_too(new, tmp_path, capsys):
    for name in ("p00.obj", "p01.obj"):
        (tmp_path / name).write_text(f"# {name}")
    (tmp_path / "sheet.csv").write_text("path,person\np00.obj,a\np01.obj,a\n", encoding="utf-8")
    told, mine = new("--scans", "*.obj")
    words = "the sample sheet 'sheet.csv' lies beside the scans and is not used, since faces.scans is a glob"
    assert ": 2 scans of 2 people" in told and words in told
    workflow.Run(mine, "my.yaml", tmp_path, first=True)
    assert f"shapedp: WARNING: {words}" in capsys.readouterr().err


def test_records_and_people_of_landmarks_are_counted(new, shapes_file, tmp_path):
    (tmp_path / "sheet.csv").write_text(
        "id,person\n" + "".join(f"hands_{number:05d},p{number // 2}\n" for number in range(1, 7)), encoding="utf-8"
    )
    told, mine = new("--landmarks", shapes_file, "--sheet", "sheet.csv", "--persons", "average")
    assert ": 6 records of 4 people" in told
    assert mine["shapes"]["sheet"] == "sheet.csv"
    assert "shapes.center: data is NOT private" in told and told.index("--reference-set") < told.index("--center)")
    assert "`center: private` and `landmark_count: " in told and "`contour_modes: 16`" in told


def test_groups_and_times_of_a_sheet_are_told_with_the_keys_that_take_them(new, shapes_file, tmp_path):
    when = ("before", "after")
    rows = (f"hands_{number:05d},p{number // 2},g{number // 4},{when[number % 2]}\n" for number in range(1, 7))
    (tmp_path / "sheet.csv").write_text("id,person,group,time\n" + "".join(rows), encoding="utf-8")
    told, _ = new("--landmarks", shapes_file, "--sheet", "sheet.csv")
    assert "groups: g0, g1. A release takes one by `group: NAME`" in told
    assert "times: after, before. A mean_change takes two by `times: [FIRST, SECOND]`" in told


def test_a_mean_at_one_time_is_told_of_faces_alone_as_the_schema_has_it(new, tmp_path):
    for name in ("a.ply", "b.ply"):
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / "sheet.csv").write_text("path,person,time\na.ply,anna,before\nb.ply,bea,after\n", encoding="utf-8")
    told, _ = new("--scans", "sheet.csv")
    assert "times: before, after. A release takes one by `time: NAME`, a mean_change takes two by `times" in told
    taken = {
        branch: "time" in schema.find_meaning(f"{branch}.releases[]")["properties"] for branch in ("faces", "shapes")
    }
    assert taken == {"faces": True, "shapes": False}


def test_a_public_set_of_landmarks_is_the_center(new, shapes_file, tmp_path):
    np.savez(tmp_path / "public.npz", X=outlines.population(5, 6)[0])
    told, mine = new("--landmarks", shapes_file, "--reference-set", "public.npz")
    assert (mine["shapes"]["center"], mine["shapes"]["reference_set"]) == ("reference_set", "public.npz")
    assert "NOT private" not in told


def test_without_anything_public_the_number_of_landmarks_is_written(new, shapes_file):
    told, mine = new("--landmarks", shapes_file, "--center", "private")
    count = outlines.template().shape[0]
    assert (mine["shapes"]["center"], mine["shapes"]["landmark_count"]) == ("private", count)
    assert f"shapes.landmark_count: {count}, as most records have" in told


def test_a_record_of_another_number_of_landmarks_refuses_no_file(new, tmp_path):
    whole = "".join(f"LM=3\n0 0\n1 0.{at}\n0 1\nID=r{at}\n" for at in range(4))
    (tmp_path / "odd.tps").write_text(whole + "LM=4\n0 0\n1 0\n0 1\n1 1\nID=odd\n", encoding="utf-8")
    (tmp_path / "one.tps").write_text("LM=3\n0 0\n1 0\n0 1\nID=public\n", encoding="utf-8")
    told, _ = new("--landmarks", "odd.tps", "--center", "one.tps")
    assert ": 5 records of 5 people" in told


def test_a_center_of_several_shapes_is_refused_before_a_run_does(new, shapes_file, tmp_path):
    np.savez(tmp_path / "public.npz", X=outlines.population(5, 6)[0])
    with pytest.raises(ConfigError, match=r"--center public.npz: .*a center is one: give --reference-set public.npz"):
        new("--landmarks", shapes_file, "--center", "public.npz")


def test_two_sheets_in_a_folder_are_not_chosen_between(tmp_path):
    for name in ("a.tsv", "b.tsv"):
        (tmp_path / name).write_text("id\tpath\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"holds 2 sample sheets, a\.tsv and b\.tsv; name the one"):
        new_settings.find_sheet(tmp_path)


def test_a_block_pasted_at_the_end_is_named_as_a_key_that_stands_twice(new, folder, tmp_path):
    new("--scans", folder)
    with (tmp_path / "my.yaml").open("a", encoding="utf-8") as stream:
        stream.write("privacy:\n  tuned_on: public\n")
    with pytest.raises(ConfigError, match=r"the key 'privacy' stands twice, in lines \d+ and \d+; put both into one"):
        settings.load(tmp_path / "my.yaml")


def test_a_section_whose_lines_are_all_comments_is_empty():
    given = pages.make_demo()
    given["faces"]["releases"], given["shapes"] = [], None
    given["privacy"]["sources"] = None
    assert settings.check(given)["privacy"]["sources"] == {}
