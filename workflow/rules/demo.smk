"""People to draw: the demo's, public ones, and those of the formula."""


rule make_demo_scans:
    """Draw people and scan them: several formats, random pose, noise, holes, some broken."""
    output:
        sheet="data/demo/{cohort}/samples.tsv",
    params:
        code=code("make_demo"),
        step="make_demo_scans",
        demo=lambda wildcards: populations.demo_settings(
            config["faces"], wildcards.cohort
        ),
    script:
        "../../scripts/make_demo.py"
