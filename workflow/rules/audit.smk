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


rule audit_release_command:
    """Run the release command on neighbouring cohorts with chosen records, and compare all that an outsider sees."""
    input:
        library=library("audit_release_command"),
        steps=[
            library(script)
            for script in (
                "read_shapes",
                "center_shapes",
                "mean_shape",
                "release_mean_shape",
                "release_shape_model",
                "bound_curves",
                "learn_variation",
                "release_mean_face",
                "release_face_model",
            )
        ],
    output:
        table="results/audit/release_command.tsv",
    script:
        "../../scripts/audit_release_command.py"
