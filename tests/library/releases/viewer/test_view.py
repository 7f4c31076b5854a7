"""Tables and statements as pages of the internal report."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest

from shapedp.releases.viewer import view

TABLE = ["id\tstatus\tpoints_read\treason", "a\tok\t7150\t", "b\trejected\t12\ta <hole> & more"]


class Cells(HTMLParser):
    """The words of a page's cells, and the class of each."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        if tag in ("th", "td"):
            self.found.append(["", dict(attributes).get("class")])

    def handle_data(self, data):
        if self.found:
            self.found[-1][0] += data


def test_every_cell_stands_in_its_place_and_numbers_to_the_right():
    cells = Cells(view.render_table("quality", TABLE)).found
    assert [words.strip() for words, _ in cells][:8] == ["id", "status", "points read", "reason", "a", "ok", "7150", ""]
    assert [look for _, look in cells][4:8] == [None, None, "number", None]


def test_text_of_a_table_is_text_and_a_rejected_row_stands_out():
    page = view.render_table("quality", TABLE)
    assert "a &lt;hole&gt; &amp; more" in page
    assert page.count('<tr class="rejected">') == 1


def test_a_statement_keeps_its_headings_and_tables():
    page = view.render_words("t", "# Who\n\n| a | b |\n| --- | --- |\n| 1 | **2** |\n\n<script>x</script>\n")
    assert "<h1>Who</h1>" in page
    assert "<td><strong>2</strong></td>" in page
    assert "<script>" not in page


PAGES = ("page.html", "review.html", "overview.html", "comparison.html", "assessed.html", "report.html")


@pytest.mark.parametrize("name", PAGES)
def test_no_asset_bears_a_style_or_an_action_that_the_policy_would_stop(name):
    assert re.search(r"\s(style|on[a-z]+)=", view.read_asset(name)) is None


def test_a_page_says_which_of_its_parts_may_act():
    """The digests are those that a browser takes of what stands between the tags."""
    made = view.make_document(
        "review.html", ["let a = 1 < 2", "b()"], title="", count=0, lines="", summaries="", data="{}"
    )
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', made)[1]
    parts = re.findall(r"<(?:style|script)>(.*?)</(?:style|script)>", made, re.DOTALL)
    digests = [base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() for part in parts]
    assert len(parts) == 3 and sorted(re.findall("sha256-([^']+)", policy)) == sorted(digests)
    assert (
        "default-src 'none'" in policy and "unsafe" not in policy and made.index("http-equiv") < made.index("<style>")
    )


def test_a_page_of_the_report_has_a_policy_of_its_own():
    made = view.render_words("<script>alert(1)</script>", "[link](javascript:alert(1)) <script>alert(1)</script>")
    assert "<script" not in made and "script-src 'none'" in made and 'href="javascript' not in made


def test_data_cannot_end_the_element_that_holds_it():
    words = {"levels": ["</script><script>alert(1)</script>", "<!--"]}
    made = view.embed_json(json.dumps(words))
    assert "<" not in made and json.loads(made) == words


def test_a_link_within_a_text_leads_to_its_heading_though_a_page_holds_several():
    text = "[here](#what-it-says)\n\n## Else\n\n## What it says\n"
    pages = "".join(view.to_html(text, below=2, prefix=prefix) for prefix in ("a-", "b-"))
    assert re.findall(r'href="#([^"]*)"', pages) == ["a-what-it-says", "b-what-it-says"]
    assert re.findall(r'<h4 id="([^"]*)">', pages) == ["a-what-it-says", "b-what-it-says"]
