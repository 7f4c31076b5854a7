"""Make the tables and the picture of a released mean shape; all follow from the release alone."""

import json
from pathlib import Path

from shapedp import artifacts
from shapedp.figures import outlines, released_shapes, style
from shapedp.landmarks import writing as landmark_files
from shapedp.runs.logs import logged
from shapedp.storage import files


def draw_mean_shape(release_path, table_path, picture_path):
    """Landmarks as CSV, beside it as TPS and as an R script that loads them; the shape with the reach of the noise."""
    with artifacts.reader(release_path, artifacts.RELEASED_SHAPE) as source:
        release = {name: source[name] for name in artifacts.RELEASED_SHAPE.fields}
    settings = json.loads(release["settings"])
    landmarks, table = release["landmarks"], Path(table_path)
    files.write_text(table, landmark_files.csv(landmarks))
    files.write_text(table.with_suffix(".tps"), landmark_files.tps(landmarks, table.stem))
    files.write_text(table.with_suffix(".R"), landmark_files.R_SCRIPT)
    look = outlines.Look(settings["modes"] > 0, settings.get("links", []))
    style.save(released_shapes.released(release, look), picture_path, ("png",))


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        draw_mean_shape(snakemake.params.release, snakemake.output.table, snakemake.output.picture)
