"""The table of a cohort's faces, and what it says of one."""

import numpy as np
import pytest

from shapedp.app.forecast import budgets
from shapedp.base import artifacts, writers
from shapedp.base.errors import ArtifactError, ConfigError
from shapedp.base.settings import checks, read_default
from shapedp.base.settings.subjects import FACES, Subject
from shapedp.base.storage import files
from shapedp.surfaces import scans
from shapedp.surfaces.chain import quality, step
from shapedp.surfaces.chain.step import MIRROR, ChainSettings, FaceRecord, Refusal, Scan
from shapedp.surfaces.chain.to_disk import STEPS
from shapedp.surfaces.human_face.demo import scans as demo

COLUMNS = [
    "id",
    "status",
    "stage",
    "code",
    "reason",
    "points_kept",
    "nose_method",
    "energy_after",
    "notices",
    "nose_notice",
]
ROWS = (
    ("a", "ok", "", "", "", "100", "found", "0.01", "one; two", "three"),
    ("b", "ok", "", "", "", "200", "given", "0.03", "", ""),
    ("c", "ok", "", "", "", "300", "found", "0.02", "", ""),
    ("d", "rejected", "mesh_faces", "large_hole", "a hole of 9 %", "", "", "", "", ""),
)


@pytest.fixture
def cohort(tmp_path):
    """A cohort's folder with its quality table."""
    table = "\n".join("\t".join(row) for row in (COLUMNS, *ROWS)) + "\n"
    (tmp_path / "quality.tsv").write_text(table, encoding="utf-8")
    return tmp_path


def test_an_accepted_face_stands_beside_its_cohort(cohort):
    told = list(quality.describe_scan("c", cohort))
    assert told[0] == "c: accepted"
    points = next(line for line in told if line.startswith("points_kept"))
    assert points.split()[:4] == ["points_kept", "300", "200", "67%"]
    assert points.endswith("count; points that became vertices")
    assert next(line for line in told if line.startswith("nose_method")).split()[1] == "found"


def test_figures_that_faces_alone_have_are_left_out_of_another_subject(tmp_path):
    table = "id\tstatus\tstage\tcode\treason\tpoints_kept\tjaw_mm\terror_chin_mm\na\tok\t\t\t\t100\t3\t2\n"
    (tmp_path / "quality.tsv").write_text(table, encoding="utf-8")
    told = {
        shown.word: list(quality.describe_scan("a", tmp_path, shown)) for shown in (FACES, Subject("knee", "knees"))
    }
    names = {word: [line.split()[0] for line in lines[2:]] for word, lines in told.items()}
    assert names == {"face": ["points_kept", "jaw_mm", "error_chin_mm"], "knee": ["points_kept"]}


def test_after_a_run_of_landmarks_alone_it_says_where_these_are_told_of(tmp_path):
    (tmp_path / "shapes").mkdir()
    (tmp_path / "shapes/quality.tsv").touch()
    with pytest.raises(ArtifactError, match=r"landmarks alone: .*shapes/quality.tsv, and review.html"):
        quality.read(tmp_path / "faces")


def test_each_column_has_its_unit_and_meaning_in_the_docs():
    told = (checks.ROOT / "docs/first_release_scans.md").read_text(encoding="utf-8")
    for one in quality.MEASURED:
        for name in one.numbers:
            field = one.kind.fields[name]
            assert f"| `{name}` | {field.unit} | {field.meaning} |" in told


def test_an_error_that_nothing_tells_is_an_empty_cell():
    for known, written in ((0.0, ""), (0.91, "0.91")):
        walked = FaceRecord(
            Scan("a", None), {"registered": dict.fromkeys(quality.COLUMNS, 1.0) | {"expected_mm": known}}, None
        )
        assert dict(zip(quality.HEADER, quality.make_row(walked), strict=True))["expected_mm"] == written


def test_notices_stand_one_a_line(cohort):
    assert list(quality.describe_scan("a", cohort))[-3:] == ["notice: one", "notice: two", "notice: three"]


def test_a_rejected_face_is_told_why_and_what_it_counts_as(cohort):
    told = list(quality.describe_scan("d", cohort))
    assert told[0] == "d: rejected in mesh_faces (large_hole): a hole of 9 %"
    assert "counts as the public reference" in told[1]
    assert len(told) == 2, "no table of figures without a figure"


def test_an_unknown_face_is_refused_with_the_nearest_name(cohort):
    (cohort / "quality.tsv").write_text("id\tstatus\nface_0001\tok\n", encoding="utf-8")
    with pytest.raises(
        ConfigError, match=r"no face 'face_001' .* did you mean 'face_0001'.*`shapedp inspect` without a name"
    ):
        list(quality.describe_scan("face_001", cohort))


def test_a_cohort_that_has_not_run_is_refused(tmp_path):
    with pytest.raises(ArtifactError, match="run snakemake first"):
        list(quality.describe_scan("a", tmp_path))


GIVEN = ChainSettings({"mesh": read_default("faces.mesh"), "center": "nose", "surface": {"rings": 96, "angles": 256}})


@pytest.fixture(scope="module")
def face(tmp_path_factory):
    """A face as far as its surface, and a turn that stands for its registration."""
    path = tmp_path_factory.mktemp("look") / "a.ply"
    writers.write_scan(path, demo.scan(5, 0))
    (found,) = step.walk([Scan("a", path)], STEPS, GIVEN)
    return found


def registered(face):
    """The face as if it had been registered by a turn of a quarter about z."""
    turn = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    record = {
        "rotation": turn,
        "f": face.records["surface"]["f"] @ turn.T,
        "energy_after": 0.1,
        "expression_notice": "",
        "registration_notice": "",
    }
    return FaceRecord(face.scan, {**face.records, "registered": record}, None)


def test_points_nose_and_surface_stand_as_the_template_stands(face):
    """A turn by a quarter about z sends x to y, and nothing is mirrored."""
    before, after = quality.make_look(face), quality.make_look(registered(face))
    assert (before["turned"], after["turned"]) == (0, 1)
    for name in ("points", "nose", "surface"):
        turned = np.stack([-before[name][..., 1], before[name][..., 0], before[name][..., 2]], axis=-1)
        assert np.abs(turned - after[name]).max() <= 1, name


def test_points_are_those_of_the_mesh_to_half_a_step(face):
    shown, vertices = quality.make_look(face), face.records["mesh"]["vertices"]
    kept = quality.choose_points(vertices)
    back = shown["points"] * shown["unit"] + vertices.mean(axis=0)
    assert np.abs(back - kept).max() <= 0.51 * shown["unit"]


def test_a_point_of_the_picture_leads_back_to_the_scans_file(face):
    """Of a turned picture, and of a scan whose mirror image counts: what a click says lies on the file's points."""
    for scan, mirror in ((face.scan, 1), (Scan("a", face.scan.path, mirrored=True), MIRROR)):
        shown = quality.make_look(FaceRecord(scan, registered(face).records, None))
        back = shown["unit"] * shown["points"] @ shown["axes"] + shown["middle"]
        kept = quality.choose_points(face.records["mesh"]["vertices"]) * mirror
        assert np.abs(back - kept).max() <= 1.5 * shown["unit"]


def test_a_scan_takes_at_most_30_kb(face, tmp_path):
    faces = [FaceRecord(Scan(f"face_{k}"), registered(face).records, None) for k in range(8)]
    with artifacts.writer(tmp_path / "look.h5", artifacts.LOOK) as out:
        for one in faces:
            out.write(one.scan.name, **quality.make_look(one))
    assert (tmp_path / "look.h5").stat().st_size < 8 * 30_000


def test_a_scan_that_was_not_meshed_shows_its_points_and_the_reason(tmp_path):
    writers.write_scan(tmp_path / "b.ply", np.vstack([np.eye(3), np.zeros(3)]))
    shown = quality.make_look(
        FaceRecord(Scan("b", tmp_path / "b.ply"), {}, Refusal("mesh_faces", "too_few_points", "4 points"))
    )
    assert shown["points"].shape == (4, 3)
    assert (shown["surface"].size, shown["nose"].size) == (0, 0)
    assert shown["reason"] == "mesh_faces (too_few_points): 4 points"


def test_a_file_that_cannot_be_read_shows_the_reason_alone(tmp_path):
    (tmp_path / "c.ply").write_bytes(b"ply\n")
    face = FaceRecord(Scan("c", tmp_path / "c.ply"), {}, Refusal("mesh_faces", "truncated", "the file is cut off"))
    quality.write_looks([face], tmp_path / "look.h5", tmp_path / "quality.tsv")
    with artifacts.reader(tmp_path / "look.h5", artifacts.LOOK) as source:
        assert source.record("c")["reason"] == "mesh_faces (truncated): the file is cut off"
        assert len(source.record("c")["points"]) == 0
    assert quality.COLUMNS[0] in (tmp_path / "quality.tsv").read_text(encoding="utf-8")


def test_a_scan_that_the_sheet_leaves_out_is_rejected_in_words_and_nothing_of_it_is_shown():
    (found,) = step.walk([Scan("a", None)], STEPS, GIVEN)
    assert (found.refusal.code, found.refusal.reason) == ("left_out", "the sample sheet leaves it out (use: no)")
    assert len(quality.make_look(found)["points"]) == 0


def test_nothing_that_a_scan_makes_the_chain_say_moves_a_row_of_the_table(tmp_path):
    """Words without end, which a reader of tables refuses, and a quotation mark that opens and never closes."""
    mesh = step.InMemoryRecord("b", artifacts.MESH, dict.fromkeys(artifacts.MESH.fields, 0) | of_mesh("k" * 200_000))
    faces = [
        FaceRecord(Scan("a"), {}, Refusal("map_disks", "odd", '"x')),
        FaceRecord(Scan("b"), {"mesh": mesh}, Refusal("map_disks", "odd", "z")),
        FaceRecord(Scan("c"), {}, Refusal("mesh_faces", "odd", "z")),
    ]
    files.write_table(tmp_path / "quality.tsv", [quality.HEADER, *map(quality.make_row, faces)])
    rows = quality.read(tmp_path)
    assert list(rows) == ["a", "b", "c"] and {one["status"] for one in rows.values()} == {"rejected"}
    assert len(rows["b"]["notices"]) < 3000
    assert not any("rejected" not in line for line in budgets.caution_rejections(tmp_path / "quality.tsv"))


def of_mesh(notices):
    return {"vertices": np.zeros((4, 3)), "triangles": np.zeros((1, 3), int), "face_nose": np.zeros(3), "scan": ""} | {
        "notices": notices
    }


def test_a_scan_that_breaks_its_reader_is_looked_at_without_points(monkeypatch):
    def broken(path):
        raise ValueError("no reader thought of this")

    monkeypatch.setattr(scans, "read", broken)
    refused = FaceRecord(Scan("a", "a.ply"), {}, Refusal("mesh_faces", "unexpected_error", "odd"))
    assert quality.make_look(refused)["points"].shape == (0, 3)
