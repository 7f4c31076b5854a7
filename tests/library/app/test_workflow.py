"""A run as its rules see it: the settings and people are checked once, and paths follow from the settings."""

import os
import pickle
import subprocess
import sys
from copy import deepcopy

import numpy as np
import pytest

from shapedp.app import workflow
from shapedp.base import writers
from shapedp.base.runs import code_digest
from shapedp.base.settings import pages
from shapedp.surfaces.human_face.demo import scans

MODEL = {"name": "model", "kind": "face_model", "mechanism": "shaped", "budget": {"mu_total": 1.0}}


def run_of(folder, monkeypatch, first=True, root=None, people=63, **faces):
    """A Run of the demo's settings for faces, in an empty folder."""
    monkeypatch.chdir(folder)
    config = deepcopy(pages.make_demo())
    config["shapes"], config["privacy"]["people"]["faces"] = None, people
    config["faces"] |= faces
    return workflow.Run(config, "config.yaml", root or folder, first)


def test_the_opening_of_a_run_begins_with_the_code_that_settings_bring(tmp_path, monkeypatch):
    run = run_of(tmp_path, monkeypatch)
    monkeypatch.setattr(workflow.registry, "describe_foreign_code", lambda found: [f"code of {len(found)}"])
    assert run.describe_spending()[0] == f"code of {len(run.config)}"


@pytest.mark.parametrize(
    ("template", "reference_set", "names"),
    [
        ("mine.ply", ["built_in", "own/*.ply"], ["1", "2"]),
        ("mine.ply", ["built_in"], []),
        ("built_in", ["built_in", "own/*.ply"], []),
    ],
)
def test_own_public_faces_teach_a_template_of_ones_own_alone(tmp_path, monkeypatch, template, reference_set, names):
    (tmp_path / "own").mkdir()
    for path in ("mine.ply", "own/1.ply", "own/2.ply"):
        (tmp_path / path).write_bytes(path.encode())
    bounds = pages.make_demo()["faces"]["bounds"] | {"reference_set": reference_set}
    run = run_of(tmp_path, monkeypatch, first=False, template=template, bounds=bounds)
    assert [name for name, *_ in run.list_specimens()] == names


def test_what_stands_for_a_release_is_its_marker_and_its_page(tmp_path, monkeypatch):
    run = run_of(tmp_path, monkeypatch, releases=[*pages.make_demo()["faces"]["releases"], MODEL])
    assert run.list_markers_and_pages("faces") == [
        "results/private/shown/faces/mean_face.json",
        "results/private/shown/faces/model.json",
        "results/release/faces/mean_face/index.html",
        "results/release/faces/model/index.html",
    ]
    assert run.match_names("faces", "face_model") == "model"
    assert run.match_names("faces", "shape_model") == "(?!)"
    assert workflow.release_folder(run.list_markers_and_pages("faces")[0]) == "results/release/faces/mean_face"


def test_a_reproduction_stays_in_the_house(tmp_path, monkeypatch):
    run = run_of(
        tmp_path, monkeypatch, releases=[{**MODEL, "name": "again", "kind": "mean_face", "reproduction": True}]
    )
    assert run.select_public_markers(run.list_markers_and_pages("faces")) == []


def test_the_bounds_of_a_release_are_of_its_source_and_reference(tmp_path, monkeypatch):
    run = run_of(tmp_path, monkeypatch)
    assert run.locate_bounds({}) == "results/private/faces/bounds/reference_set_template.h5"
    assert run.locate_bounds({"bounds": "public"}) == []
    assert run.locate_bounds({"bounds": "data", "reference": "none"}) == "results/private/faces/bounds/data_none.h5"


def test_a_job_checks_nothing_again_and_sees_the_same_run(tmp_path, monkeypatch):
    first = run_of(tmp_path, monkeypatch)
    job = run_of(tmp_path, monkeypatch, first=False)
    assert (job.batches, job.config) == (first.batches, first.config)


def test_what_concerns_people_is_closed_to_others(tmp_path, monkeypatch):
    run_of(tmp_path, monkeypatch)
    assert (tmp_path / "results/private").stat().st_mode & 0o077 == 0


def test_another_number_of_people_than_declared_ends_in_a_line_that_names_the_setting(tmp_path, monkeypatch):
    (tmp_path / "scans").mkdir()
    for index in range(2):
        writers.write_scan(tmp_path / f"scans/{index}.ply", scans.scan(3, index))
    with pytest.raises(SystemExit, match=r"^shapedp: config.yaml: privacy\.people\.faces: 63 persons are declared"):
        run_of(tmp_path, monkeypatch, scans="scans", releases=[])


CHANGE = {"name": "change", "kind": "mean_change", "mechanism": "shaped", "budget": {"mu_total": 1.0}}


def test_a_forecast_is_of_the_people_of_each_release_and_where_nothing_is_asked_for_of_the_sheets_times(
    tmp_path, monkeypatch
):
    (tmp_path / "scans").mkdir()
    rows = [("id", "path", "person", "time", "group")]
    for who, times in {"a": "12", "b": "12", "c": "1"}.items():
        for at in times:
            writers.write_scan(tmp_path / f"scans/{who}{at}.ply", scans.scan(3, len(rows)))
            rows.append((f"{who}{at}", f"{who}{at}.ply", who, at, "x" if who == "a" else "y"))
    (tmp_path / "scans/s.tsv").write_text("".join("\t".join(row) + "\n" for row in rows))
    given = {"people": 3, "scans": "scans/s.tsv", "persons": "average"}
    run = run_of(tmp_path, monkeypatch, releases=[], **given)
    model, change = run.entries_with_forecast
    assert (model["kind"], change["times"]) == ("face_model", ["1", "2"])
    run.faces["releases"] = [CHANGE | {"times": ["1", "2"]}]
    assert run.entries_with_forecast[0]["name"] == "change" and run.count_people(run.entries_with_forecast[0]) == 2
    late = {"name": "late", "time": "2", "mechanism": "matched_joint", "budget": {"mu_total": 1.0}}
    run.faces["releases"] = [late, late | {"name": "once", "time": "1"}]
    assert [(one["name"], run.find_learned(one), run.count_people(one)) for one in run.entries_with_forecast] == [
        ("late", None, 2),
        ("once", None, 3),
    ]
    told = [line for line in run.describe_spending() if "people are few" in line]
    assert [line.split(" people")[0] for line in told] == ["caution: faces: 3", "caution: faces, 'late': 2"]
    run.config["privacy"]["groups"] = {"membership": "public", "sizes": {}}
    assert run.count_groups(run.cohorts["faces"]) == {"x": 1, "y": 2} and run.count_people(change | {"group": "y"}) == 1
    run.config["privacy"]["groups"] = {"membership": "private", "sizes": {"y": 18}}
    assert run.count_people(change | {"group": "y"}) == 18


def test_a_change_between_times_that_nobody_has_ends_before_anything_is_made(tmp_path, monkeypatch):
    asked = {**CHANGE, "times": ["pre", "late"]}
    with pytest.raises(SystemExit, match=r"^shapedp: config.yaml: faces\.releases 'change': 0 people are listed"):
        run_of(tmp_path, monkeypatch, releases=[asked])
    config = deepcopy(pages.make_demo())
    config["faces"] = None
    config["shapes"] |= {"releases": [asked], "sheet": "sheet.csv"}
    (tmp_path / "sheet.csv").write_text("id,person,time\n1,a,pre\n2,a,post\n3,b,pre\n")
    with pytest.raises(SystemExit, match=r"'pre' and 'late'.*'sheet.csv', which says: 'post', 'pre'"):
        workflow.Run(config, "config.yaml", tmp_path, first=True)


@pytest.mark.parametrize("branch", ["faces", "shapes"])
def test_a_group_that_nobody_is_in_ends_before_anything_is_made(tmp_path, monkeypatch, branch):
    """By its name and with those that there are, where it is public who is in which."""
    monkeypatch.chdir(tmp_path)
    people = {"a": "traité", "b": "traité", "c": "témoin", "d": "témoin", "e": "témoin", "f": "hot summer"}
    times = {who: ("pre", "post") if who in "abc" else ("pre",) for who in people}
    rows = [(f"{who}{at}", who, group, at) for who, group in people.items() for at in times[who]]
    for name, *_ in rows:
        (tmp_path / f"{name}.ply").write_bytes(name.encode())
    lines = (f"{name},{name}.ply,{who},{at},{group}\n" for name, who, group, at in rows)
    (tmp_path / "sheet.csv").write_text("id,path,person,time,group\n" + "".join(lines), encoding="utf-8")
    config = deepcopy(pages.make_demo())
    config["shapes" if branch == "faces" else "faces"] = None
    config[branch] |= {"scans": "sheet.csv", "persons": "average"} if branch == "faces" else {"sheet": "sheet.csv"}
    config["privacy"] |= {"people": {"faces": 6}, "groups": {"membership": "public"}}
    config["privacy"]["sources"] = dict.fromkeys(("settings", "template", "bounds", "center", "radius"), "public")

    def run(**asked):
        entry = {"name": "of_one", "mechanism": "shaped", "budget": {"mu_total": 1.0}, **asked}
        config[branch]["releases"] = [entry | {"name": "all", "group": "traité"}, entry]
        return workflow.Run(deepcopy(config), "config.yaml", tmp_path, first=True)

    run(group="témoin")
    told = (
        r"'of_one': the group 'traite' has 0 people, and a mean needs at least 2; did you mean 'traité'\? Correct the "
    )
    told += (
        r"entry, or the column `group` of 'sheet.csv', which says: 'hot summer' \(1\), 'traité' \(2\), 'témoin' \(3\)"
    )
    with pytest.raises(SystemExit, match=rf"^shapedp: config.yaml: {branch}\.releases {told}"):
        run(group="traite")
    with pytest.raises(SystemExit, match="the group 'hot summer' has 1 people, and"):
        run(group="hot summer")
    with pytest.raises(SystemExit, match="the group 'témoin' has 1 people who are listed at 'pre' and 'post', and"):
        run(**CHANGE | {"name": "of_one", "times": ["pre", "post"], "group": "témoin"})
    config["privacy"]["groups"] = {"membership": "private", "sizes": {"traite": 9, "traité": 2}}
    run(group="traite")


def test_a_group_without_a_sheet_ends_before_anything_is_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config = deepcopy(pages.make_demo())
    config["faces"], config["privacy"]["groups"] = None, {"membership": "public"}
    config["shapes"]["releases"][0]["group"] = "traité"
    with pytest.raises(SystemExit, match=r"'traité' has 0 people, .* `group` of 'shapes\.sheet', which says: nothing"):
        workflow.Run(config, "config.yaml", tmp_path, first=True)


@pytest.mark.parametrize(
    "asked",
    [
        {**CHANGE, "times": ["pre", "post"], "per": {"yeers": [0.5, 10]}},
        {**CHANGE, "kind": "shape_model", "covariates": {"yeers": {"range": [0.5, 10]}}},
    ],
)
def test_a_column_that_a_sheet_lacks_ends_before_anything_is_made(tmp_path, monkeypatch, asked):
    """For landmarks as for faces, by the header alone."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sheet.csv").write_text("id,person,time,Years\n1,a,pre,\n2,a,post,1\n3,b,pre,\n4,b,post,2\n")
    words = "'change': '%s' has no column yeers, which covariates or `per` name; it has: %s; correct"
    config = deepcopy(pages.make_demo())
    config["faces"] = None
    config["shapes"] |= {"releases": [asked], "sheet": "sheet.csv"}
    with pytest.raises(SystemExit, match=words % ("sheet.csv", "time, years")):
        workflow.Run(config, "config.yaml", tmp_path, first=True)
    asked = asked | {"kind": asked["kind"].replace("shape_model", "face_model")}
    with pytest.raises(SystemExit, match=words % ("demo", r"(none|age, sex)")):
        run_of(tmp_path, monkeypatch, releases=[asked])


def test_a_public_sheet_that_leaves_records_out_ends_before_anything_is_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "public.csv").write_text("id,person,use\n1,a,no\n2,b,\n")
    (tmp_path / "public.npz").write_bytes(b"")
    config = deepcopy(pages.make_demo())
    config["faces"] = None
    config["shapes"] |= {"reference_set": "public.npz", "reference_sheet": "public.csv", "releases": []}
    with pytest.raises(SystemExit, match=r"shapes\.reference_sheet: 'public.csv' has the column\(s\) use, "):
        workflow.Run(config, "config.yaml", tmp_path, first=True)


def test_a_scan_that_was_replaced_is_another_batch(tmp_path, monkeypatch):
    (tmp_path / "scans").mkdir()
    for index in range(2):
        writers.write_scan(tmp_path / f"scans/{index}.ply", scans.scan(3, index))
    run = run_of(tmp_path, monkeypatch, first=False, scans="scans", releases=[])
    before = run.stamp_batch("faces", "1")
    assert run.list_scans("faces", "1")[0][0] == "0"
    assert run.find_scan("1")[1] == "scans/1.ply"
    np.savetxt(tmp_path / "scans/0.ply", np.zeros((3, 3)))
    assert run.stamp_batch("faces", "1") != before


def test_a_landmark_file_that_was_edited_within_its_folder_is_read_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config = deepcopy(pages.make_demo())
    config["faces"] = None
    stamps = []
    for named in ("landmarks", "center", "reference_set"):
        config["shapes"][named] = named
        (tmp_path / named).mkdir()
        (tmp_path / named / "gone.tps").symlink_to("nowhere")
        for text in ("LM=1\n0 0\n", "LM=1\n0 0.5\n"):
            (tmp_path / named / "one.tps").write_text(text)
            stamps.append(workflow.Run(config, "config.yaml", tmp_path, first=False).stamp_folders())
    assert len(set(stamps)) == len(stamps) == 6


def test_a_date_of_a_scan_stops_no_run(tmp_path, monkeypatch):
    """It is a record's, and whether a release exists may not depend on it."""
    (tmp_path / "scans").mkdir()
    for index, date in enumerate((0, 1 << 33)):  # 1970 and 2242
        writers.write_scan(tmp_path / f"scans/{index}.ply", scans.scan(3, index))
        os.utime(tmp_path / f"scans/{index}.ply", (date, date))
    run = run_of(tmp_path, monkeypatch, people=2, scans="scans", releases=[])
    assert run.people == {"faces": 2}


def test_the_closure_follows_imports_through_modules(root):
    found = [
        path.rsplit("scripts/", 1)[1]
        for path in code_digest.find_library_files(root / "scripts/shapedp/surfaces/chain/step.py")
    ]
    assert "shapedp/base/artifacts/sealed_files.py" in found
    assert "shapedp/base/storage/files.py" in found, "imported by artifacts, not by step itself"
    assert "shapedp/config.py" not in found


@pytest.mark.slow
def test_no_library_module_that_python_loads_is_missing_from_the_closure(root):
    code = (
        f"import sys; sys.path.insert(0, {str(root / 'scripts')!r}); import make_curves;"
        "print(*sorted(m.__file__ for n, m in sys.modules.items() if n.split('.')[0] == 'shapedp' and m.__file__))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert set(loaded) <= set(code_digest.find_library_files(root / "scripts/make_curves.py"))


def test_a_parameter_of_many_samples_is_told_in_a_few_words():
    """Snakemake prints a changed parameter as it was and as it is; scripts get what stands in it."""
    samples = [(f"s{i}", f"scans/s{i}.ply", None) for i in range(50)]
    one, other = workflow.DigestedList(samples), workflow.DigestedList(samples[:-1])
    assert repr(one) == repr(workflow.DigestedList(samples)) != repr(other)
    assert len(repr(one)) < 40
    read = pickle.loads(pickle.dumps(one))
    assert type(read) is list
    assert read == samples


@pytest.mark.slow
def test_planning_a_run_imports_no_compiler(root):
    """It took a second of every command, and a minute of the first."""
    texts = [path.read_text(encoding="utf-8") for path in (root / "workflow/rules").glob("*.smk")]
    lines = {line.strip() for text in texts for line in text.splitlines() if line.strip().startswith("from shapedp")}
    code = "\n".join([*sorted(lines), "import sys", "print('numba' in sys.modules)"])
    told = subprocess.check_output([sys.executable, "-c", code], cwd=root / "scripts", text=True)
    assert (len(lines) > 5, told) == (True, "False\n")


def test_results_of_other_people_say_nothing_of_these(tmp_path, monkeypatch):
    """One folder of results serves all settings files: before a run it may hold another cohort's."""
    for scan in ("ours", "theirs"):
        (tmp_path / scan).mkdir()
        writers.write_scan(tmp_path / scan / "a.ply", scans.scan(3, 1))
        writers.write_scan(tmp_path / scan / "b.ply", scans.scan(3, 2))
    run = run_of(tmp_path, monkeypatch, people=2, scans="ours", releases=[])
    table = tmp_path / "results/private/faces/quality.tsv"
    table.parent.mkdir(parents=True)
    table.write_text("id\tstatus\tcode\treason\na\trejected\tno_face\tis none\nb\tok\t\t\n", encoding="utf-8")
    assert not run.list_cautions()
    run.note_people(finished=True)
    rejected = "caution: 1 of 2 records were rejected"
    assert [line.startswith(rejected) for line in run.list_cautions()] == [True]
    assert any(rejected in line for line in run.describe_spending())
    other = run_of(tmp_path, monkeypatch, people=2, scans="theirs", releases=[])
    assert not other.list_cautions()
    other.note_people(finished=False)
    assert not run.list_cautions()


def test_drawn_landmarks_are_the_same_people_whatever_lies_in_the_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config = deepcopy(pages.make_demo())
    config["faces"], config["privacy"]["people"] = None, {"shapes": config["privacy"]["people"]["shapes"]}
    found = []
    for name in ("first", "second"):
        (tmp_path / name).touch()
        run = workflow.Run(deepcopy(config), "config.yaml", tmp_path, first=False)
        found.append(run.prepare_look("shapes"))
    assert found[0] == found[1]
