"""What the workflow is built on."""


localrules:
    list_licences,


rule list_licences:
    """List the licences of all pinned packages, without a network.

    Known advisories live on the network and change daily: CONTRIBUTING.md has the command that asks for them.
    """
    input:
        lock=ROOT / "requirements.lock",
        library=library("list_licences"),
    output:
        table="results/licences.tsv",
    log:
        "results/private/logs/list_licences.log",
    benchmark:
        "results/private/benchmarks/list_licences.tsv"
    conda:
        ENVIRONMENT
    message:
        "Listing the licences of the dependencies"
    script:
        "../../scripts/list_licences.py"
