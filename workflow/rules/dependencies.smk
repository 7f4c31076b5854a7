"""What the workflow is built on."""


rule list_licences:
    """List the licences of all pinned packages, and of what pages carry of others."""
    input:
        lock=ROOT / "requirements.lock",
    output:
        table="results/licences.tsv",
    log:
        "results/private/logs/list_licences.log",
    benchmark:
        "results/private/benchmarks/list_licences.tsv"
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("list_licences"),
    message:
        "list_licences: List the licences of what is installed"
    script:
        "../../scripts/list_licences.py"
