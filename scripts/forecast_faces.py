"""Foretell what a mean face would cost and how far it would lie from the truth; nothing is spent. Private."""

from shapedp import artifacts
from shapedp.accuracy import predictions
from shapedp.forecast import budgets, cautions, faces, tables
from shapedp.runs.logs import logged
from shapedp.storage import files


def forecast_faces(paths, settings, privacy, people):
    """paths : template, quality, table, words; bounds and variation where there is a public population
    settings : kernel and tau; people : how many the cohort lists
    """
    public_paths = (paths[key] for key in ("template", "bounds", "variation"))
    inputs = predictions.load(*public_paths, settings["kernel"], settings["tau"])
    with artifacts.reader(paths["template"], artifacts.TEMPLATE) as source:
        public = inputs.limits.public and bool(source["public"])
    budget = budgets.of("faces", privacy)
    rows = list(faces.rows(inputs, people, budget.left))
    files.write_text(paths["table"], "\n".join(tables.lines(rows, budget)) + "\n")
    said = [
        f"A mean face of {people} people; population '{budget.population}' has spent {budgets.spent(budget)}.",
        *cautions.of_settings({"faces": None, "shapes": None}, {"faces": people}),
        *cautions.of_rejections(paths["quality"]),
        *([] if public else ["caution: the bounds or the template are not public: no release can be private"]),
        "chance: who happens to take part, as far as a public set tells; noise: rms distance at a point.",
        *tables.words(rows, budget),
        "To release, add below `faces.releases` (in place of []) and run the same command again:",
        faces.snippet(budget.left, rows[0].mechanism),
    ]
    files.write_text(paths["words"], "\n".join(said) + "\n")


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        forecast_faces(
            {
                **{key: snakemake.input.get(key) for key in ("template", "quality", "bounds", "variation")},
                **{key: snakemake.output[key] for key in ("table", "words")},
            },
            snakemake.params.faces,
            snakemake.params.privacy,
            snakemake.params.people,
        )
