"""Attacks on the mechanisms themselves; no data of anybody."""


rule audit_mechanisms:
    output:
        table="results/audit/audit.tsv",
        picture=report(
            "results/audit/audit.png",
            caption="../report/audit.rst",
            category="Audit",
            labels={"figure": "claims and attacks"},
        ),
        drawing="results/audit/audit.svg",
    params:
        code=code("audit_mechanisms"),
    script:
        "../../scripts/audit_mechanisms.py"


rule audit_release_command:
    """Run the release command on neighbouring cohorts with chosen records: nothing but the noised numbers may move."""
    output:
        table="results/audit/release_command.tsv",
    params:
        steps=[
            code(script)
            for script in (
                "read_shapes",
                "center_shapes",
                "release_shapes",
                "share_cohort",
                "release_faces",
            )
        ],
        code=code("audit_records"),
        step="audit_release_command",
    script:
        "../../scripts/audit_records.py"


rule audit_hostile_files:
    """Take files of neighbouring cohorts that share a frame through every step: nothing that an outsider sees may move."""
    output:
        table="results/audit/hostile_files.tsv",
    params:
        steps=[
            code(script)
            for script in (
                "read_shapes",
                "center_shapes",
                "release_shapes",
                "release_faces",
            )
        ],
        code=code("audit_records"),
        step="audit_hostile_files",
    script:
        "../../scripts/audit_records.py"
