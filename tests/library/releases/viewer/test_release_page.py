"""The line on top of a page looks as strong as the guarantee is: weak is amber, never green."""

import colorsys
import json
import re

import pytest
from PIL import Image

from library.releases import examples
from shapedp.privacy.accounting.cost import Cost
from shapedp.releases.figures import captions, face_means
from shapedp.releases.statement import statement
from shapedp.releases.viewer import release_page
from shapedp.releases.viewer.view import read_asset


def hue(mu):
    """Degrees on the color wheel of the verdict's words: 0 red, 120 green, 240 blue."""
    stated = statement.build(examples.request(cost=Cost("gdp", mu=mu)), examples.stated(), [])
    style, css = release_page.word_verdict(stated)[1], read_asset("page.css")
    color = re.search(rf"\.verdict\.{style} strong[^{{]*{{ color: var\((--\w+)\)", css)[1]
    digits = re.search(rf"{color}: #(\w{{6}})", css)[1]
    return 360 * colorsys.rgb_to_hsv(*(int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)))[0]


@pytest.mark.parametrize(("mu", "least", "most"), [(0.2, 90, 170), (0.7, 90, 170), (1.0, 180, 260), (2.9661, 20, 50)])
def test_a_verdict_bears_the_color_of_its_strength(mu, least, most):
    assert least < hue(mu) < most


def test_very_weak_is_amber_as_well():
    assert 20 < hue(5.0) < 50


def test_a_page_says_what_may_go_out_and_what_stays(tmp_path):
    (tmp_path / "statement.md").write_text("", encoding="utf-8")
    assert "What may be published is this folder" in release_page.list_files(tmp_path, "reading_faces.md", private=True)
    told = release_page.list_files(tmp_path, "reading_faces.md", private=False)
    assert "keep the folder at home" in told and "may be published" not in told


@pytest.fixture
def folders(tmp_path):
    """Two releases, of which the second has no guarantee."""
    made = []
    for branch, name, private in (("shapes", "mean_shape", True), ("faces", "bad_face", False)):
        folder = tmp_path / branch / name
        folder.mkdir(parents=True)
        statement = {
            "formally_private": private,
            "summary": f"What {name} promises.",
            "guarantee": {"right_guesses": 0.6},
            "release": {"branch": branch, "statistic": f"mean {branch[:-1]}", "n": 60, "group": {"name": "<a>"}},
            "noise": {"rms_mm": 1.054 if branch == "faces" else None},
            "mechanism": {"name": "shaped", "words": "noise & more"},
        }
        (folder / "statement.json").write_text(json.dumps(statement), encoding="utf-8")
        (folder / "statement.md").write_text(f"## Who\n\nThe people of {name}. <script>x</script>\n", encoding="utf-8")
        Image.new("RGB", (4, 5), "gray").save(folder / "preview.png")
        made.append(folder)
    return made


def test_each_release_stands_under_its_category(folders):
    page = release_page.render_overview(folders)
    order = [page.index(text) for text in ("<h2>Faces", 'id="faces-bad_face"', "<h2>Shapes", 'id="shapes-mean')]
    assert order == sorted(order)
    assert page.count('href="#') == 2


def test_verdict_caption_and_statement_of_a_release(folders):
    page = release_page.render_overview(folders)
    assert "Formally private, fair: at worst" in page
    assert "NOT formally private.</strong> What bad_face promises." in page
    assert "The mean shape of 60 people of group &lt;a&gt;, noise included. Mechanism: noise &amp; more." in page
    assert "noise included, which moves a point by 1.05 mm, root mean square. Mechanism" in page
    assert "<p>The people of mean_shape." in page


def test_a_mean_that_is_asked_again_counts_what_is_not_released(folders):
    path = folders[1] / "statement.json"
    statement = json.loads(path.read_text(encoding="utf-8"))
    statement["mechanism"]["name"] = "shaped_again"
    path.write_text(json.dumps(statement), encoding="utf-8")
    words = "noise included; noise, and what is not released, move a point by 1.05 mm, root mean square"
    assert words in captions.read_caption(folders[1])
    assert captions.read_noise_words(folders[1]) == face_means.UNRELEASED_WORDS
    assert captions.read_noise_words(folders[0]) == face_means.NOISE_WORDS


def test_it_asks_for_nothing_and_runs_nothing(folders):
    page = release_page.render_overview(folders)
    assert "<script" not in page
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "")


def test_a_category_without_releases_is_not_named(folders):
    assert "Faces" not in release_page.render_overview(folders[:1])
