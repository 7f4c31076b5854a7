"""Tabulate the faces of a batch, and keep what a review page shows of them."""

from shapedp.chain import quality
from shapedp.chain.step import Scan
from shapedp.runs.logs import logged


def measure_quality(paths, samples, table_path, look_path):
    """paths : {folder: path} of the artifacts; samples : (id, path, nose tip or None) of each face"""
    quality.write_looks(quality.kept(paths, [Scan(*one) for one in samples]), look_path, table_path)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        paths = {one.makes: snakemake.input[one.makes] for one in quality.MEASURED}
        measure_quality(paths, snakemake.params.samples, snakemake.output.table, snakemake.output.look)
