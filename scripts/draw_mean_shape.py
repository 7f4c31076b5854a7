"""Make the table and the picture of a released mean shape; both follow from the release alone."""

import json

from shapedp import artifacts
from shapedp.figures import outlines, style
from shapedp.landmarks import writing as landmark_files
from shapedp.runs.logs import logged
from shapedp.storage import files


def draw_mean_shape(release_path, table_path, picture_path):
    """Landmarks as CSV, and the outline with the reach of the noise."""
    with artifacts.reader(release_path, artifacts.RELEASED_SHAPE) as release:
        landmarks, reach = release["landmarks"], release["noise_radius"]
        closed = json.loads(release["settings"])["modes"] > 0
    files.write_text(table_path, landmark_files.csv(landmarks))
    style.save(outlines.released(landmarks, reach, closed), picture_path, ("png",))


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        draw_mean_shape(snakemake.params.release, snakemake.output.table, snakemake.output.picture)
