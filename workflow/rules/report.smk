"""Pages about results: Snakemake's own report on everything (internal), and a page about the releases (public)."""


def public_marks(paths):
    """The marks among the paths whose releases may leave the house: reproductions stay."""
    marks = [path for path in paths if "/shown/" in path]
    return [
        mark
        for mark in marks
        if not entry(Path(mark).parent.name, Path(mark).stem).get("reproduction", False)
    ]


REPORTED = expand(
    "results/private/report/{table}.html",
    table=["quality", "mean_face_comparison", "mean_shape_comparison"],
) + [
    path.replace("/shown/", "/report/").replace(".json", "/statement.html")
    for path in RELEASED_FACES + RELEASED_SHAPES
    if "/shown/" in path
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
        mark="results/private/shown/{branch}/{release}.json",
        library=library("show_statement"),
    output:
        page=report(
            "results/private/report/{branch}/{release}/statement.html",
            caption="../report/release_statement.rst",
            category="Releases (public)",
            labels={"release": "{release}", "what": "statement"},
        ),
    params:
        words=lambda wildcards, input: f"{shown_at(input.mark)}/statement.md",
    message:
        "Making the statement of '{wildcards.release}' readable within the report"
    script:
        "../../scripts/show_statement.py"


rule report_releases:
    """Write one page about all releases, from the release folder alone; it may be published."""
    input:
        releases=RELEASED_FACES + RELEASED_SHAPES,
        library=library("report_releases"),
    output:
        page="results/public/releases.html",
    params:
        releases=lambda wildcards, input: [
            shown_at(mark) for mark in public_marks(input.releases)
        ],
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
        root=lambda wildcards, input: str(Path(shown_at(input.releases[0])).parents[1]),
        releases=lambda wildcards, input: [
            (Path(mark).parent.name, Path(mark).stem)
            for mark in public_marks(input.releases)
        ],
    script:
        "../../scripts/pack_releases.py"
