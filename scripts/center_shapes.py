"""Take records of landmarks to shapes about their center, or to people's differences, or shapes to their mean."""

from shapedp.base.runs.logs import logged
from shapedp.landmarks.shapes import center_shapes, difference_shapes, mean_shape

if __name__ == "__main__":
    with logged(snakemake.log[0]):
        match snakemake.params.step:
            case "center_shapes":
                center_shapes(
                    snakemake.input.landmarks,
                    snakemake.output.shapes,
                    **snakemake.params.center,
                    table_path=snakemake.output.quality,
                )
            case "difference_shapes":
                difference_shapes(
                    snakemake.input.landmarks,
                    snakemake.output.shapes,
                    snakemake.params.release,
                    **snakemake.params.shapes,
                )
            case "mean_shape":
                mean_shape(snakemake.input.shapes, snakemake.output.mean)
