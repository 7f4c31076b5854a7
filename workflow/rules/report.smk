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
    if mark.startswith(SHOWN_MARKERS)
]
if config["faces"]:
    REPORTED += expand(
        "results/private/report/faces/{release}/noise.png",
        release=RUN.list_means("faces"),
    )


rule show_tables:
    """Make the tables of a run readable within the workflow's report. Private."""
    input:
        tables=[
            f"results/private/{branch}/{table}.tsv"
            for branch, table, *_ in SHOWN_TABLES.values()
        ],
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
    log:
        "results/private/logs/show_tables.log",
    benchmark:
        "results/private/benchmarks/show_tables.tsv"
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("write_pages"),
        step="show_in_report",
        shown=lambda wildcards, input: input.tables,
    message:
        "show_tables: Show the tables in the report"
    script:
        "../../scripts/write_pages.py"


rule show_statement:
    """Make the statement of a release readable within the workflow's report."""
    input:
        mark="results/private/shown/{branch}/{release}.json",
    output:
        page=report(
            "results/private/report/{branch}/{release}/statement.html",
            caption="../report/release_statement.rst",
            category="Releases (public)",
            labels={"release": "{release}", "what": "statement"},
        ),
    log:
        "results/private/logs/show_statement/{branch}/{release}.log",
    benchmark:
        "results/private/benchmarks/show_statement/{branch}/{release}.tsv"
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("write_pages"),
        step="show_in_report",
        shown=lambda wildcards, input: [f"{release_folder(input.mark)}/statement.md"],
    message:
        "show_statement/{wildcards.branch}/{wildcards.release}: Show the statement of a release in the report"
    script:
        "../../scripts/write_pages.py"


rule show_noise:
    """Show the size of a mean face's noise within the workflow's report."""
    input:
        page="results/release/faces/{release}/index.html",
    output:
        picture=report(
            "results/private/report/faces/{release}/noise.png",
            caption="../report/release_noise.rst",
            category="Releases (public)",
            labels={"release": "{release}", "what": "size of the noise"},
        ),
    log:
        "results/private/logs/show_noise/{release}.log",
    benchmark:
        "results/private/benchmarks/show_noise/{release}.tsv"
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        noise=lambda wildcards, input: Path(input.page).with_name("noise.png"),
    message:
        "show_noise/{wildcards.release}: Show the noise of a release in the report"
    shell:
        "cp {params.noise} {output.picture}"


rule report_releases:
    """Write one page about all releases, from the release folder alone."""
    input:
        releases=RELEASED_FACES + RELEASED_SHAPES,
    output:
        page="results/public/releases.html",
    log:
        "results/private/logs/report_releases.log",
    benchmark:
        "results/private/benchmarks/report_releases.tsv"
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("write_pages"),
        step="report_releases",
        releases=lambda wildcards, input: [
            release_folder(mark) for mark in public_marks(input.releases)
        ]
        + [
            f"results/release/{branch}/{name}"
            for branch, name in RUN.find_extra_releases()
        ],
    message:
        "report_releases: Write the page about all releases"
    script:
        "../../scripts/write_pages.py"


rule pack_releases:
    """Check all that is to be published against the list of what may be, and pack it without times, owners or paths."""
    input:
        releases=RELEASED_FACES + RELEASED_SHAPES,
    output:
        archive="results/public/releases.zip",
    log:
        "results/private/logs/pack_releases.log",
    benchmark:
        "results/private/benchmarks/pack_releases.tsv"
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("pack_releases"),
        root=lambda wildcards, output: str(Path(output.archive).parents[1] / "release"),
        releases=lambda wildcards, input: [
            (Path(mark).parent.name, Path(mark).stem)
            for mark in public_marks(input.releases)
        ]
        + RUN.find_extra_releases(),
        mechanisms=[
            (branch, entry["mechanism"])
            for branch in BRANCHES
            for entry in (config[branch] or {"releases": []})["releases"]
        ],
        privacy={key: config["privacy"][key] for key in ("ledger", "population")},
        study=config["faces"]["study"] if config["faces"] else None,
    message:
        "pack_releases: Pack all releases"
    script:
        "../../scripts/pack_releases.py"
