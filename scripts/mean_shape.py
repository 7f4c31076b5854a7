"""The Fréchet mean of the shapes, not private, with how far the records lie from it and from the center."""

from shapedp import artifacts
from shapedp.manifolds import landmark_shapes
from shapedp.runs.logs import logged


def mean_shape(shapes_path, output_path):
    """One mean of all records, rejected ones left out; no record can stop it."""
    with artifacts.reader(shapes_path, artifacts.SHAPES) as source:
        p0, ok = source["center"], source["ok"].astype(bool)
        shapes = source["shapes"][ok] if ok.any() else p0[None]
    mean = landmark_shapes.center_of(shapes)
    with artifacts.writer(output_path, artifacts.MEAN_SHAPE, inputs=[shapes_path]) as out:
        out.set(
            mean=mean,
            residual=landmark_shapes.gradient(mean, shapes),
            distances=landmark_shapes.dist(mean, shapes),
            center_distances=landmark_shapes.dist(p0, shapes),
        )


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        mean_shape(snakemake.input.shapes, snakemake.output.mean)
