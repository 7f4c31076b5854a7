"""What a run kept of its faces is read, and nothing that may be of another scan, sheet, template or settings."""

import os

import numpy as np
import pytest

from library.releases.figures.test_face_chain import FACES
from shapedp.base import artifacts, writers
from shapedp.surfaces.chain import cohort, kept, step
from shapedp.surfaces.chain.step import ChainSettings, Scan
from shapedp.surfaces.chain.steps import STEPS
from shapedp.surfaces.human_face.demo import scans as demo

pytestmark = pytest.mark.slow
LATER = 2_000_000_000  # seconds since 1970, after whatever the tests write


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """(folder, settings, scans): a run of two scans, one of them refused, in one batch."""
    folder = tmp_path_factory.mktemp("kept")
    keys = ("template", "template_as", "center", "mesh", "surface", "extent", "curves")
    cohort.prepare_template(None, folder / "template.h5", {key: FACES[key] for key in keys}, False)
    points = demo.scan(5, 0, "demo")
    scans = []
    for name, shown in (("a", points), ("b", points[:3])):
        writers.write_scan(folder / f"{name}.ply", shown)
        scans.append(Scan(name, folder / f"{name}.ply"))
    shared = ChainSettings(FACES, folder / "template.h5")
    (folder / "sheet.tsv").write_text("id\tpath\n", encoding="utf-8")
    for kind in kept.NEEDED:
        (folder / "faces" / kind).mkdir(parents=True)
    paths = {kind: folder / "faces" / kind / "0.h5" for kind in kept.NEEDED}
    list(step.write_all(paths, scans, STEPS, shared, "run"))
    return folder, shared, scans


@pytest.fixture
def walked(monkeypatch):
    """The names of the scans that are taken through the chain."""
    names = []
    monkeypatch.setattr(kept, "walk", lambda scans, *others: iter(names.extend(scan.name for scan in scans) or ()))
    return names


def read(run, shared=None, scans=None):
    folder, own_shared, own_scans = run
    sheets = [folder / "sheet.tsv"]
    return list(kept.read_or_walk(scans or own_scans, STEPS, shared or own_shared, folder / "faces", "map", sheets))


def test_what_is_kept_is_read_and_nothing_is_computed(run, walked):
    folder, shared, scans = run
    (again,) = step.walk(scans[:1], STEPS, shared)
    faces = {}
    for face in kept.read_or_walk(scans, STEPS, shared, folder / "faces", "map"):
        faces[face.scan.name] = face.refusal or face.records["curves"]["curves"]
    assert np.array_equal(faces["a"], again.records["curves"]["curves"])
    assert faces["b"].code == "too_few_points" and walked == []


def test_other_settings_are_computed(run, walked):
    _, shared, _ = run
    other = ChainSettings(FACES | {"expression": "neutral"}, shared.template)
    assert read(run, shared=other) == [] and walked == ["a", "b"]


def test_a_scan_that_is_another_file_today_is_computed(run, walked, tmp_path):
    _, _, (first, second) = run
    writers.write_scan(tmp_path / "a.ply", demo.scan(5, 1, "demo"))
    os.utime(tmp_path / "a.ply", (1, 1))
    found = read(run, scans=[Scan("a", tmp_path / "a.ply"), second])
    assert [face.scan.name for face in found] == ["b"] and walked == ["a"] and first.path != tmp_path / "a.ply"


@pytest.mark.parametrize("newer", ["sheet.tsv", "b.ply"])
def test_what_is_older_than_its_sheet_or_scan_is_computed(run, walked, newer):
    folder, *_ = run
    times = (folder / newer).stat()
    os.utime(folder / newer, (LATER, LATER))
    try:
        read(run)
    finally:
        os.utime(folder / newer, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert walked == (["a", "b"] if newer == "sheet.tsv" else ["b"])


def test_a_template_made_anew_is_another_one(run, walked, tmp_path):
    folder, _, _ = run
    with artifacts.reader(folder / "template.h5", artifacts.TEMPLATE) as source:
        assert source.provenance["settings"]["center"] == "nose"
    keys = ("template", "template_as", "center", "mesh", "surface", "extent", "curves")
    others = {key: FACES[key] for key in keys} | {"curves": {"count": 5, "samples": 16, "spacing": "arc"}}
    cohort.prepare_template(None, tmp_path / "template.h5", others, False)
    assert read(run, shared=ChainSettings(FACES, tmp_path / "template.h5")) == [] and walked == ["a", "b"]
