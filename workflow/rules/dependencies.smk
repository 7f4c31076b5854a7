"""What the workflow is built on."""


rule list_licences:
    input:
        lock=ROOT / "requirements.lock",
        library=library("list_licences"),
    output:
        table="results/licences.tsv",
    script:
        "../../scripts/list_licences.py"
