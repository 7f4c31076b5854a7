"""Foretell what a mean face would cost and how far it would lie from the truth; nothing is spent. Private."""

from shapedp import artifacts
from shapedp.forecast import budgets, changes, forecasts, predictions
from shapedp.mechanisms import worth
from shapedp.runs.logs import logged
from shapedp.storage import files


def forecast_faces(paths, settings, privacy, people, unread=(), differences=()):
    """paths : template, quality, table, no_better, words; bounds, variation and public_quality of a public population
    settings : kernel and tau; people : how many the cohort lists; unread : cautions about cells of the sheets
    differences : (entry of `releases`, path of what was learned for it, people whom it is of) of each change, asymmetry
    and growth
    """
    public_paths = (paths[key] for key in ("template", "bounds", "variation"))
    inputs = predictions.load(*public_paths, settings["kernel"], settings["tau"])
    with artifacts.reader(paths["template"], artifacts.TEMPLATE) as source:
        public = inputs.limits.public and bool(source["public"])
    budget = budgets.of("faces", privacy)
    rows, no_better = forecasts.useful(forecasts.face_rows(inputs, people, budget.left))
    for name, shown in (("table", rows), ("no_better", no_better)):
        files.write_text(paths[name], "\n".join(forecasts.lines(shown, budget)) + "\n")
    said = [
        f"A mean face of {people} people; population '{budget.population}' has spent {budgets.spent(budget)}.",
        *budgets.cautions_of_settings({"faces": None, "shapes": None}, {"faces": people}),
        *budgets.cautions_of_rejections(paths["quality"]),
        *(budgets.cautions_of_public_set(paths["public_quality"]) if paths["public_quality"] else ()),
        *unread,
        *([] if public else ["caution: the bounds or the template are not public: no release can be private"]),
        "chance: who happens to take part, as far as a public set tells; noise: rms distance at a point.",
        worth.MEANING + ".",
        *forecasts.words(rows, budget),
        *forecasts.left_out(no_better, paths["no_better"]),
        *predictions.target_lines(inputs, people),
        *(line for one in differences for line in changes.lines(*one, inputs.scale)),
        *forecasts.advice(rows + no_better, "mean_face"),
    ]
    files.write_text(paths["words"], "\n".join(said) + "\n")


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        forecast_faces(
            {
                **{
                    key: snakemake.input.get(key)
                    for key in ("template", "quality", "public_quality", "bounds", "variation")
                },
                **{key: snakemake.output[key] for key in ("table", "no_better", "words")},
            },
            snakemake.params.faces,
            snakemake.params.privacy,
            snakemake.params.people,
            snakemake.params.unread,
            list(zip(snakemake.params.differences, snakemake.input.differences, snakemake.params.listed, strict=True)),
        )
