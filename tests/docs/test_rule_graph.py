"""The picture of the rules is that of the rules there are."""

import importlib.util

import pytest

from workflow import runs

TEXT = """digraph snakemake_dag {
    0[label = "all", color = "0 0 0"];
    1[label = "release", color = "0 0 0"];
    2[label = "curves", color = "0 0 0"];
    3[label = "mesh", color = "0 0 0"];
    1 -> 0
    2 -> 1
    3 -> 2
    3 -> 1
}"""


@pytest.fixture(scope="module")
def graph(root):
    spec = importlib.util.spec_from_file_location("rule_graph", root / "docs/rule_graph.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_an_arrow_that_others_imply_is_left_out_and_each_stands_below_what_it_needs(graph):
    needs = graph.reduced(graph.parsed(TEXT))
    assert needs == {"release": {"curves"}, "curves": {"mesh"}, "mesh": set()}
    place = graph.places(needs)
    assert place["mesh"][1] < place["curves"][1] < place["release"][1]


@pytest.mark.slow
def test_the_picture_in_the_documentation_is_of_these_rules(root, graph, tmp_path):
    (tmp_path / "config.yaml").write_bytes((root / "config.yaml").read_bytes())
    said = runs.snakemake(tmp_path, "--rulegraph")
    text = graph.drawn(graph.reduced(graph.parsed(said.stdout)))
    shown = (root / "docs/rule_graph.svg").read_text(encoding="utf-8")
    assert shown == text, "snakemake --rulegraph | python docs/rule_graph.py docs/rule_graph.svg"
