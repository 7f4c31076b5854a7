"""A face's result depends on that face and public inputs alone: the same bits alone, in a batch, in any order."""

import numpy as np
import pytest
import yaml
from scipy.spatial import cKDTree

import make_curves
import measure_quality
from shapedp.base import artifacts, writers
from shapedp.base.errors import Rejected
from shapedp.surfaces.chain import cohort, step
from shapedp.surfaces.chain.step import ChainSettings, Scan
from shapedp.surfaces.chain.steps import STEPS
from shapedp.surfaces.human_face import fit, template_forms
from shapedp.surfaces.human_face.demo import scans as demo
from shapedp.surfaces.registration.template import Options

FACES = {
    "template": "built_in",
    "template_as": "scan",
    "center": "nose",
    "mesh": {"largest_hole": 0.02, "refused_hole": 0.08},
}
CHAIN = {
    **FACES,
    "extent": {"radius": None},
    "surface": {"rings": 48, "angles": 128},
    "curves": {"count": 6, "samples": 16, "spacing": "arc"},
}
GATES = {"energy": 1.0, "jacobian": 0.0, "unseen": 100.0, "unlike": 100.0}
REGISTRATION = {"levels": 2, "basis": 60, "regularisation": 0.1, "search": "auto"}
SETTINGS = CHAIN | {"registration": REGISTRATION, "gates": GATES, "expression": "as_scanned"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("chain")
    for index in range(3):
        writers.write_scan(folder / f"{index}.ply", demo.scan(5, index, "demo"))
    (folder / "broken.ply").write_bytes(b"ply\n")
    cohort.prepare_template(None, folder / "template.h5", CHAIN, False)
    return folder


def run(folder, names, label, marked=None):
    """{name: record fields} of the faces after the whole chain."""
    path = {step.makes: folder / f"{label}_{step.makes}.h5" for step in STEPS}
    scans = [Scan(name, str(folder / f"{name}.ply"), (marked or {}).get(name)) for name in names]
    step_by_step(path, scans, folder / "template.h5")
    with artifacts.reader(path["curves"], artifacts.FACE_CURVES) as source:
        return {one.name: one.code if one.rejected else one["curves"] for one in source}


def step_by_step(paths, scans, template):
    """Write the artifact of each step, as the rules do; paths : {folder: path}."""
    for one in STEPS:
        sources = {name: paths[name] for name in one.reads if name in paths}
        step.write(one, sources, paths[one.makes], ChainSettings(SETTINGS, template), scans)


def test_alone_or_in_any_company_a_face_gives_the_same_bits(folder):
    together = run(folder, ["0", "1", "broken", "2"], "together")
    reversed_ = run(folder, ["2", "broken", "1", "0"], "reversed")
    alone = run(folder, ["1"], "alone")
    assert together["broken"] == reversed_["broken"] == "truncated"
    for name in ("0", "1", "2"):
        assert np.array_equal(together[name], reversed_[name])
    assert np.array_equal(alone["1"], together["1"])


def test_the_same_batch_gives_the_same_bytes(folder):
    run(folder, ["0", "1"], "once")
    run(folder, ["0", "1"], "twice")
    assert (folder / "once_mesh.h5").read_bytes() == (folder / "twice_mesh.h5").read_bytes()


def test_the_disk_map_knows_no_center_and_the_next_step_brings_it_to_0(folder):
    """The center moves by more than rounding; another center changes the disk and neither mesh nor disk map."""
    run(folder, ["0"], "found")
    with artifacts.reader(folder / "found_mesh.h5", artifacts.MESH) as source:
        cheek = source.record("0")["vertices"][1000]
    run(folder, ["0"], "marked", {"0": tuple(cheek)})
    assert (folder / "found_mesh.h5").read_bytes() == (folder / "marked_mesh.h5").read_bytes()
    for label, vertex in (("found", None), ("marked", 1000)):
        with artifacts.reader(folder / f"{label}_disk_map.h5", artifacts.DISK_MAP) as source:
            before = source.record("0")["z"]
        with artifacts.reader(folder / f"{label}_disk.h5", artifacts.DISK) as source:
            disk = source.record("0")
            tip = disk["nose_tip"]
            assert vertex in (None, tip)
            assert disk["z"][tip] == 0
            assert disk["nose_moved"] == abs(before[tip]) > 1e-3
            assert np.abs(disk["z"] - before).max() > 1e-3


def test_a_disk_holds_the_map_and_no_copy_of_the_mesh(folder):
    run(folder, ["0"], "lean")
    with artifacts.reader(folder / "lean_mesh.h5", artifacts.MESH) as source:
        points = len(source.record("0")["vertices"])
    for name in ("disk_map", "disk"):
        assert (folder / f"lean_{name}.h5").stat().st_size < 16 * points + 20_000  # z, and what HDF5 needs


def test_in_one_process_the_chain_writes_the_same_bytes_and_leaves_nothing_behind(folder, tmp_path):
    samples = [(name, str(folder / f"{name}.ply"), None) for name in ("2", "0", "broken", "1")]
    template, private = folder / "template.h5", tmp_path / "private/faces"
    paths = {one.makes: tmp_path / "steps/faces" / one.makes / "1.h5" for one in STEPS}
    step_by_step(paths, [Scan(*one) for one in samples], template)
    measure_quality.measure_quality(paths, samples, tmp_path / "steps.tsv", tmp_path / "steps.h5")
    made = [private / "curves/1.h5", private / "look/1.h5", private / "quality/1.tsv"]
    make_curves.make_curves(samples, template, made[0], made[2], made[1], SETTINGS)
    for one, other in zip(made, (paths["curves"], tmp_path / "steps.h5", tmp_path / "steps.tsv"), strict=True):
        assert one.read_bytes() == other.read_bytes()
    assert sorted(path for path in private.rglob("*") if path.is_file()) == made


def test_made_again_in_one_process_every_artifact_has_the_same_bytes(folder, tmp_path):
    scans = [Scan(name, str(folder / f"{name}.ply")) for name in ("0", "broken")]
    paths, again = ({one.makes: tmp_path / way / one.makes / "1.h5" for one in STEPS} for way in ("steps", "again"))
    step_by_step(paths, scans, folder / "template.h5")
    for _ in step.write_all(again, scans, STEPS, ChainSettings(SETTINGS, folder / "template.h5"), "again"):
        pass
    for name, path in paths.items():
        assert path.read_bytes() == again[name].read_bytes(), name


def test_every_step_keeps_the_reason_of_the_first(folder):
    run(folder, ["broken"], "bad")
    with artifacts.reader(folder / "bad_curves.h5", artifacts.FACE_CURVES) as source:
        (record,) = source
        assert (record.stage, record.code) == ("mesh_faces", "truncated")


def test_the_settings_of_the_chain_are_those_of_the_schema(root):
    schema = yaml.safe_load((root / "workflow/schemas/config.schema.yaml").read_text(encoding="utf-8"))
    faces = schema["properties"]["faces"]["properties"]
    assert set(REGISTRATION) == set(faces["registration"]["properties"])
    assert set(GATES) == set(faces["gates"]["properties"])
    assert set(CHAIN["surface"]) == set(faces["surface"]["properties"])


@pytest.mark.parametrize("form", ["scan", "cloud", "mesh"])
def test_a_template_has_the_forms_that_the_settings_ask_for(folder, form):
    """As a cloud it is meshed anew: another mesh of the same face, the same each time, its nose where it is marked."""
    paths = [folder / f"as_{form}_{k}.h5" for k in range(2)]
    for path in paths:
        cohort.prepare_template(None, path, CHAIN | {"template_as": form}, False)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    clouds, meshes = surfaces_of(paths[0])
    assert np.array_equal(clouds, meshes) == (form != "scan")
    assert np.median(cKDTree(meshes).query(clouds)[0]) < 2, "mm: the same face"
    assert np.linalg.norm(meshes[0] - clouds[0]) < 6, "mm: the nose; the centroids differ with the ends of the disks"


def test_a_template_whose_points_alone_make_no_face_keeps_its_triangles_and_says_so(folder, monkeypatch, caplog):
    def refuse(*_):
        raise Rejected("folded", "the surface overlaps itself")

    monkeypatch.setattr(template_forms, "mesh_as_cloud", refuse)
    cohort.prepare_template(None, folder / "alone.h5", CHAIN, False)
    clouds, meshes = surfaces_of(folder / "alone.h5")
    assert np.array_equal(clouds, meshes)
    assert "clouds meet its mesh: the surface overlaps itself" in caplog.text
    with pytest.raises(Rejected, match="overlaps itself"):
        cohort.prepare_template(None, folder / "none.h5", CHAIN | {"template_as": "cloud"}, False)


def surfaces_of(path):
    """(R T, 3) points in mm of a template, from its center outwards: of its form for clouds, and for meshes."""
    with artifacts.reader(path, artifacts.TEMPLATE) as source:
        return [(source[name] * source["scale"]).reshape(-1, 3) for name in ("cloud_f", "f")]


def test_a_template_with_an_extent_is_cut_to_it(folder):
    path = folder / "extent.h5"
    cohort.prepare_template(None, path, CHAIN | {"extent": {"radius": 0.46}}, False)
    template = fit.read_forms(path, Options(**REGISTRATION))
    with (
        artifacts.reader(path, artifacts.TEMPLATE) as cut,
        artifacts.reader(folder / "template.h5", artifacts.TEMPLATE) as whole,
    ):
        assert template.mesh_template.extent.reach * cut["scale"] == pytest.approx(0.46 * whole["scale"], rel=0.02)
        apart = cut["scale"] / np.sqrt(template_forms.CLOUD_POINTS)  # its rim is as ragged as its points are apart
        assert template.cloud_template.extent.reach * cut["scale"] == pytest.approx(
            0.46 * whole["scale"], abs=2 * apart
        )
