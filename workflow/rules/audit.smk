"""Attacks on the mechanisms themselves; no data of anybody."""


rule audit_mechanisms:
    """Attack every mechanism on its worst neighbouring pair, and negative controls that must be caught."""
    input:
        library=library("audit_mechanisms"),
    output:
        table="results/audit/audit.tsv",
        picture=report(
            "results/audit/audit.png",
            caption="../report/audit.rst",
            category="Audit",
            labels={"figure": "claims and attacks"},
        ),
        drawing="results/audit/audit.svg",
    script:
        "../../scripts/audit_mechanisms.py"
