"""Make the surfaces, the table and the picture of a released change or asymmetry; all follow from the release alone."""

from pathlib import Path

from shapedp.figures import release_files
from shapedp.runs.logs import logged

if __name__ == "__main__":
    with logged(snakemake.log[0]):
        release_files.draw_face_change(snakemake.params.release, Path(snakemake.output.picture).parent)
