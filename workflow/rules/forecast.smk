"""What a release would cost, how far it would lie from the truth, and whether it is worth making. Private."""

FORECASTS = [
    f"results/private/{branch}/forecast.{ending}"
    for branch in BRANCHES
    if config[branch]
    for ending in ("tsv", "txt")
]


LOOKED_AT = [path for branch in BRANCHES for path in looked_at(branch)]


if config["faces"]:

    rule forecast_faces:
        """Foretell what a mean face would cost and how far it would lie from the truth; nothing is spent. Private."""
        input:
            public_quality=(
                "results/private/reference/quality.tsv"
                if "reference" in COHORTS
                else []
            ),
            template="results/private/template.h5",
            bounds=bounds_of({}),
            variation=VARIATION if "reference" in COHORTS else [],
            learned=[
                path
                for one in RUN.entries_with_forecast
                if (path := RUN.find_learned(one))
            ],
        output:
            table="results/private/faces/forecast.tsv",
            no_better="results/private/faces/forecast_no_better.tsv",
            words="results/private/faces/forecast.txt",
        log:
            "results/private/logs/forecast_faces.log",
        benchmark:
            "results/private/benchmarks/forecast_faces.tsv"
        localrule: True
        conda:
            "../../envs/shapedp.yaml"
        params:
            code=code("forecast_releases"),
            step="forecast_faces",
            faces={
                "kernel": FACES["kernel"],
                "tau": FACES["bounds"]["tau"],
                "subject": FACES["subject"],
                "unit": FACES["unit"],
            },
            privacy=config["privacy"],
            people=PEOPLE["faces"],
            spent=spent("faces"),
            sizes=RUN.count_groups(COHORTS["faces"]),
            releases=[
                (one, RUN.find_learned(one), RUN.count_people(one))
                for one in RUN.entries_with_forecast
            ],
            asked=bool(FACES["releases"]),
            means=RUN.list_mean_budgets("faces"),
        message:
            "forecast_faces: Forecast what a mean would cost and be worth"
        script:
            "../../scripts/forecast_releases.py"


if config["shapes"]:

    rule forecast_shapes:
        """Foretell what a mean shape would cost and how far it would lie from the truth; nothing is spent. Private."""
        input:
            shapes="results/private/shapes/shapes.h5",
            differences=[
                RUN.locate_rows("shapes", name)
                for name in RUN.list_names("shapes", *samples.DIFFERENCES)
            ],
            public=RUN.list_public_files("reference_set", "reference_sheet"),
        output:
            table="results/private/shapes/forecast.tsv",
            no_better="results/private/shapes/forecast_no_better.tsv",
            words="results/private/shapes/forecast.txt",
        log:
            "results/private/logs/forecast_shapes.log",
        benchmark:
            "results/private/benchmarks/forecast_shapes.tsv"
        localrule: True
        conda:
            "../../envs/shapedp.yaml"
        params:
            code=code("forecast_releases"),
            step="forecast_shapes",
            shapes={
                **{key: SHAPES[key] for key in SHAPES_TAKEN},
                "reference_set": SHAPES.get("reference_set"),
                "reference_sheet": SHAPES.get("reference_sheet"),
            },
            privacy=config["privacy"],
            spent=spent("shapes"),
            releases=[
                RUN.find_entry("shapes", name)
                for name in RUN.list_names("shapes", *samples.DIFFERENCES)
            ],
            means=RUN.list_mean_budgets("shapes"),
        message:
            "forecast_shapes: Forecast what a mean shape would cost and be worth"
        script:
            "../../scripts/forecast_releases.py"


rule finish_look:
    """Note that everything up to the releases was made to be looked at; target `release` asks for it."""
    input:
        LOOKED_AT,
    output:
        looked=update(LOOK_FILE),
    log:
        "results/private/logs/finish_look.log",
    benchmark:
        "results/private/benchmarks/finish_look.tsv"
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("finish_look"),
        looks=lambda wildcards: RUN.prepare_looks(),
    message:
        "finish_look: Note that everything was made to be looked at"
    script:
        "../../scripts/finish_look.py"
