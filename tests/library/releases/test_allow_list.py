"""Whatever is put into a release that is not on the list is found, wherever it hides."""

import json
import shutil
import struct
import zlib

import h5py
import numpy as np
import pytest
import trimesh
from PIL import Image, PngImagePlugin

from library.releases import examples
from shapedp.base import artifacts, writers
from shapedp.base.errors import ArtifactError, RefusedRelease
from shapedp.ledger import ledger_folder
from shapedp.releases import allow_list
from shapedp.releases.statement import conditions, forms, statement_text
from shapedp.releases.viewer import board_page, release_page

FREE_WORDS = '{"inputs": {}, "settings": {}, "made_of": [], "shapedp": "x y z"}'


@pytest.fixture
def root(tmp_path):
    """A release folder as the workflow leaves it, with mesh, picture and page."""
    book = ledger_folder.Ledger(tmp_path / "ledger")
    folder = examples.output(tmp_path)
    examples.publish(book, examples.request(), examples.stated(), examples.Draw(), folder)
    surface = trimesh.creation.icosahedron()
    for suffix in ("ply", "glb"):
        (folder / f"mean_face.{suffix}").write_bytes(surface.export(file_type=suffix))
    Image.fromarray(np.zeros((4, 4, 3), dtype=np.uint8)).save(folder / "preview.png")
    (folder / "index.html").write_text(release_page.render_page(folder), encoding="utf-8")
    return tmp_path / "results" / "release"


def refused(root, words):
    with pytest.raises(RefusedRelease, match=words):
        allow_list.check_releases(root, release_page.render_page)


def face(root):
    return root / "faces" / "mean_face"


def test_a_sound_release_passes(root):
    assert allow_list.check_releases(root, release_page.render_page) == [face(root)]


@pytest.mark.parametrize("name", ["quality.tsv", "face_0017.ply", ".mean_face.h5.partial", "mean_shape.h5"])
def test_other_files_are_found(root, name):
    (face(root) / name).write_bytes(b"x")
    refused(root, "not on the list")


@pytest.mark.parametrize("name", ["nist.md", "registry.yaml", "for_the_board.html"])
def test_a_form_that_its_statement_does_not_give_is_found(root, name):
    stated = json.loads((face(root) / "statement.json").read_text(encoding="utf-8"))
    texts = {"registry.yaml": "url_slug: x\n", **forms.write_forms(stated, "mean_face")}
    texts[board_page.BOARD] = board_page.render_page(stated)
    for sound in ("nist.md", board_page.BOARD):
        (face(root) / sound).write_text(texts[sound], encoding="utf-8")
    page = release_page.render_page(face(root))
    (face(root) / "index.html").write_text(page, encoding="utf-8")
    assert allow_list.check_releases(root, release_page.render_page) == [face(root)]
    (face(root) / name).write_text(texts[name] + "face_0017\n", encoding="utf-8")
    (face(root) / "index.html").write_text(release_page.render_page(face(root)), encoding="utf-8")
    refused(root, "not what statement.json gives")


def test_folders_and_links_are_found(root):
    (face(root) / "mean_face.ply").unlink()
    (face(root) / "mean_face.ply").symlink_to("/etc/hostname")
    refused(root, "not a plain file")


def test_another_branch_is_found(root):
    (root / "private").mkdir()
    refused(root, "no branch")


@pytest.mark.parametrize(
    "hide",
    [
        lambda file: file.create_dataset("ids", data=[1, 2]),
        lambda file: file.attrs.__setitem__("seed", 7),
        lambda file: file["curves"].attrs.__setitem__("from", "face_0017"),
        lambda file: file.attrs.__setitem__(
            "provenance", '{"inputs": {}, "settings": {}, "made_of": [], "shapedp": "x y"}'
        ),
    ],
)
def test_what_is_hidden_in_hdf5_is_found(root, hide):
    path = face(root) / "mean_face.h5"
    with h5py.File(path, "r+") as file:
        hide(file)
    reseal(path)
    refused(root, "more than its declared")


def test_what_follows_the_hdf5_file_is_found(root):
    path = face(root) / "mean_face.h5"
    path.write_bytes(path.read_bytes() + b"face_0017")
    with pytest.raises(ArtifactError, match="truncated or damaged"):
        allow_list.check_releases(root, release_page.render_page)
    reseal(path)
    refused(root, "more than its declared")


def reseal(path):
    """Give a changed artifact the digest that goes with its content."""
    from shapedp.base import artifacts

    artifacts.seal(path, artifacts.MEAN_FACE)


def test_digests_of_inputs_are_found(root, tmp_path):
    other = tmp_path / "template.h5"
    other.write_bytes((face(root) / "mean_face.h5").read_bytes())
    (face(root) / "mean_face.h5").write_bytes(examples.artifact(inputs=[other]))
    refused(root, "digest of an input")


def test_other_settings_than_the_statements_are_found(root):
    (face(root) / "mean_face.h5").write_bytes(examples.artifact({"mechanism": "matched", "seed": 3}))
    refused(root, "other settings")


def test_noise_scaled_to_the_data_must_not_give_the_bound_away(tmp_path):
    bound = conditions.Bound("tau", 0.05, "square root of the face's area", conditions.Origin("data"))
    stated, book = examples.stated(bounds=(bound,)), ledger_folder.Ledger(tmp_path / "ledger")
    asked = examples.request(reproduction=True)
    with pytest.raises(RefusedRelease, match="size of noise"):
        examples.publish(book, asked, stated, examples.Draw(), examples.output(tmp_path))
    silent = {"mean_face.h5": examples.artifact(noise_sd=np.nan)}
    examples.publish(book, asked, stated, lambda: silent, examples.output(tmp_path))
    allow_list.check_releases(tmp_path / "results" / "release")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda stated: stated.update(seed=7), "may not be published"),
        (lambda stated: stated["settings"].update(template="anna"), "may not be published"),
        (lambda stated: stated["release"].update(statistic="mean face of Anna"), "may not be published"),
        (lambda stated: stated["conditions"][0].update(holds=False), "a verdict that does not follow"),
        (lambda stated: stated.update(guarantee={"kind": "none"}), "claims a guarantee"),
        (lambda stated: stated["release"].update(n=99), "differs from statement.json"),
    ],
)
def test_a_changed_statement_is_found(root, change, words):
    path = face(root) / "statement.json"
    stated = json.loads(path.read_text())
    change(stated)
    path.write_text(json.dumps(stated))
    refused(root, words)


def test_a_statement_set_private_by_hand_is_found(root):
    path = face(root) / "statement.json"
    stated = json.loads(path.read_text())
    stated["conditions"][0]["holds"] = False
    path.write_text(json.dumps(stated))
    path.with_suffix(".md").write_text(statement_text.render(stated))
    refused(root, "a verdict that does not follow")


def test_comments_in_pictures_are_found(root):
    comment = PngImagePlugin.PngInfo()
    comment.add_text("source", "face_0017")
    Image.fromarray(np.zeros((4, 4, 3), dtype=np.uint8)).save(face(root) / "preview.png", pnginfo=comment)
    refused(root, "chunk b'tEXt'")


def test_bytes_after_a_picture_are_found(root):
    path = face(root) / "preview.png"
    body = b"face_0017"
    extra = struct.pack(">I4s", len(body), b"IDAT") + body + struct.pack(">I", zlib.crc32(b"IDAT" + body))
    path.write_bytes(path.read_bytes() + extra)
    refused(root, "has bytes after its end")


def test_comments_in_meshes_are_found(root):
    path = face(root) / "mean_face.ply"
    content = path.read_bytes()
    path.write_bytes(content.replace(b"end_header\n", b"comment face_0017\nend_header\n"))
    refused(root, "header line 'comment face_0017'")
    path.write_bytes(content + b"face_0017")
    refused(root, "more or less than its header")


def test_names_in_scenes_are_found(root):
    scene = trimesh.Scene()
    scene.add_geometry(trimesh.creation.icosahedron(), geom_name="face_0017")
    (face(root) / "mean_face.glb").write_bytes(scene.export(file_type="glb"))
    refused(root, "face_0017")


@pytest.mark.parametrize(
    ("there", "put"),
    [
        ("</h1>", " without face_0017</h1>"),
        ("</h1>", "</h1><!-- anna -->"),
        ("<h1>", "<h1 title='anna'>"),
        ('"use strict";', '"use strict"; fetch("elsewhere");'),
        ('"unit": "mm"', '"unit": "mm", "mean": [1, 2]'),
        ("</html>", "</html> "),
    ],
)
def test_whatever_is_changed_on_a_page_is_found(root, there, put):
    path = face(root) / "index.html"
    page = path.read_text(encoding="utf-8")
    assert there in page
    path.write_text(page.replace(there, put, 1), encoding="utf-8")
    refused(root, "differs from the page that the other files give")


def test_a_page_is_refused_where_nobody_says_how_it_is_made(root):
    with pytest.raises(RefusedRelease, match="how it is made"):
        allow_list.check_releases(root)


def test_a_table_of_anything_but_numbers_is_found(tmp_path):
    path = tmp_path / "mean_shape.csv"
    allow_list.check_csv(b"x,y\n0.5,-1e-05\n", path)
    with pytest.raises(RefusedRelease, match="the row 'anna,1'"):
        allow_list.check_csv(b"x,y\nanna,1\n", path)
    allow_list.check_csv(b"covariate,change_mm\nlog_size,1.5\n", path)
    for row in (b"anna,berta", b"log_size", b"log size,1", b"1.5,anna"):
        with pytest.raises(RefusedRelease, match="has the row"):
            allow_list.check_csv(b"covariate,change_mm\n" + row + b"\n", path)


def test_what_is_left_of_a_crash_is_found(root):
    shutil.copytree(face(root), face(root).with_name(".mean_face.partial"))
    refused(root, "no release")


@pytest.mark.parametrize(
    ("ending", "put", "words"),
    [
        (".tps", "ID=anna", "differs from the landmarks of its release"),
        (".R", "# anna", "not the script that every release has"),
    ],
)
def test_landmarks_for_other_programs_hold_those_of_the_release_and_nothing_else(tmp_path, ending, put, words):
    landmarks = np.random.default_rng(4).normal(size=(9, 2))
    with artifacts.writer(tmp_path / "mean_shape.h5", artifacts.RELEASED_SHAPE) as out:
        noise = {"noise_radius": np.nan, "noise_covariance": np.full((9, 2, 2), np.nan)}
        out.set(landmarks=landmarks, center=landmarks, size=12.5, size_noise=np.nan, **noise, settings="{}")
    path = (tmp_path / "mean_shape.h5").with_suffix(ending)
    path.write_text(
        writers.format_tps(landmarks, "mean_shape", 12.5) if ending == ".tps" else writers.R_SCRIPT, encoding="utf-8"
    )
    allow_list._check(path, None, None)
    path.write_text(path.read_text(encoding="utf-8") + put + "\n", encoding="utf-8")
    with pytest.raises(RefusedRelease, match=words):
        allow_list._check(path, None, None)
