"""Sum the moments of shapes, add noise, and enter the model in the ledger: mean, effects and modes under one mu."""

import json

from release_mean_shape import cohort, evidence, numbers_of, published
from shapedp import artifacts
from shapedp.errors import RefusedRelease
from shapedp.mechanisms import noise
from shapedp.model import covariates
from shapedp.releases import shape_model
from shapedp.runs.logs import logged
from shapedp.storage import marks


def release_shape_model(shapes_path, landmarks_path, output_dir, entry, settings, privacy):
    """As of a mean shape; covariates are columns of the sheet of persons, or `log_size`."""
    asked = covariates.of_settings(entry.get("covariates", {}))
    found = cohort(shapes_path, landmarks_path, settings["modes"], entry, settings, privacy)
    made = shape_model.made(found.ball, entry, asked)
    records, log_sizes = found.shapes()
    people = [found.ids[row] for row in found.part.rows]
    coded = covariates.table(
        asked, _cells(landmarks_path, found, dict(zip(people, log_sizes, strict=True)), asked), people
    )
    sums = made.total(lambda start, stop: records[start:stop], len(records), coded)
    randomness = noise.source(privacy["seed"])
    stated = shape_model.settings(entry, made, found.center, found.r_source, privacy, numbers_of(settings))
    facts = shape_model.facts(made, stated, *evidence(found, settings), randomness)

    def draw():
        return shape_model.drawn(made, sums, randomness, stated)

    return published(found, made, entry, stated, facts, privacy, draw, output_dir, (coded,))


def _cells(landmarks_path, found, log_sizes, asked):
    """(person, {column: text}) of each record; every record has the column `log_size`, by {person: number}."""
    with artifacts.reader(landmarks_path, artifacts.LANDMARKS) as source:
        told = [json.loads(one) if one else {} for one in source["covariates"]]
    columns = {*told[0], shape_model.SIZE}
    if lacking := sorted({one.name for one in asked} - columns):
        raise RefusedRelease(
            f"shapes.sheet: has no column {', '.join(lacking)}, which a release takes as covariate; it has "
            f"{', '.join(sorted(columns))}. No noise was drawn"
        )
    return [
        (person, {**told[row], shape_model.SIZE: repr(float(log_sizes[person]))})
        for person, rows in found.people.items()
        if person in log_sizes
        for row in rows
    ]


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        shown = release_shape_model(
            snakemake.input.shapes,
            snakemake.input.landmarks,
            snakemake.params.folder,
            snakemake.params.release,
            snakemake.params.shapes,
            snakemake.params.privacy,
        )
        marks.write(snakemake.output.mark, snakemake.params.folder, shown)
