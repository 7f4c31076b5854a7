"""Every face figure is drawn by its rule on a small cohort, shows something, and says what its axes are."""

import json
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from PIL import Image

from workflow import runs

pytestmark = pytest.mark.thorough

SMALL = {
    "faces.demo": {"count": 5, "bad": 1, "seed": 7},
    "faces.bounds.source": "data",  # saves a reference set
    "faces.surface": {"rings": 32, "angles": 64},
    "faces.registration": {"levels": 1, "basis": 30, "regularisation": 0.1, "search": "auto"},
}
WORDS = {  # figure: texts that must stand in it
    "mesh": {"around the center", "center", "20 mm", "5 mm"},
    "radial_curves": {"surface with 23 radial curves", "20 mm"},
    "disk_maps": {
        "mesh",
        "disk map, before",
        "disk map, recentered",
        "surface, recentered",
        "u (disk, 1)",
        "v (disk, 1)",
    },
    "registration": {"template", "energy density (1)", "x (mm)", "y (mm)", "energy, rotated only (1)", "no change"},
    "numbers_of_curves": {"J = 16", "J = 27", "J = 80", "20 mm"},
    "coordinate_curves": {"x, one person", "z, 5 people", "angle (degree)", "x (mm)", "y (mm)", "z (mm)"},
    "means": {"point-wise mean", "RKHS mean", "distance of the two means (mm)", "20 mm"},
    "mechanisms": {"not private", "whole face", "as printed", "point by", "20 mm"},
    "budgets": {"point,", "at once,", "mu = 2", "mu = 3", "20 mm"},
    "overlays": {"RKHS mean", "point by", "whole face", "x (mm)", "y (mm)", "z (mm)"},
    "error_against_people": {"people n (count)", "error at a point, rms (mm)", "whole face at once", "point by point"},
}
RULES = "draw_face_chain", "draw_face_curves", "draw_face_means", "draw_face_errors"
INTERNAL = "INTERNAL - CONTAINS PRIVATE RESULTS"


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """The folder of a run that has drawn every figure."""
    folder = tmp_path_factory.mktemp("figures")
    runs.snakemake(folder, *RULES, settings=runs.tiny(SMALL))
    return folder


@pytest.fixture(scope="module")
def report(done):
    """The text of Snakemake's report on that run."""
    runs.snakemake(done, "--report", "report.html", *RULES, cores=None)
    return (done / "report.html").read_text(encoding="utf-8")


def test_the_rules_draw_these_figures_and_no_others(done):
    drawn = {path.stem for path in (done / "results/private/faces/figures").iterdir()}
    assert drawn == set(WORDS)


@pytest.mark.parametrize("name", WORDS)
def test_a_figure_shows_something(done, name):
    picture = np.asarray(Image.open(done / f"results/private/faces/figures/{name}.png").convert("L")).astype(int)
    assert min(picture.shape) > 600, "large enough for print"
    inside = picture[picture.shape[0] // 10 : -picture.shape[0] // 10]
    assert np.ptp(inside) > 150
    assert np.mean(inside < 250) > 0.02, "not a blank page"


@pytest.mark.parametrize("name", WORDS)
def test_a_figure_says_what_it_shows(done, name):
    drawing = ElementTree.parse(done / f"results/private/faces/figures/{name}.svg")
    texts = {"".join(one.itertext()).strip() for one in drawing.iter("{http://www.w3.org/2000/svg}text")}
    assert WORDS[name] <= texts
    assert name == "numbers_of_curves" or "Private." in " ".join(texts), "the template alone is public"


def test_the_report_calls_itself_internal_and_explains_every_figure(report):
    assert INTERNAL in report
    results, _ = json.JSONDecoder().raw_decode(report, re.search(r"results = (?=\{)", report).end())
    shown = {path: entry for path, entry in results.items() if "/faces/figures/" in path}
    assert len(shown) == len(WORDS)
    for entry in shown.values():
        assert len(entry["caption"]) > 100
        assert entry["labels"]["figure"]


def test_whatever_the_report_shows_has_a_caption_and_a_category(root):
    used = {f"face_{name}.rst" for name in WORDS}
    for rules in (root / "workflow/rules").glob("*.smk"):
        text = rules.read_text(encoding="utf-8")
        for call in re.findall(r"\breport\((.*?)\n\s*\)", text, re.S):
            assert "category=" in call, f"{rules.name}: {call}"
            assert "caption=" in call, f"{rules.name}: {call}"
            used |= set(re.findall(r'caption="\.\./report/(.+?\.rst)"', call))
    assert used <= {path.name for path in (root / "workflow/report").glob("*.rst")}


def test_the_first_page_of_the_report_warns_in_large_letters(root):
    title, line = (root / "workflow/report/workflow.rst").read_text(encoding="utf-8").splitlines()[1:3]
    assert title == INTERNAL
    assert set(line) == {"="}
