"""Read landmark files, and the sheet beside them, into one artifact."""

from shapedp.base.runs.logs import logged
from shapedp.landmarks.cohort import read_shapes

if __name__ == "__main__":
    with logged(snakemake.log[0]):
        read_shapes(snakemake.input.source, snakemake.output.landmarks, **snakemake.params.public)
