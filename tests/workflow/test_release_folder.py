"""The finished run has people, groups and a rejected face: nothing but what is on the list reaches results/release/.

Every file of every release is walked; then things are hidden in a copy, one a time, and each must be found.
"""

import getpass
import json
import re
import shutil
import socket
import struct
import zipfile
import zlib

import h5py
import numpy as np
import pytest
import trimesh
from PIL import Image, PngImagePlugin

import pack_releases
from shapedp.base import artifacts
from shapedp.base.errors import RefusedRelease, ShapedpError
from shapedp.ledger.ledger_folder import Ledger
from shapedp.releases import allow_list
from shapedp.releases.figures import release_files
from shapedp.releases.viewer import release_page
from workflow import runs
from workflow.finished import FACES, LEDGER, PEOPLE, REJECTED, SHAPES

AT_HOME = ("from_the_data", "aligned")  # without guarantee
pytestmark = pytest.mark.timeout(1500)


def privacy(folder):
    """What packing takes of the settings."""
    return {"ledger": folder / LEDGER, "population": {"faces": "demo_faces", "shapes": "demo_shapes"}}


def check(release_root):
    """What the rule that packs the releases does before it packs anything."""
    return allow_list.check_releases(release_root, release_page.render_page, release_files.draw)


def test_every_file_of_every_release_is_packed_and_nothing_else(done):
    """It was walked before: the rule that packs does not pack what fails."""
    folders = [path for branch in ("faces", "shapes") for path in (done / "results/release" / branch).iterdir()]
    assert {folder.name for folder in folders} == {*FACES, *SHAPES}
    with zipfile.ZipFile(done / "results/public/releases.zip") as packed:
        packable = [folder for folder in folders if folder.name not in AT_HOME]
        files = [str(path.relative_to(done / "results/release")) for folder in packable for path in folder.iterdir()]
        assert sorted(packed.namelist()) == sorted(files)


def test_what_is_packed_bears_no_time_owner_or_path(done):
    with zipfile.ZipFile(done / "results/public/releases.zip") as packed:
        assert packed.infolist()
        assert {one.date_time for one in packed.infolist()} == {pack_releases.NO_DATE}
        assert {one.extra for one in packed.infolist()} == {b""}
        assert all(re.fullmatch(r"(faces|shapes)/\w+/\w+\.\w+", name) for name in packed.namelist())


@pytest.mark.thorough
def test_what_is_packed_again_has_the_same_bytes(done, tmp_path):
    again = tmp_path / "again.zip"
    releases = [("faces", name) for name in FACES] + [("shapes", name) for name in SHAPES]
    releases = [one for one in releases if one[1] not in AT_HOME]
    pack_releases.pack_releases(done / "results/release", again, releases, privacy(done))
    assert again.read_bytes() == (done / "results/public/releases.zip").read_bytes()


@pytest.mark.parametrize("release", [("faces", "from_the_data"), ("shapes", "aligned")])
def test_what_gives_no_guarantee_is_never_packed(done, tmp_path, release):
    with pytest.raises(RefusedRelease, match=rf"{release[1]}: not formally private; such a release is never packed"):
        packed = [("shapes", "flat"), release]
        pack_releases.pack_releases(done / "results/release", tmp_path / "bare.zip", packed, privacy(done))
    assert not (tmp_path / "bare.zip").exists()


def private_words(folder):
    """Names, paths, digests, dates and numbers that the run knows and a release must not."""
    words = {*PEOPLE, REJECTED, LEDGER, "clinic_of", "patients", "samples.tsv", "truncated", str(folder.parent)}
    words |= {
        word for word in (socket.gethostname(), getpass.getuser()) if len(word) > 5
    }  # shorter ones occur by chance
    for path in (folder / "results/private").rglob("*.h5"):
        words.add(artifacts.header(path)[2])
    for line in (folder / LEDGER / "demo_faces.jsonl").read_text().splitlines():
        entry = json.loads(line)
        words |= {entry["time"], entry["previous"], entry["random"], entry.get("inputs"), entry.get("records")}
        words |= {entry["digest"]} if entry["event"] != "intent" else set()  # an intent's is published, as the head
    heads = {
        json.loads(path.read_text())["budget"]["ledger_head"] for path in folder.rglob("release/*/*/statement.json")
    }
    return {word for word in words if word} - heads


def test_no_name_path_digest_or_date_of_the_run_stands_in_a_release(done):
    words = [word.encode() for word in private_words(done)]
    assert len(words) > 40
    for path in sorted((done / "results/release").rglob("*.*")):
        content = path.read_bytes()
        assert [word for word in words if word in content] == [], path


def test_no_private_array_stands_in_a_release(done):
    """Not the mean, not the bound, not the template's neighbour: no private number with all its digits."""
    secret = set()
    with artifacts.reader(done / "results/private/faces/curves.h5", artifacts.CURVES) as stack:
        people = stack["curves"][stack["ok"].astype(bool)]
        secret |= {*people.mean(axis=0).ravel()[:200], *people[0].ravel()[:200]}
    with artifacts.reader(done / "results/private/faces/bounds/data_none.h5", artifacts.BOUNDS) as bounds:
        secret |= {*bounds["tau"].ravel(), *bounds["deviations"].ravel()}
    texts = [path.read_text() for path in (done / "results/release").rglob("statement.*")]
    texts += [path.read_text() for path in (done / "results/release").rglob("index.html")]
    numbers = {float(word) for text in texts for word in re.findall(r"-?\d+\.\d{4,}(?:e-?\d+)?", text)}
    for path in (done / "results/release/faces").rglob("mean_face.h5"):
        with artifacts.reader(path, artifacts.MEAN_FACE) as release:
            numbers |= {*release["curves"].ravel(), *release["noise_sd"].ravel()}
    assert len(secret) > 400 and len(numbers) > 1000
    assert not secret & numbers


def test_verdicts_are_those_of_the_conditions(done):
    found = {}
    for path in (done / "results/release").rglob("statement.json"):
        stated = json.loads(path.read_text())
        found[path.parent.name] = [one["name"] for one in stated["conditions"] if not one["holds"]]
    assert found.pop("from_the_data") == ["public_bounds"]
    assert set(found.pop("aligned")) >= {"public_bounds", "records_clipped", "public_reference", "records_independent"}
    assert set(map(tuple, found.values())) == {()}


def test_artifacts_record_all_artifacts_that_their_rule_reads(done):
    """What `records_independent` rests on: no artifact is made of another that it does not name."""
    private = done / "results/private"
    steps = {"registered": {"surface", "disk", "disk_map", "mesh"}}
    steps["curves"] = {"registered", *steps["registered"]}
    for step, kinds in steps.items():  # what is between may go, and is named by its kind alone
        assert kinds <= set(artifacts.lineage(private / f"faces/{step}/1.h5"))
    made_of = {
        "faces/registered/1.h5": ["template.h5"],
        "faces/curves/1.h5": ["template.h5"],
        "faces/curves.h5": ["template.h5", *(f"faces/curves/{path.name}" for path in private.glob("faces/curves/*"))],
        "shapes/shapes.h5": ["shapes/landmarks.h5"],
    }
    for name, inputs in made_of.items():
        kind = artifacts.KINDS[artifacts.header(private / name)[0]]
        with artifacts.reader(private / name, kind) as source:
            named = source.provenance["inputs"]
        headers = {one: artifacts.header(private / one) for one in inputs}
        assert named == {f"{head[0]} {(private / one).name}": head[2] for one, head in headers.items()}, name


def test_groups_are_charged_as_their_statements_say(done):
    """Everybody 1.25; old and young 1.25 each, of which nobody pays more than one; from the data no guarantee."""
    rows = Ledger(done / LEDGER).list_releases("demo_faces")
    assert rows[-1]["total_mu"] == pytest.approx(1.25 * 2**0.5, rel=1e-4)
    assert [row["guarantee"] for row in rows].count("none") == 1


def append(path, content):
    path.write_bytes(path.read_bytes() + content)


def reseal(path):
    """Give a changed artifact the digest that goes with its content, as somebody who means to hide things would."""
    artifacts.seal(path, artifacts.MEAN_FACE)


def add_attribute(face):
    with h5py.File(face / "mean_face.h5", "r+") as file:
        file["curves"].attrs["seed"] = 7
    reseal(face / "mean_face.h5")


def add_dataset(face):
    with h5py.File(face / "mean_face.h5", "r+") as file:
        file["private_mean"] = np.zeros(3)
    reseal(face / "mean_face.h5")


def add_creation_time(face):
    with h5py.File(face / "mean_face.h5", "r+") as file:
        values = file["radii"][()]
        del file["radii"]
        file.create_dataset("radii", data=values, track_times=True)
    reseal(face / "mean_face.h5")


def add_text_chunk(face):
    words = PngImagePlugin.PngInfo()
    words.add_text("Comment", REJECTED)
    Image.open(face / "preview.png").save(face / "preview.png", pnginfo=words)


def add_time_chunk(face):
    content, body = (face / "preview.png").read_bytes(), b"tIME" + struct.pack(">HBBBBB", 2026, 11, 21, 12, 0, 0)
    (face / "preview.png").write_bytes(
        content[:33] + struct.pack(">I", 7) + body + struct.pack(">I", zlib.crc32(body)) + content[33:]
    )


def change_a_pixel(face):
    pixels = np.array(Image.open(face / "preview.png"))
    pixels[0, 0, 0] ^= 1
    Image.fromarray(pixels).save(face / "preview.png")


def add_scene_extra(face):
    scene = trimesh.load(face / "mean_face.glb")
    scene.metadata["clipped"] = 17
    (face / "mean_face.glb").write_bytes(scene.export(file_type="glb"))


def move_a_vertex(face):
    surface = trimesh.load(face / "mean_face.ply", process=False)
    surface.vertices[5] += 1e-3
    (face / "mean_face.ply").write_bytes(surface.export(file_type="ply"))


def add_mesh_comment(face):
    content = (face / "mean_face.ply").read_bytes()
    (face / "mean_face.ply").write_bytes(content.replace(b"end_header", b"comment made by somebody\nend_header", 1))


def on_the_page(old, new):
    def hide(face):
        text = (face / "index.html").read_text(encoding="utf-8")
        assert old in text
        (face / "index.html").write_text(text.replace(old, new, 1), encoding="utf-8")

    return hide


def in_the_statement(**changed):
    def hide(face):
        stated = json.loads((face / "statement.json").read_text())
        (face / "statement.json").write_text(json.dumps({**stated, **changed}, indent=2) + "\n")

    return hide


HIDDEN = {
    "a file": lambda face: (face / "quality.tsv").write_text("id\n"),
    "a hidden file": lambda face: (face / ".DS_Store").write_bytes(b"\0"),
    "a folder": lambda face: (face / "private").mkdir(),
    "a release of no branch": lambda face: shutil.copytree(face, face.parents[1] / "cohort" / "x"),
    "an HDF5 attribute": add_attribute,
    "an HDF5 dataset": add_dataset,
    "an HDF5 creation time": add_creation_time,
    "bytes after the HDF5": lambda face: append(face / "mean_face.h5", b"seed=7"),
    "a PNG text chunk": add_text_chunk,
    "a PNG time chunk": add_time_chunk,
    "a pixel": change_a_pixel,
    "a GLB extra": add_scene_extra,
    "a PLY comment": add_mesh_comment,
    "a vertex": move_a_vertex,
    "a comment on the page": on_the_page("<body>", f"<body><!-- without {REJECTED} -->"),
    "a number on the page": on_the_page("<body>", "<body><!-- 20261121 -->"),
    "a number in the page's data": on_the_page('"rings": [', '"rings": [1, '),
    "a script on the page": on_the_page("</body>", "<script>fetch('https://example.org')</script></body>"),
    "a seed in the statement": in_the_statement(seed=7),
    "a verdict in the statement": in_the_statement(reasons=["It is fine."]),
    "words in the statement": lambda face: append(face / "statement.md", REJECTED.encode()),
}


@pytest.mark.parametrize("name", HIDDEN)
def test_whatever_is_hidden_is_found(done, tmp_path, name):
    release = tmp_path / "release"
    shutil.copytree(done / "results/release/faces/everybody", release / "faces" / "everybody")
    HIDDEN[name](release / "faces" / "everybody")
    with pytest.raises((RefusedRelease, ShapedpError)):
        check(release)


def test_the_copy_itself_passes(done, tmp_path):
    shutil.copytree(done / "results/release/faces/everybody", tmp_path / "release/faces/everybody")
    assert len(check(tmp_path / "release")) == 1


@pytest.mark.thorough
def test_cleaning_the_results_refunds_nothing_and_gives_the_same_bytes(done, tmp_path):
    """The artifacts and statements of both branches come back from the ledger as they were.

    What is made of them, pages and forms (nist.md), is the next rules' matter.
    """
    again = shutil.copytree(done, tmp_path / "again")
    ledger, kept = Ledger(again / LEDGER), ("*.h5", "*.json", "statement.md")
    before = {path: path.read_bytes() for one in kept for path in (again / "results/release").rglob(one)}
    spent = ledger.sum_spent("demo_faces"), ledger.sum_spent("demo_shapes")
    shutil.rmtree(again / "results/release")
    folders = {path.parent for path in before}
    runs.snakemake(again, *(f"results/private/shown/{one.parent.name}/{one.name}.json" for one in folders))
    assert {path: path.read_bytes() for path in (again / "results/release").rglob("*.*")} == before
    assert (ledger.sum_spent("demo_faces"), ledger.sum_spent("demo_shapes")) == spent
