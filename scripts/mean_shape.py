"""The Fréchet mean of the shapes, not private, with how far the records lie from it and from the center."""

from shapedp import artifacts
from shapedp.manifolds import frechet
from shapedp.manifolds.kendall import Kendall
from shapedp.runs.logs import logged


def mean_shape(shapes_path, output_path):
    """One mean of all records, rejected ones left out; no record can stop it."""
    with artifacts.reader(shapes_path, artifacts.SHAPES) as source:
        p0, ok = source["center"], source["ok"].astype(bool)
        z = source["z"][ok] if ok.any() else p0[None]
    space = Kendall(z.shape[1])
    found = frechet.best(space, z, p0)
    with artifacts.writer(output_path, artifacts.MEAN_SHAPE, inputs=[shapes_path]) as out:
        out.set(
            mean=found.point,
            residual=found.residual,
            distances=space.dist(found.point, z),
            center_distances=space.dist(p0, z),
        )


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        mean_shape(snakemake.input.shapes, snakemake.output.mean)
