"""Pages about results: Snakemake's own report on everything (internal), and a page about the releases (public)."""

TABLES = {  # page of the report: its branch and table, what it is called there
    "quality": ("faces", "quality", "Quality (private)", "quality of faces"),
    "face_comparison": (
        *("faces", "comparison"),
        *("Comparison of mechanisms (private)", "mean faces"),
    ),
    "shape_comparison": (
        *("shapes", "comparison"),
        *("Comparison of mechanisms (private)", "mean shapes"),
    ),
}
SHOWN_TABLES = {name: one for name, one in TABLES.items() if config[one[0]]}
REPORTED = expand("results/private/report/{table}.html", table=SHOWN_TABLES) + [
    f"results/private/report/{Path(mark).parent.name}/{Path(mark).stem}/statement.html"
    for mark in RELEASED_FACES + RELEASED_SHAPES
    if mark.startswith(SHOWN)
]


rule show_tables:
    """Make the tables of a run readable within the report."""
    input:
        tables=[
            f"results/private/{branch}/{table}.tsv"
            for branch, table, *_ in SHOWN_TABLES.values()
        ],
        library=library("show_tables"),
    output:
        [
            report(
                f"results/private/report/{name}.html",
                caption=f"../report/{name}.rst",
                category=category,
                labels={"table": label},
            )
            for name, (_, _, category, label) in SHOWN_TABLES.items()
        ],
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
            for script in (
                "pack_releases",
                "draw_mean_face",
                "draw_face_model",
                "draw_mean_shape",
                "draw_shape_model",
            )
            for path in library(script)
        ],
    output:
        archive="results/public/releases.zip",
    params:
        root=lambda wildcards, output: str(Path(output.archive).parents[1] / "release"),
        releases=lambda wildcards, input: [
            (Path(mark).parent.name, Path(mark).stem)
            for mark in public_marks(input.releases)
        ],
    script:
        "../../scripts/pack_releases.py"
