"""What the workflow is built on."""


rule list_licences:
    input:
        lock=ROOT / "requirements.lock",
    output:
        table="results/licences.tsv",
    params:
        code=code("list_licences"),
    script:
        "../../scripts/list_licences.py"
