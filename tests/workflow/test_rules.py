"""Each rule says what a reader of Snakemake looks for: what it is for, its record, its environment, its message."""

import re

RULE = re.compile(r"^( *)rule (\w+):\n(.*?)(?=^ *rule |^\S|\Z)", re.MULTILINE | re.DOTALL)
CLUSTERED = {  # what works on batches, and takes long: worth a job of a cluster's
    *(
        "mesh_faces",
        "map_disks",
        "recenter_disks",
        "sample_surfaces",
        "register_surfaces",
        "extract_curves",
        "make_curves",
    ),
    *(
        "learn_variation",
        "verify_batch",
        "verify_shared",
        "audit_mechanisms",
        "audit_release_command",
        "simulate_cells",
    ),
}


def declared_rules(root):
    """Return {name: text} of the rules that run something."""
    texts = (path.read_text(encoding="utf-8") for path in sorted((root / "workflow/rules").glob("*.smk")))
    rules = {match[2]: match[3] for text in texts for match in RULE.finditer(text)}
    return {name: text for name, text in rules.items() if re.search(r"^ *(script|shell):$", text, re.MULTILINE)}


def directive(text, name):
    """Return what stands below a directive of a rule, None where the rule has none."""
    match = re.search(rf'^ *{name}:\n *"(.*?)",?$', text, re.MULTILINE)
    return match and match[1]


def test_there_are_rules(root):
    assert len(declared_rules(root)) > 50


def test_each_rule_says_what_it_is_for_and_where_its_record_and_environment_are(root):
    for name, text in declared_rules(root).items():
        assert text.lstrip().startswith('"""'), f"{name}: no docstring"
        assert re.match(rf"{name}(/\{{wildcards\.\w+\}})*: [A-Z]", directive(text, "message") or ""), (
            f"{name}: no message"
        )
        assert directive(text, "conda") == "../../envs/shapedp.yaml", name
        log = directive(text, "log")
        assert log and re.fullmatch(rf"results/private/logs/{name}(/\{{\w+\}})*\.log", log), f"{name}: {log}"


def test_each_rule_with_outputs_measures_itself_beside_its_log(root):
    for name, text in declared_rules(root).items():
        has_output = bool(re.search(r"^ *output:$", text, re.MULTILINE))
        log = directive(text, "log")
        expected = log.replace("/logs/", "/benchmarks/").replace(".log", ".tsv") if has_output else None
        assert directive(text, "benchmark") == expected, name


def test_what_is_worth_a_job_of_a_cluster_is_no_local_rule(root):
    rules = declared_rules(root)
    local = {name for name, text in rules.items() if re.search(r"^ *localrule: True$", text, re.MULTILINE)}
    assert local == set(rules) - CLUSTERED
    assert set(rules) >= CLUSTERED
