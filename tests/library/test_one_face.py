"""What is told and drawn of one face."""

import numpy as np
import pytest

from shapedp import artifacts, one_face
from shapedp.errors import ArtifactError, ConfigError
from shapedp.surfaces import curve_mesh, polar

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
    """A cohort: its quality table, and two batches; the second holds a dome and a rejected face."""
    table = "\n".join("\t".join(row) for row in (COLUMNS, *ROWS)) + "\n"
    (tmp_path / "quality.tsv").write_text(table, encoding="utf-8")
    for kind, declared in ((step.folder, step.kind) for step in artifacts.INSPECTED):
        for batch, names in (("1", ["b"]), ("2", ["a"])):
            path = tmp_path / kind / f"{batch}.h5"
            with artifacts.writer(path, declared) as out:
                for name in names:
                    out.write(name, **{field: dome()[field] for field in declared.fields})
                if batch == "2":
                    out.reject("d", "mesh_faces", "large_hole", "a hole of 9 %")
    return tmp_path


def dome():
    """Every field of a face that is a dome over the disk."""
    r = polar.radii(16)[:, None] * np.ones(32)
    theta = 2 * np.pi * np.arange(32) / 32
    f = np.stack([r * np.cos(theta), r * np.sin(theta), 0.5 * (1 - r**2)], axis=-1)
    vertices, triangles = curve_mesh.mesh(np.moveaxis(f, 1, 2), polar.radii(16))
    single = [
        (name, field) for step in artifacts.INSPECTED for name, field in step.kind.fields.items() if field.shape == ()
    ]
    plain = {name: "words" if field.dtype == "text" else 1.0 for name, field in single}
    return plain | {
        **{"f": f, "vertices": vertices, "triangles": triangles, "z": vertices[:, 0] + 1j * vertices[:, 1]},
        **{"rotation": np.eye(3), "centroid": np.zeros(3), "gamma": f[..., :2], "nose_tip": 0},
        **{"nose_method": "found", "notices": "", "nose_notice": ""},
    }


def test_an_accepted_face_stands_beside_its_cohort(cohort):
    told = list(one_face.lines("c", cohort))
    assert told[0] == "c: accepted"
    points = next(line for line in told if line.startswith("points_kept"))
    assert points.split()[:4] == ["points_kept", "300", "200", "67%"]
    assert points.endswith("count; points that became vertices")
    assert next(line for line in told if line.startswith("nose_method")).split()[1] == "found"


def test_notices_stand_one_a_line(cohort):
    assert list(one_face.lines("a", cohort))[-3:] == ["notice: one", "notice: two", "notice: three"]


def test_a_rejected_face_is_told_why_and_what_it_counts_as(cohort):
    told = list(one_face.lines("d", cohort))
    assert told[0] == "d: rejected in mesh_faces (large_hole): a hole of 9 %"
    assert "counts as the public reference" in told[1]


def test_an_unknown_face_is_refused_with_the_nearest_name(cohort):
    (cohort / "quality.tsv").write_text("id\tstatus\nface_0001\tok\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"no face 'face_001' .* did you mean 'face_0001'"):
        list(one_face.lines("face_001", cohort))


def test_a_cohort_that_has_not_run_is_refused(tmp_path):
    with pytest.raises(ArtifactError, match="run snakemake first"):
        list(one_face.lines("a", tmp_path))


def test_the_batch_of_a_face_is_found(cohort):
    assert one_face.batch_files("a", cohort) == [cohort / step.folder / "2.h5" for step in artifacts.INSPECTED]
    with pytest.raises(ArtifactError, match="no batch holds 'nobody'"):
        one_face.batch_files("nobody", cohort)


@pytest.mark.slow
def test_the_picture_shows_every_step(cohort):
    np.savetxt(cohort / "a.xyz", dome()["vertices"])
    made = one_face.picture("a", cohort / "a.xyz", one_face.batch_files("a", cohort))
    assert [axes.get_title() for axes in made.axes] == ["points", "mesh", "disk map", "surface", "registered", ""]


def test_the_picture_of_a_rejected_face_says_why(cohort):
    made = one_face.picture("d", cohort / "missing.xyz", one_face.batch_files("d", cohort))
    assert made.axes[0].get_title() == "d: rejected"
    assert "a hole of 9 %" in made.get_supxlabel()
    assert [text.get_text() for text in made.axes[0].texts] == ["nothing could be read"]
