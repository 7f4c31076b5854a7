"""People to draw: the demo's, public ones, and those of the formula."""


rule make_demo_scans:
    """Draw people and scan them: several formats, random pose, noise, holes, some broken."""
    output:
        sheet="data/demo/{cohort}/samples.tsv",
    log:
        "results/private/logs/make_demo_scans/{cohort}.log",
    benchmark:
        "results/private/benchmarks/make_demo_scans/{cohort}.tsv"
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("make_demo"),
        step="make_demo_scans",
        demo=lambda wildcards: populations.complete_demo_settings(
            config["faces"], wildcards.cohort
        ),
    message:
        "make_demo_scans/{wildcards.cohort}: Draw the demo scans of a cohort"
    script:
        "../../scripts/make_demo.py"
