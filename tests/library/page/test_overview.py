"""The page about all releases: every release under its category, with verdict, caption and statement."""

import json

import pytest
from PIL import Image

from shapedp.page import overview


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
            "release": {"branch": branch, "statistic": f"mean {branch[:-1]}", "n": 60},
            "mechanism": {"words": "noise & more"},
        }
        (folder / "statement.json").write_text(json.dumps(statement), encoding="utf-8")
        (folder / "statement.md").write_text(f"## Who\n\nThe people of {name}. <script>x</script>\n", encoding="utf-8")
        Image.new("RGB", (4, 5), "gray").save(folder / "preview.png")
        made.append(folder)
    return made


def test_each_release_stands_under_its_category(folders):
    page = overview.overview(folders)
    order = [
        page.index(text) for text in ("<h2>Mean faces", 'id="faces-bad_face"', "<h2>Mean shapes", 'id="shapes-mean')
    ]
    assert order == sorted(order)
    assert page.count('href="#') == 2


def test_verdict_caption_and_statement_of_a_release(folders):
    page = overview.overview(folders)
    assert "Formally private, fair: at worst" in page
    assert "NOT formally private.</strong> What bad_face promises." in page
    assert "The mean shape of 60 people, noise included: noise &amp; more." in page
    assert "<p>The people of mean_shape." in page


def test_it_asks_for_nothing_and_runs_nothing(folders):
    page = overview.overview(folders)
    assert "<script" not in page
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")


def test_a_category_without_releases_is_not_named(folders):
    assert "Mean faces" not in overview.overview(folders[:1])
