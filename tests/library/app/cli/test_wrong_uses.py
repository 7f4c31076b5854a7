"""Wrong uses of the command: each ends in one line that says what is wrong and what to do, and in no traceback."""

import json

import numpy as np
import pytest
import yaml

from shapedp.app.cli import commands
from shapedp.base import artifacts, writers
from shapedp.base.settings import pages
from shapedp.landmarks import outlines
from shapedp.surfaces.human_face.demo import scans

UNKNOWN = "no such file"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Scans, landmarks, settings good and bad, and files that are not what their names say."""
    made = tmp_path_factory.mktemp("wrong")
    (made / "scans").mkdir()
    (made / "empty").mkdir()
    for index in range(2):
        writers.write_scan(made / f"scans/{index}.ply", scans.scan(3, index))
    np.savez(made / "hands.npz", X=outlines.population(3, 5)[0])
    (made / "no.h5").write_text("no artifact", encoding="utf-8")
    (made / "old.yaml").write_text("faces: {}\n", encoding="utf-8")
    (made / "twice.yaml").write_text("faces: null\nshapes: null\nfaces: null\n", encoding="utf-8")
    (made / "broken.yaml").write_text("faces: [\n", encoding="utf-8")
    (made / "samples.tsv").write_text("id\tfile\na\tb.ply\n", encoding="utf-8")
    (made / "gone.tsv").write_text("id\tpath\na\tb.ply\nc\td.ply\n", encoding="utf-8")
    (made / "no_id.csv").write_text("name,person\na,b\n", encoding="utf-8")
    demo = pages.make_demo()
    demo["faces"]["variation"]["modes"] = demo["faces"]["variation"].pop("directions")
    (made / "renamed.yaml").write_text(yaml.safe_dump(demo), encoding="utf-8")
    (made / "shapes.yaml").write_text(yaml.safe_dump({**pages.make_demo(), "faces": None}), encoding="utf-8")
    people = outlines.population(3, 5)[0]
    np.savez(made / "few.npz", X=people[:, :-1])
    np.savez(made / "space.npz", X=np.dstack([people, people[..., 0]]))
    listed = ["id,person", *(f"hands_{number:05d},p{number}" for number in range(1, 6))]
    (made / "study.csv").write_text("\n".join(listed) + "\n", encoding="utf-8")
    (made / "part.csv").write_text("\n".join(listed[:3]) + "\n", encoding="utf-8")
    (made / "ages.csv").write_text("id,age,sex\na,3,m\nb,4,f\n", encoding="utf-8")
    (made / "twice.tps").write_text("LM=3\n0 0\n1 0\n0 1\nID=a\n" * 2, encoding="utf-8")
    with artifacts.writer(made / "flat.h5", artifacts.RELEASED_SHAPE) as out:
        numbers = {"noise_radius": 0.1, "size": np.nan, "size_noise": np.nan, "settings": "{}"}
        covariance = np.zeros((*people[0].shape, people[0].shape[1]))
        out.set(landmarks=people[0], center=people[0], noise_covariance=covariance, **numbers)
    with artifacts.writer(made / "sums.h5", artifacts.MEAN_SHAPE) as out:
        out.set(mean=outlines.template(), residual=0.0, distances=np.zeros(2), center_distances=np.zeros(2))
    (made / "released").mkdir()
    (made / "released/statement.json").write_text(json.dumps({}), encoding="utf-8")
    return made


NEW = ("new", "x.yaml", "--population", "mine")
MODELS = ("no released model", "kind: face_model")
WRONG = [  # arguments, words that the line holds
    ("describe nowhere.h5", ["nowhere.h5", UNKNOWN]),
    ("describe no.h5", ["no.h5", "not an artifact of shapedp"]),
    ("describe", ["give a file", "nothing is released"]),
    ("settings faces.curve", ["no key 'faces.curve'", "shapedp settings"]),
    ("export", ["give a file", "nothing is released"]),
    ("export nowhere.h5 x.csv", ["nowhere.h5", UNKNOWN]),
    ("export no.h5 x.csv", ["no.h5", "not an artifact"]),
    ("export sums.h5 x.csv", ["sums.h5", "holds 'mean_shape'", "results/release/"]),
    ("export sums.h5 x.docx", ["cannot write '.docx'", ".ply"]),
    ("export released x.csv", ["holds no release", "mean_face.h5"]),
    ("export released x --as morpho", ["released", "holds no release", "mean_face.h5"]),
    ("export sums.h5 x --as csv", ["sums.h5", "holds 'mean_shape'"]),
    ("export sums.h5 x --as blender", ["--as blender", "statismo, morpho, slicermorph, csv"]),
    ("map", ["settings.json", "--config FILE"]),
    ("map --config shapes.yaml", ["shapes.yaml", "no faces"]),
    ("warp released scans/0.ply hands.npz", ["hands.npz", "one specimen in space"]),
    ("sample nowhere", ["nowhere", "folder of a released model"]),
    ("sample released", ["released", *MODELS]),
    ("sample sums.h5", ["sums.h5", "holds 'mean_shape', which is not a model"]),
    ("predict released --age 40", ["released", *MODELS]),
    ("predict released --age", ["--name value"]),
    ("predict nowhere", ["nowhere", "folder of a released model"]),
    ("compare released released", ["released", "no release that can be compared", "mean_face.h5", "shape_change.h5"]),
    ("compare sums.h5 released", ["sums.h5", "holds 'mean_shape', which cannot be compared"]),
    ("describe released", ["released", "holds no release", "mean_face.h5"]),
    ("ledger", ["holds no ledger yet"]),
    ("ledger nobody", ["nobody", "no release"]),
    ("ledger check nobody", ["holds no ledger of 'nobody'"]),
    ("status --config nowhere.yaml", ["nowhere.yaml", "no such settings file", "--config"]),
    ("status --config broken.yaml", ["broken.yaml", "not valid YAML"]),
    ("status --config twice.yaml", ["twice.yaml", "'faces' stands twice, in lines 1 and 3"]),
    ("status --config old.yaml", ["old.yaml", "missing key 'scans'", "missing key 'privacy'"]),
    ("status --config renamed.yaml", ["renamed.yaml", "'modes' is now called 'directions'"]),
    ("plan --config nowhere.yaml", ["nowhere.yaml", "no such settings file"]),
    ("plan --config shapes.yaml", ["shapes.yaml", "has no section `faces`", "forecast.txt"]),
    ((*NEW,), ["give --scans, --landmarks or both"]),
    ((*NEW, "--scans", "nowhere"), ["'nowhere'", "neither a folder, a glob that matches, nor a sample sheet"]),
    ((*NEW, "--scans", "empty"), ["'empty'", "matches no scan"]),
    ((*NEW, "--scans", "samples.tsv"), ["samples.tsv", "path"]),
    ((*NEW, "--scans", "gone.tsv"), ["gone.tsv", "b.ply"]),
    ((*NEW, "--scans", "scans", "--extent", "99"), ["extent.radius", "99"]),
    ((*NEW, "--landmarks", "nowhere.tps"), ["there is no 'nowhere.tps'"]),
    ((*NEW, "--landmarks", "hands.npz", "--center", "nowhere.npz"), ["there is no 'nowhere.npz'"]),
    ((*NEW, "--landmarks", "hands.npz", "--sheet", "no_id.csv"), ["no_id.csv", "id"]),
    ((*NEW, "--landmarks", "hands.npz", "--center", "hands.npz"), ["--center hands.npz", "--reference-set hands.npz"]),
    ((*NEW, "--landmarks", "hands.npz", "--center", "reference_set"), ["--reference-set FILE", "one shape"]),
    ((*NEW, "--landmarks", "space.npz", "--center", "private"), ["points in space", "--reference-set"]),
    ((*NEW, "--landmarks", "few.npz", "--center", "demo"), ["--center demo: has 50", "have 49", "same order"]),
    (
        (*NEW, "--landmarks", "few.npz", "--reference-set", "hands.npz"),
        ["--reference-set hands.npz: has 50", "have 49"],
    ),
    (
        (*NEW, "--landmarks", "hands.npz", "--center", "demo", "--sheet", "study.csv"),
        ["study.csv: lists 5", "hands.npz holds 3", "hands_00004, hands_00005"],
    ),
    (
        (*NEW, "--landmarks", "hands.npz", "--center", "demo", "--sheet", "part.csv"),
        ["part.csv: no row for 1 of 3 records", "hands_00003"],
    ),
    ((*NEW, "--landmarks", "ages.csv"), ["no landmarks in the columns id, age, sex", "x1, y1"]),
    ((*NEW, "--landmarks", "twice.tps"), ["id(s) a stand more than once", "give each record an id of its own"]),
    ("export flat.h5 mean.ply", ["landmarks have no surface", ".csv, .npz, .tps, .nts"]),
    ("export flat.h5 mean.fcsv", ["these lie in the plane", ".csv, .npz, .tps, .nts"]),
    (("new", "old.yaml", "--population", "mine", "--scans", "scans"), ["old.yaml", "is there already"]),
    (("new", "x.yaml", "--population", "../up", "--scans", "scans"), ["letters, digits"]),
]


@pytest.mark.parametrize(("arguments", "words"), WRONG)
def test_a_wrong_use_ends_in_one_line_that_says_what_to_do(folder, monkeypatch, capsys, arguments, words):
    monkeypatch.chdir(folder)
    monkeypatch.setattr("sys.argv", ["shapedp", *(arguments.split() if isinstance(arguments, str) else arguments)])
    assert commands.main() in (1, 3, 4, 5)
    told = capsys.readouterr().err
    assert told.startswith("shapedp: ")
    assert told.count("\n") == 1
    assert [word for word in words if word not in told] == []
    assert not (folder / "x.yaml").exists()


USAGES = [  # arguments that no command takes, words that the line holds
    ("plan --mu one", ["'--mu'", "`shapedp plan --help`"]),
    ("plan --people 10 --colour", ["--colour", "`shapedp plan --help`"]),
    ("plna", ["plna", "`shapedp --help`"]),
    ("new", ["file", "`shapedp new --help`"]),
    ("describe sums.h5 --table", ["give a FILE or --table", "`shapedp describe --help`"]),
]


@pytest.mark.parametrize(("arguments", "words"), USAGES)
def test_a_usage_that_no_command_has_is_one_line_too(folder, monkeypatch, capsys, arguments, words):
    monkeypatch.chdir(folder)
    monkeypatch.setattr("sys.argv", ["shapedp", *arguments.split()])
    assert commands.main() == 2
    told = capsys.readouterr().err
    assert told.startswith("shapedp: ")
    assert told.count("\n") == 1
    assert [word for word in words if word not in told] == []


def test_decimal_commas_are_read_wherever_numbers_are_typed(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    printed = []
    for arguments in ("--mu 1.5 --size 140.5", "--mu 1,5 --size=140,5"):
        monkeypatch.setattr("sys.argv", ["shapedp", "plan", "--tau", "0.02", "0.04", "0.03", *arguments.split()])
        assert commands.main() == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]


def test_there_are_thirty_of_them():
    assert len(WRONG) >= 30
