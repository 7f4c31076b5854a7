"""What the pages show of benches is what the tables hold, and only a run writes a table."""

import pytest

from benchmarks import run, tables


@pytest.fixture
def bench(tmp_path, monkeypatch):
    """A bench of one row, whose tables lie in a folder of the test."""

    class Bench:
        POPULATIONS, SEEDS, TARGETS = ("drawn",), "1 to 3", {"case error_mm": "<= .5"}

    monkeypatch.setattr(run, "RESULTS", tmp_path)
    monkeypatch.setattr(run, "load", lambda name: Bench)
    monkeypatch.setattr(run, "modules_digest", lambda name: "today")
    monkeypatch.setattr(tables, "purpose", lambda name: "What is measured.")
    tables._table.cache_clear()
    run.report("own", "drawn", [("case", "error_mm", 0.25, "mm"), ("case", "people", 60, "", "4 alone")], tmp_path)
    yield Bench
    tables._table.cache_clear()


def test_pages_show_the_figures_of_the_tables(root):
    """Marks of rows that are older than the code are left aside: they would change with every edit."""
    for path, text in tables.pages().items():
        shown = path.read_text(encoding="utf-8")
        assert shown.replace(" * |", " |") == text.replace(" * |", " |"), (
            f"{path.relative_to(root)} shows other figures than the tables: python tests/benchmarks/tables.py"
        )


def test_every_bench_says_its_seeds():
    assert [name for name in run.benches() if not run.load(name).SEEDS] == []


def test_a_row_says_what_it_is_of(bench, tmp_path):
    error, people = run.read(tmp_path / "own.tsv")
    assert (error["value"], error["population"], error["seeds"], error["modules"]) == (
        "0.25",
        "drawn",
        "1 to 3",
        "today",
    )
    assert people["seeds"] == "4 alone"


def test_a_run_replaces_a_row_of_the_same_and_keeps_the_others(bench, tmp_path):
    run.report("own", "drawn", [("case", "error_mm", 0.75, "mm")], tmp_path)
    assert [(row["measure"], row["value"]) for row in run.read(tmp_path / "own.tsv")] == [
        ("error_mm", "0.75"),
        ("people", "60"),
    ]
    run.report("own", "other", [("case", "error_mm", 1.0, "mm")], tmp_path)
    assert [row["population"] for row in run.read(tmp_path / "own.tsv")] == ["drawn", "drawn", "other"]


def test_a_miss_is_shown_as_a_miss_and_an_old_row_as_old(bench, tmp_path, monkeypatch):
    assert "<= .5: met" in tables.section("own") and " * |" not in tables.section("own")
    run.report("own", "drawn", [("case", "error_mm", 0.75, "mm")], tmp_path)
    monkeypatch.setattr(run, "modules_digest", lambda name: "tomorrow")
    assert "<= .5: missed" in tables.section("own")
    assert tables.section("own").count(" * |") == 2


def test_a_marked_figure_is_written_from_the_table(bench, tmp_path):
    text = "errs <!-- figure: own / case error_mm / .1f -->9.9<!-- end --> mm"
    assert tables.with_figures(text, tmp_path / "page.md") == text.replace("9.9", "0.2")
    with pytest.raises(SystemExit, match=r"page.md: 0 rows 'case people_mm' in the table of bench 'own'"):
        tables.with_figures(text.replace("error_mm", "people_mm"), tmp_path / "page.md")


def test_the_table_follows_what_the_bench_imports():
    found = {path.name for path in run.neighbours(run.HERE / "bench_model.py")}
    assert {"model_effects.py", "model_groups.py"} <= found
    assert run.modules_digest("model") != run.modules_digest("release")
