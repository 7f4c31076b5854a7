"""Pages about results."""

STATED = [
    path for path in RELEASED_FACES + RELEASED_SHAPES if path.endswith("statement.json")
]


rule report_releases:
    """Write one page about all releases, from the release folder alone; it may be published."""
    input:
        statements=STATED,
        pictures=[path.replace("statement.json", "preview.png") for path in STATED],
        library=library("report_releases"),
    output:
        page="results/public/releases.html",
    log:
        "results/private/logs/report_releases.log",
    benchmark:
        "results/private/benchmarks/report_releases.tsv"
    conda:
        ENVIRONMENT
    message:
        "Writing the page about all releases"
    script:
        "../../scripts/report_releases.py"
