"""What the workflow is built on."""


rule list_licences:
    """List the licences of all pinned packages, without a network.

    Known advisories live on the network and change daily: CONTRIBUTING.md has the command that asks for them.
    """
    input:
        lock=ROOT / "requirements.lock",
        library=library("list_licences"),
    output:
        table="results/licences.tsv",
    script:
        "../../scripts/list_licences.py"
