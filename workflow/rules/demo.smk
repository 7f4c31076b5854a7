"""People to draw: the demo's, public ones, and those of the formula."""


rule make_demo_scans:
    input:
        library=library("make_demo_scans"),
    output:
        sheet="data/demo/{cohort}/samples.tsv",
    params:
        demo=lambda wildcards: populations.demo_settings(
            config["faces"], wildcards.cohort
        ),
    script:
        "../../scripts/make_demo_scans.py"
