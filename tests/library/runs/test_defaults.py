"""What rules get that say nothing: named by the rule and the wildcards of its output."""

from types import SimpleNamespace

import pytest

from shapedp.runs import defaults


class Rule(SimpleNamespace):
    """Of Snakemake's rules what the defaults read and set."""

    def set_log(self, path):
        self.log = [path]


def rule(**changes):
    given = {
        "name": "map_disks",
        "norun": False,
        "log": [],
        "output": [r"results/{cohort,faces|reference}/disk_map/{batch,\d+}.h5"],
        "message": None,
        "docstring": "Map each mesh conformally.\n\nMore of it.",
        "snakefile": "/here/workflow/rules/faces.smk",
        "ruleinfo": SimpleNamespace(path_modifier=None),
    }
    return Rule(**{**given, **changes})


def completed(**changes):
    one = rule(**changes)
    defaults.complete([one], "/here", "/here/envs/shapedp.yaml")
    return one


def test_records_are_named_by_rule_and_wildcards_in_the_order_of_the_path():
    one = completed()
    assert one.log == ["results/private/logs/map_disks/{cohort}/{batch}.log"]
    assert one.benchmark == "results/private/benchmarks/map_disks/{cohort}/{batch}.tsv"
    assert one.conda_env == "/here/envs/shapedp.yaml"


def test_a_wildcard_that_stands_twice_is_named_once():
    assert defaults.job(rule(output=["results/{release}/{release}.h5"])) == "map_disks/{release}"


def test_the_message_is_the_docstrings_first_line_unless_the_rule_has_one():
    assert completed().message == "Map each mesh conformally"
    assert completed(message="Mapping batch {wildcards.batch}").message == "Mapping batch {wildcards.batch}"


def test_a_rule_without_output_has_no_benchmark():
    one = completed(output=[])
    assert one.log == ["results/private/logs/map_disks.log"]
    assert not hasattr(one, "benchmark")


@pytest.mark.parametrize("own", [{"norun": True}, {"log": ["own.log"]}, {"snakefile": "/other/Snakefile"}])
def test_targets_rules_with_a_log_and_rules_of_others_are_left_alone(own):
    assert not hasattr(completed(**own), "conda_env")
