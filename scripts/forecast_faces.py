"""Foretell what a mean face would cost and how far it would lie from the truth; nothing is spent. Private."""

from dataclasses import replace

from shapedp import artifacts
from shapedp.cohorts import stacks
from shapedp.forecast import budgets, cautions, faces, tables
from shapedp.mechanisms import bounds
from shapedp.mechanisms.shaped import variation
from shapedp.runs.logs import logged
from shapedp.storage import files


def forecast_faces(paths, settings, privacy, people):
    """paths : template, quality, table, words; bounds, reference and variation where there is a public population
    settings : kernel and tau; people : how many the cohort lists
    """
    with artifacts.reader(paths["template"], artifacts.TEMPLATE) as source:
        shape, scale, public = source.shape("curves"), source["scale"], source["public"]
    limits = bounds.load(paths["bounds"])[0] if paths["bounds"] else bounds.from_numbers(settings["tau"], shape[0])
    limits = replace(limits, public=limits.public and bool(public))
    spread = scale * _spread(paths["reference"]) if paths["reference"] else None
    budget = budgets.of("faces", privacy)
    rows = list(faces.rows(shape, scale, limits, settings["kernel"], people, budget.left, spread))
    if paths["variation"]:
        learned, _ = variation.load(paths["variation"])
        rows = [*faces.shaped_rows(learned, scale, people, budget.left), *rows]
    files.write_text(paths["table"], "\n".join(tables.lines(rows, budget)) + "\n")
    said = [
        f"A mean face of {people} people; population '{budget.population}' has spent {budgets.spent(budget)}.",
        *cautions.of_settings({"faces": None, "shapes": None}, {"faces": people}),
        *cautions.of_rejections(paths["quality"]),
        *([] if limits.public else ["caution: the bounds or the template are not public: no release can be private"]),
        "chance: who happens to take part, as far as a public set tells; noise: rms distance at a point.",
        *tables.words(rows, budget),
        "To release, add below `faces.releases` (in place of []) and run the same command again:",
        faces.snippet(budget.left, rows[0].mechanism),
    ]
    files.write_text(paths["words"], "\n".join(said) + "\n")


def _spread(path):
    with artifacts.reader(path, artifacts.CURVES) as stack:
        rows = stacks.accepted(stack)
        return faces.spread(stacks.reading(stack, rows, 0.0), len(rows))


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        forecast_faces(
            {
                **{
                    key: snakemake.input.get(key) for key in ("template", "quality", "bounds", "reference", "variation")
                },
                **{key: snakemake.output[key] for key in ("table", "words")},
            },
            snakemake.params.faces,
            snakemake.params.privacy,
            snakemake.params.people,
        )
