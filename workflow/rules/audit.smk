"""Attacks on the mechanisms themselves; no data of anybody."""


rule audit_mechanisms:
    """Attack every mechanism on its worst neighbouring pair, and negative controls that must be caught."""
    output:
        table="results/audit/audit.tsv",
        picture=report(
            "results/audit/audit.png",
            caption="../report/audit.rst",
            category="Audit",
            labels={"figure": "claims and attacks"},
        ),
        drawing="results/audit/audit.svg",
    log:
        "results/private/logs/audit_mechanisms.log",
    benchmark:
        "results/private/benchmarks/audit_mechanisms.tsv"
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("audit_mechanisms"),
    message:
        "audit_mechanisms: Audit the mechanisms"
    script:
        "../../scripts/audit_mechanisms.py"


rule audit_release_command:
    """Run the release command on neighbouring cohorts with chosen records: nothing but the noised numbers may move."""
    output:
        table="results/audit/release_command.tsv",
    log:
        "results/private/logs/audit_release_command.log",
    benchmark:
        "results/private/benchmarks/audit_release_command.tsv"
    conda:
        "../../envs/shapedp.yaml"
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
    message:
        "audit_release_command: Audit the release command"
    script:
        "../../scripts/audit_records.py"


rule audit_hostile_files:
    """Take files of neighbouring cohorts that share a frame through every step: nothing that an outsider sees may move."""
    output:
        table="results/audit/hostile_files.tsv",
    log:
        "results/private/logs/audit_hostile_files.log",
    benchmark:
        "results/private/benchmarks/audit_hostile_files.tsv"
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
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
    message:
        "audit_hostile_files: Audit the reading of hostile files"
    script:
        "../../scripts/audit_records.py"
