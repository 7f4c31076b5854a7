"""What a release would cost and how far it would lie from the truth; made where none is asked for yet. Private."""

FORECASTS = [
    f"results/private/{branch}/forecast.{ending}"
    for branch in settings.BRANCHES
    if config[branch]
    for ending in ("tsv", "txt")
]


LOOKED_AT = [path for branch in settings.BRANCHES for path in looked_at(branch)]


if config["faces"]:

    rule forecast_faces:
        """Foretell the noise, the chance and the price of each possible mean face; nothing is spent."""
        input:
            quality="results/private/faces/quality.tsv",
            template="results/private/template.h5",
            bounds=bounds_of({}),
            variation=VARIATION if "reference" in COHORTS else [],
            library=library("forecast_faces"),
        output:
            table="results/private/faces/forecast.tsv",
            words="results/private/faces/forecast.txt",
        params:
            faces={"kernel": FACES["kernel"], "tau": FACES["bounds"]["tau"]},
            privacy=config["privacy"],
            people=PEOPLE["faces"],
            spent=spent("faces"),
        script:
            "../../scripts/forecast_faces.py"


if config["shapes"]:

    rule forecast_shapes:
        """Foretell the noise, the chance and the price of each possible mean shape; nothing is spent."""
        input:
            shapes="results/private/shapes/shapes.h5",
            library=library("forecast_shapes"),
        output:
            table="results/private/shapes/forecast.tsv",
            words="results/private/shapes/forecast.txt",
        params:
            shapes={
                **{key: SHAPES[key] for key in ("radius", "modes", "center")},
                "reference_set": SHAPES.get("reference_set"),
            },
            privacy=config["privacy"],
            spent=spent("shapes"),
        script:
            "../../scripts/forecast_shapes.py"
