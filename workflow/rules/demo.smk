"""Built-in demonstration data, made from formulas."""


rule make_demo_scans:
    """Draw synthetic faces and scan them: several formats, random pose, noise, holes, some broken."""
    input:
        library=library("make_demo_scans"),
    output:
        sheet="data/demo/{cohort}/samples.tsv",
    params:
        demo=lambda wildcards: populations.demo_settings(
            config["faces"], wildcards.cohort
        ),
    message:
        "Drawing the demo scans of {wildcards.cohort}"
    script:
        "../../scripts/make_demo_scans.py"
