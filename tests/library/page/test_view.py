"""Tables and statements as pages of the internal report."""

from html.parser import HTMLParser

from shapedp.page import view

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
    cells = Cells(view.table_page("quality", TABLE)).found
    assert [words.strip() for words, _ in cells][:8] == ["id", "status", "points read", "reason", "a", "ok", "7150", ""]
    assert [look for _, look in cells][4:8] == [None, None, "number", None]


def test_text_of_a_table_is_text_and_a_rejected_row_stands_out():
    page = view.table_page("quality", TABLE)
    assert "a &lt;hole&gt; &amp; more" in page
    assert page.count('<tr class="rejected">') == 1


def test_a_statement_keeps_its_headings_and_tables():
    page = view.words_page("t", "# Who\n\n| a | b |\n| --- | --- |\n| 1 | **2** |\n\n<script>x</script>\n")
    assert "<h1>Who</h1>" in page
    assert "<td><strong>2</strong></td>" in page
    assert "<script>" not in page
