"""Write the page to look through a cohort of faces: each scan as it came, and what was made of it. Private."""

import csv
import math
from collections import defaultdict
from pathlib import Path

from shapedp import artifacts
from shapedp.chain import quality
from shapedp.forecast import budgets
from shapedp.page import review
from shapedp.runs.logs import logged
from shapedp.storage import files

FAR = 10.0  # mm rms that a face lies from the reference at most, as far as faces go
FIGURES = {  # of the table of quality, in words
    "points_read": "points in the file",
    "holes_filled": "holes closed",
    "nose_confidence": "nose stands out",
    "energy_after": "energy after registration",
    "min_jacobian": "least Jacobian",
    "removed": "share cropped off",
    "missing": "share missing",
    "unseen_mm": "mm to be expected of what was filled in",
    "unlike": "unlike public people (1: as hardly one)",
}


def review_faces(looks, quality_path, template_path, page_path, people, gates, privacy=None, scans=()):
    """looks : {batch: path}; people : (id, person, public group) of each scan; gates : the limits of the settings

    privacy : the settings that name the ledger; scans : (person, path) of each scan
    """
    with artifacts.reader(template_path, artifacts.TEMPLATE) as source:
        reference, scale = quality.decimated(source["f"]), float(source["scale"])
    with Path(quality_path).open(encoding="utf-8", newline="") as stream:
        rows = {row["id"]: row for row in csv.DictReader(stream, delimiter="\t")}
    others = defaultdict(list)
    for name, person, _ in people:
        others[person].append(name)
    known = {name: (group, [one for one in others[person] if one != name]) for name, person, group in people}
    limits = {
        "energy_after": (gates["energy"], False),
        "min_jacobian": (gates["jacobian"], True),
        "unseen_mm": (gates["unseen"], False),
        "unlike": (gates["unlike"], False),
        "mm": (FAR, False),
    }

    def records():
        for batch, path in looks.items():
            for one in artifacts.records(path, artifacts.LOOK):
                yield _record(one, batch, rows[one.name], *known[one.name])

    def _record(one, batch, row, group, other):
        figures = {name: float(row[name]) for name in FIGURES if row[name]}
        drawn = review.surface_drawn(one, reference, scale)
        words = [sentence for sentence in (one["reason"], *one["notices"].split("\n")) if sentence]
        return review.Record(
            name=one.name,
            batch=str(batch),
            group=group,
            rejected=row["status"] == "rejected",
            doubt=review.doubt(figures | {"mm": drawn.get("mm", math.nan)}, limits),
            words=tuple(words),
            figures={FIGURES[name]: f"{value:.4g}" for name, value in figures.items()},
            drawn=drawn,
            other=tuple(other),
        )

    shared = budgets.cautions_of_shared_people("faces", privacy, scans) if privacy else ()
    told = *budgets.cautions_of_rejections(quality_path), *shared
    lines = [line.removeprefix("caution: ") for line in told]
    files.write_text(page_path, review.page("Faces to look through", records(), lines, {"kind": "faces"}))


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        review_faces(
            dict(zip(snakemake.params.batches, snakemake.input.looks, strict=True)),
            snakemake.input.quality,
            snakemake.input.template,
            snakemake.output.page,
            snakemake.params.people,
            snakemake.params.gates,
            snakemake.params.privacy,
            snakemake.params.scans,
        )
