"""The line on top of a page looks as strong as the guarantee is: weak is amber, never green."""

import colorsys
import re

import pytest

from library.releases import examples
from shapedp.mechanisms.cost import Cost
from shapedp.page import build, files
from shapedp.page.view import asset
from shapedp.releases import statement


def hue(mu):
    """Degrees on the color wheel of the verdict's words: 0 red, 120 green, 240 blue."""
    stated = statement.build(examples.request(cost=Cost("gdp", mu=mu)), examples.stated(), [])
    style, css = build.verdict(stated)[1], asset("page.css")
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
    assert "What may be published is this folder" in files.section(tmp_path, "reading_faces.md", private=True)
    told = files.section(tmp_path, "reading_faces.md", private=False)
    assert "keep the folder at home" in told and "may be published" not in told
