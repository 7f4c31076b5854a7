"""Pages about results: Snakemake's own report on everything (internal), and a page about the releases (public)."""

STATED = [
    path for path in RELEASED_FACES + RELEASED_SHAPES if path.endswith("statement.json")
]


REPORTED = expand(
    "results/private/report/{table}.html",
    table=["quality", "mean_face_comparison", "mean_shape_comparison"],
) + [
    path.replace("results/release", "results/private/report").replace(".json", ".html")
    for path in STATED
]


rule show_tables:
    """Make the tables of a run readable within the report."""
    input:
        tables=[
            "results/private/faces/quality.tsv",
            "results/private/faces/comparison.tsv",
            "results/private/shapes/comparison.tsv",
        ],
        library=library("show_tables"),
    output:
        report(
            "results/private/report/quality.html",
            caption="../report/quality.rst",
            category="Quality (private)",
            labels={"table": "quality of faces"},
        ),
        report(
            "results/private/report/mean_face_comparison.html",
            caption="../report/face_comparison.rst",
            category="Comparison of mechanisms (private)",
            labels={"table": "mean faces"},
        ),
        report(
            "results/private/report/mean_shape_comparison.html",
            caption="../report/shape_comparison.rst",
            category="Comparison of mechanisms (private)",
            labels={"table": "mean shapes"},
        ),
    script:
        "../../scripts/show_tables.py"


rule show_statement:
    """Make the statement of a release readable within the report."""
    input:
        words="results/release/{branch}/{release}/statement.md",
        library=library("show_statement"),
    output:
        page=report(
            "results/private/report/{branch}/{release}/statement.html",
            caption="../report/release_statement.rst",
            category="Releases (public)",
            labels={"release": "{release}", "what": "statement"},
        ),
    message:
        "Making the statement of '{wildcards.release}' readable within the report"
    script:
        "../../scripts/show_statement.py"


rule report_releases:
    """Write one page about all releases, from the release folder alone; it may be published."""
    input:
        statements=STATED,
        pictures=[path.replace("statement.json", "preview.png") for path in STATED],
        library=library("report_releases"),
    output:
        page="results/public/releases.html",
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
        root=lambda wildcards, input: str(Path(input.releases[0]).parents[2]),
        releases=[(Path(path).parts[2], Path(path).parts[3]) for path in STATED],
    script:
        "../../scripts/pack_releases.py"
