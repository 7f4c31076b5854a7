"""Attacks on the mechanisms themselves; no data of anybody."""


rule audit_mechanisms:
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


rule audit_release_command:
    input:
        library=library("audit_release_command"),
        steps=[
            library(script)
            for script in (
                "read_shapes",
                "center_shapes",
                "release_shapes",
                "share_cohort",
                "release_faces",
            )
        ],
    output:
        table="results/audit/release_command.tsv",
    script:
        "../../scripts/audit_release_command.py"


rule audit_hostile_files:
    input:
        library=library("audit_hostile_files"),
        steps=[
            library(script)
            for script in (
                "read_shapes",
                "center_shapes",
                "release_shapes",
                "release_faces",
            )
        ],
    output:
        table="results/audit/hostile_files.tsv",
    script:
        "../../scripts/audit_hostile_files.py"
