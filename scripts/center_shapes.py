"""Remove position and size from each record, average within a person, choose the center p0 that shapes deviate from."""

from shapedp.chain.shapes import center_shapes
from shapedp.runs.logs import logged

if __name__ == "__main__":
    with logged(snakemake.log[0]):
        center_shapes(
            snakemake.input.landmarks,
            snakemake.output.shapes,
            **snakemake.params.center,
            table_path=snakemake.output.quality,
        )
