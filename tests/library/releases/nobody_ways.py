"""Forty ways to ask for a release that would use nobody, at the library and at a run: each must spend nothing."""

import shutil
from contextlib import chdir
from copy import deepcopy
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import numpy as np

import read_shapes
import shapedp
from shapedp.app import workflow
from shapedp.app.api import estimators
from shapedp.base import writers
from shapedp.base.errors import ShapedpError
from shapedp.base.settings import pages
from shapedp.landmarks import outlines
from shapedp.surfaces.human_face.demo import faces
from shapedp.surfaces.scans import Scan

SIZE = {"count": 7, "samples": 20, "rings": 48, "angles": 96}
PEOPLE = 3  # of whom nobody is used
SOURCES = {"bounds": "a public face model", "template": "built_in", "settings": "numbers of a paper"}
OF_LANDMARKS = {"center": "a public set", "radius": "numbers of a paper", "settings": "numbers of a paper"}
CLOUD = np.random.default_rng(3).normal(size=(500, 3))
FACE = {"name": "mine", "mechanism": "shaped", "budget": {"mu_total": 1.0}, "worth_it_anyway": True}
SHAPE = {"name": "mine", "mechanism": "gaussian", "budget": {"mu_total": 1.0}, "worth_it_anyway": True}


def private(folder, kind="mean", **more):
    """A release of faces that is ready to be made."""
    told = {
        "population": "some",
        "cap": 9,
        "ledger": folder / "ledger",
        "folder": folder / "results/release/faces/mine",
    }
    told |= {"mu": 1.0, "sources": SOURCES, "template": shapedp.Template.built_in(**SIZE)}
    if kind == "model":
        curves = told["template"].curves + 0.01 * np.random.default_rng(1).normal(size=(30, 7, 3, 20))
        told["variation"] = shapedp.learn_variation(curves, told["template"])
        told["mu"] = 50.0  # so few people would else be refused for the noise
        return shapedp.PrivateFaceModel(**told | {"cap": 90} | more)
    told |= {"tau": (0.022, 0.038, 0.032), "mechanism": "matched_joint", "worth_it_anyway": True}
    return shapedp.PrivateMeanFace(**told | more)


def scans():
    rng = np.random.default_rng(8)
    return [Scan(faces.face(faces.random_weights(rng)), faces.triangles()) for _ in range(PEOPLE)]


def named(folder, ending, count=PEOPLE):
    """Paths of files that bear this ending."""
    paths = [folder / f"{at}{ending}" for at in range(count)]
    for path in paths:
        path.write_bytes(b"\xff\xd8\xff\xe0 a picture")
    return paths


def folders(folder):
    paths = [folder / f"{at}.ply" for at in range(PEOPLE)]
    for path in paths:
        path.mkdir()
    return paths


SCANS = {  # what is given in place of scans
    "point arrays": lambda folder: [CLOUD] * PEOPLE,
    "lists of points": lambda folder: [CLOUD.tolist()] * PEOPLE,
    "numbers": lambda folder: range(PEOPLE),
    "nothing": lambda folder: [None] * PEOPLE,
    "dictionaries": lambda folder: [{"points": CLOUD}] * PEOPLE,
    "pairs of arrays": lambda folder: [(CLOUD, None)] * PEOPLE,
    "bytes of files": lambda folder: [b"ply\n"] * PEOPLE,
    "paths by name": lambda folder: dict.fromkeys("abc", "scan.ply"),
    "one path": lambda folder: "scan.ply",
    "one scan": lambda folder: scans()[0],
    "one file's bytes": lambda folder: b"ply",
    "a generator": lambda folder: (CLOUD for _ in range(PEOPLE)),
    "a set": lambda folder: {1, 2, 3},
    "missing files": lambda folder: [f"missing_{at}.ply" for at in range(PEOPLE)],
    "folders": folders,
    "pictures": lambda folder: named(folder, ".jpg"),
    "documents": lambda folder: named(folder, ".docx"),
    "an array of texts": lambda folder: np.full((PEOPLE, 7, 3, 20), "nan"),
    "an array of objects": lambda folder: np.full((PEOPLE, 7, 3, 20), None),
    "other curves": lambda folder: np.full((PEOPLE, 5, 3, 20), np.nan),
}


def of_scans(name):
    return lambda folder: private(folder).fit(SCANS[name](folder))


def of_model(name):
    return lambda folder: private(folder, "model").fit(SCANS[name](folder))


def with_broken(part):
    """Real scans, and a program of which a part fails whatever it is given."""

    def way(folder):
        with mock.patch.object(estimators, part, side_effect=AttributeError("a fault of the program")):
            private(folder).fit(scans())

    return way


def with_covariates(rows):
    def way(folder):
        curves = np.full((PEOPLE, 7, 3, 20), np.nan)
        private(folder, "model", covariates={"age": {"range": [20, 60]}}).fit(curves, covariates=rows)

    return way


def of_landmarks(landmarks):
    def way(folder):
        public = folder / "public.npz"
        np.savez(public, X=outlines.population(20, 2)[0])
        shapedp.PrivateMeanShape(
            budget={"mu_total": 1.0},
            radius=0.2,
            reference_set=public,
            mechanism="gaussian",
            worth_it_anyway=True,
            population="some",
            cap=9,
            ledger=folder / "ledger",
            folder=folder / "results/release/shapes/mine",
            sources=OF_LANDMARKS,
        ).fit(landmarks)

    return way


def run_of(folder, branch, **section):
    """The run of settings that name this in a branch."""
    config = deepcopy(pages.make_demo())
    other = "shapes" if branch == "faces" else "faces"
    config[other] = None
    config[branch] |= {"releases": [FACE if branch == "faces" else SHAPE]} | section
    privacy = {"look_first": True, "tuned_on": "public", "people": {branch: PEOPLE}}
    config["privacy"] |= privacy | {"sources": dict.fromkeys(pages.make_demo()["privacy"]["sources"], "of a paper")}
    with chdir(folder):
        return workflow.Run(config, "config.yaml", folder, first=True)


def unlooked(run, branch):
    """Ask for the release without a look at these people: all their records are bad, which nobody knows yet."""
    run.refuse_unlooked([SimpleNamespace(params=SimpleNamespace(look=run.prepare_look(branch, "mine")))])


def twelve(folder):
    """(records of 26 landmarks, a center of 12)."""
    np.savez(folder / "records.npz", X=np.random.default_rng(4).normal(size=(PEOPLE, 26, 2)))
    np.savez(folder / "center.npz", X=np.random.default_rng(5).normal(size=(1, 12, 2)))
    return {"landmarks": "records.npz", "center": "center.npz", "contour_modes": 0}


def other_landmarks(folder):
    run_of(folder, "shapes", **twelve(folder), landmark_count=26)


def other_than_the_demos(folder):
    run_of(folder, "shapes", **twelve(folder) | {"center": "demo"}, landmark_count=26)


def landmarks_without_a_look(folder):
    with chdir(folder):
        unlooked(run_of(folder, "shapes", **twelve(folder)), "shapes")


def ids_of_nobody(folder):
    given = twelve(folder)
    np.savez(folder / "records.npz", X=np.random.default_rng(4).normal(size=(PEOPLE, 12, 2)))
    (folder / "sheet.csv").write_text("id,person\n" + "".join(f"other_{at},{at}\n" for at in range(PEOPLE)))
    with chdir(folder):
        run_of(folder, "shapes", **given, sheet="sheet.csv")
        read_shapes.read_shapes("records.npz", "out.h5", "center.npz", sheet="sheet.csv", people=PEOPLE)


def scans_of_a_run(folder, ending):
    place = folder / "scans"
    place.mkdir()
    if ending == ".ply":
        for path in named(place, ending):
            writers.write_scan(path, CLOUD)
    else:
        named(place, ending)
    return place


def globbed_pictures(folder):
    scans_of_a_run(folder, ".jpg")
    run_of(folder, "faces", scans="scans/*")


def listed_pictures(folder):
    place = scans_of_a_run(folder, ".png")
    (place / "samples.tsv").write_text("id\tpath\n" + "".join(f"f{at}\t{at}.png\n" for at in range(PEOPLE)))
    run_of(folder, "faces", scans="scans/samples.tsv")


def listed_faces(folder, **entry):
    place = scans_of_a_run(folder, ".ply")
    rows = "".join(f"f{at}\t{at}.ply\tnow\t\n" for at in range(PEOPLE))
    (place / "samples.tsv").write_text("id\tpath\ttime\tage\n" + rows)
    with chdir(folder):
        return run_of(folder, "faces", scans="scans/samples.tsv", releases=[FACE | entry])


WAYS = {
    **{f"scans: {name}": of_scans(name) for name in SCANS},
    **{f"a model of {name}": of_model(name) for name in ("point arrays", "missing files", "pictures", "one path")},
    "a program that maps nothing": with_broken("map_scan"),
    "covariates that are numbers": with_covariates([34] * PEOPLE),
    "covariates of another name": with_covariates([{"years": 34}] * PEOPLE),
    "landmarks: lists of different lengths": of_landmarks([[[0, 1]], [[0, 1], [2, 3]]]),
    "landmarks: texts": of_landmarks([["a", "b"]] * PEOPLE),
    "landmarks: complex numbers for each coordinate": of_landmarks(np.ones((PEOPLE, 25, 2), dtype=complex)),
    "landmarks: of another number": of_landmarks(np.random.default_rng(2).normal(size=(PEOPLE, 26, 2))),
    "settings: another number of landmarks than the center's": other_landmarks,
    "settings: another number of landmarks than the demo's": other_than_the_demos,
    "records of another number of landmarks, not looked at": landmarks_without_a_look,
    "a sheet whose ids match nobody": ids_of_nobody,
    "a glob of pictures": globbed_pictures,
    "a sheet of pictures": listed_pictures,
    "scans that are no faces, not looked at": lambda folder: unlooked(listed_faces(folder), "faces"),
    "a time at which nobody was scanned": lambda folder: listed_faces(folder, time="later"),
    "cells that nobody can read, not looked at": lambda folder: unlooked(
        listed_faces(folder, kind="face_model", covariates={"age": {"range": [18, 60]}}), "faces"
    ),
}


def spent(name, folder):
    """(whether a way spent anything, in which words it was refused, None where it was not)."""
    folder = Path(folder) / "".join(letter if letter.isalnum() else "_" for letter in name)
    folder.mkdir(parents=True)
    words = None
    try:
        with chdir(folder):
            WAYS[name](folder)
    except (ShapedpError, SystemExit) as refused:
        words = str(refused)
    charged = [path for path in folder.rglob("*.jsonl") if path.read_text(encoding="utf-8").strip()]
    shutil.rmtree(folder)
    return bool(charged), words
