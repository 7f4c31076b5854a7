"""How far a run is, and what it did."""

import io
import json

import pytest

from shapedp.base.runs import status
from shapedp.base.storage.files import locate_partial
from shapedp.surfaces.chain.steps import RULES

BATCHES = {"faces": {"1": ["a", "b"], "2": ["c", "d"], "3": ["e"]}, "reference": {"1": ["f"]}}


@pytest.fixture
def results(tmp_path):
    """Meshed throughout; of the faces, batch 1 is mapped to the disk in 6 s and batch 2 is at it."""
    for cohort, members in BATCHES.items():
        for batch in members:
            touch(tmp_path, f"{cohort}/mesh/{batch}.h5")
    touch(tmp_path, "faces/disk_map/1.h5")
    touch(tmp_path, "benchmarks/map_disks/faces/1.tsv").write_text("s\th:m:s\n6.0\t0:00:06\n", encoding="utf-8")
    partial = locate_partial(touch(tmp_path, "faces/disk_map/2.h5"))
    (tmp_path / "private/faces/disk_map/2.h5").rename(partial)
    return tmp_path


def touch(results, path):
    made = results / "private" / path
    made.parent.mkdir(parents=True, exist_ok=True)
    made.touch()
    return made


def test_what_has_begun_is_told_and_what_is_through_is_not(results):
    first, *_ = status.describe_progress(BATCHES, RULES, results)
    assert first == "faces: 0 of 5 scans done; batches done: map_disks 1 of 3 (1 running)"


def test_time_left_is_that_of_the_faces_still_waiting(results):
    *_, last = status.describe_progress(BATCHES, RULES, results)
    # 3 s a face; c, d, e and f wait, one job at work
    assert last == "less than a minute left, and the steps that no batch has gone through yet"
    table = results / "private/benchmarks/map_disks/faces/1.tsv"
    table.write_text("s\th:m:s\n60.0\t0:01:00\n", encoding="utf-8")
    *_, last = status.describe_progress(BATCHES, RULES, results)
    assert last == "about 2 minutes left, and the steps that no batch has gone through yet"
    for rule in RULES.values():
        other = touch(results, f"benchmarks/{rule}/faces/1.tsv")
        other.write_text("s\th:m:s\n2.0\t0:00:02\n", encoding="utf-8")
    *_, last = status.describe_progress(BATCHES, RULES, results)
    assert last == "less than a minute left"


def test_before_anything_is_timed_no_time_is_told(results):
    (results / "private/benchmarks/map_disks/faces/1.tsv").unlink()
    *_, last = status.describe_progress(BATCHES, RULES, results)
    assert last.startswith("the time left is not known yet") and "0 s" not in last


def test_scans_that_are_through_are_counted(results):
    for step in RULES:
        touch(results, f"faces/{step}/1.h5")
    first, *_ = status.describe_progress(BATCHES, RULES, results)
    assert first.startswith("faces: 2 of 5 scans done; batches done: ")


def test_an_artifact_that_was_not_kept_counts_as_made(results):
    (results / "private/faces/mesh/1.h5").unlink()
    first, *_ = status.describe_progress(BATCHES, RULES, results)
    assert first == "faces: 0 of 5 scans done; batches done: map_disks 1 of 3 (1 running)"


def test_a_run_that_is_through_says_nothing(results):
    for cohort, members in BATCHES.items():
        for step in RULES:
            for batch in members:
                touch(results, f"{cohort}/{step}/{batch}.h5")
    locate_partial(results / "private/faces/disk_map/2.h5").unlink()
    assert list(status.describe_progress(BATCHES, RULES, results)) == []


def test_before_the_first_step_there_is_nothing_to_say(tmp_path):
    assert list(status.describe_progress(BATCHES, RULES, tmp_path)) == []


QUALITY = "\n".join(
    [
        "id\tstatus\tstage\tcode\treason",
        "a\tok\t\t\t",
        "b\trejected\tmesh_faces\tempty_file\tb.xyz: an empty file",
        "c\trejected\tmesh_faces\tempty_file\tc.xyz: an empty file",
        "d\trejected\tmesh_faces\tlarge_hole\ta hole of 9 %",
    ]
)


@pytest.fixture
def done_run(tmp_path):
    for cohort in ("faces", "reference"):
        write(tmp_path / f"private/{cohort}/quality.tsv", QUALITY)
    for name, private in (("good", True), ("bad", False)):
        stated = {"formally_private": private, "summary": f"What {name} promises."}
        write(tmp_path / f"release/faces/{name}/statement.json", json.dumps(stated))
    for batch, seconds in (("1", 70), ("2", 20.4)):
        write(tmp_path / f"private/benchmarks/mesh_faces/faces/{batch}.tsv", f"s\th:m:s\n{seconds}\t-\n")
    write(tmp_path / "private/benchmarks/plan_release.tsv", "s\th:m:s\n5\t-\n")
    return tmp_path


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_accepted_rejected_and_why(done_run):
    told = list(status.describe_results(done_run))
    assert told[0] == f"faces: 1 accepted, 3 rejected; each stands in {done_run / 'private/faces/quality.tsv'}"
    assert told[2] == "  2 x empty_file, b for one: b.xyz: an empty file"
    assert told[3] == "  1 x large_hole: a hole of 9 %"


def test_records_that_are_taken_and_look_wrong_are_told(tmp_path):
    rows = "a\tok\t\t\nb\tok\tmirrored\tlooks mirrored\nc\tfilled\tfilled\t1 landmark is missing\n"
    write(tmp_path / "private/shapes/quality.tsv", f"id\tstatus\tcode\treason\n{rows}")
    head, *told = status.describe_results(tmp_path)
    assert head.startswith("shapes: 3 accepted (1 of them filled in") and told[0] == "  1 x mirrored: looks mirrored"


def test_only_people_whose_mean_is_released_count_as_the_reference(done_run):
    told = list(status.describe_results(done_run))
    assert [index for index, line in enumerate(told) if "count as the public reference" in line] == [1]


def test_where_each_release_is_and_what_it_guarantees(done_run):
    told = list(status.describe_results(done_run))
    folder = done_run / "release/faces"
    assert f"release in {folder / 'good'}: formally private. What good promises." in told
    assert f"release in {folder / 'bad'}: NOT formally private. What bad promises." in told


def test_times_are_summed_over_jobs_longest_first(done_run):
    *_, last = status.describe_results(done_run)
    assert last == "time at work: 1 min 35 s in 3 jobs, most of it in mesh_faces 1 min 30 s, plan_release 5 s"
    for seconds in (2, 3, 4):
        write(done_run / f"private/benchmarks/rule_{seconds}.tsv", f"s\th:m:s\n{seconds}\t-\n")
    *_, last = status.describe_results(done_run)
    assert last.endswith("in 6 jobs, most of it in mesh_faces 1 min 30 s, plan_release 5 s, rule_4 4 s; 2 other rules")


def test_an_empty_folder_has_no_summary(tmp_path):
    assert list(status.describe_results(tmp_path)) == []


def test_releases_of_other_populations_are_counted_and_not_told(tmp_path):
    for name, people in (("mine", "these"), ("theirs", "others")):
        stated = {"formally_private": True, "summary": f"What {name} promises.", "budget": {"population": people}}
        write(tmp_path / f"release/faces/{name}/statement.json", json.dumps(stated))
    told = list(status.describe_results(tmp_path, populations={"these"}))
    assert told == [
        f"release in {tmp_path / 'release/faces/mine'}: formally private. What mine promises.",
        "1 release(s) of other populations lie under results/release, too",
    ]


ROWS = [{"name": "mean_face", "mu": 1.23456789, "group": None}, {"name": "[red]", "mu": 2.0, "group": "a"}]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_elsewhere_than_on_a_terminal_cells_are_separated_by_tabs():
    stream = io.StringIO()
    status.show_table(ROWS, stream)
    assert stream.getvalue() == "name\tmu\tgroup\nmean_face\t1.23457\t\n[red]\t2\ta\n"


def test_a_terminal_shows_a_table_and_takes_no_cell_for_a_command():
    stream = Terminal()
    status.show_table(ROWS, stream)
    assert "─" in stream.getvalue()
    assert "[red]" in stream.getvalue()


def test_no_rows_are_nothing():
    stream = io.StringIO()
    status.show_table([], stream)
    assert stream.getvalue() == ""
