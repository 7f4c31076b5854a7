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


rule pack_releases:
    """Check what is to be published against the list of what may be, and pack it without times, owners or paths."""
    input:
        releases=RELEASED_FACES + RELEASED_SHAPES,
        library=[
            path
            for script in ("pack_releases", "draw_mean_face", "draw_mean_shape")
            for path in library(script)
        ],
    output:
        archive="results/public/releases.zip",
    params:
        root="results/release",
        releases=[(Path(path).parts[2], Path(path).parts[3]) for path in STATED],
    log:
        "results/private/logs/pack_releases.log",
    benchmark:
        "results/private/benchmarks/pack_releases.tsv"
    conda:
        ENVIRONMENT
    message:
        "Checking and packing the releases"
    script:
        "../../scripts/pack_releases.py"
