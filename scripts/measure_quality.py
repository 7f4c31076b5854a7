"""Tabulate the faces of a batch, and keep what a review page shows of them; then one table of all batches."""

from itertools import starmap
from pathlib import Path

from shapedp.base.runs.logs import logged
from shapedp.base.storage import files
from shapedp.surfaces.chain import quality
from shapedp.surfaces.chain.step import Scan


def measure_quality(paths, samples, table_path, look_path):
    """Write how well each face of a batch was registered, as a table, and what a review page shows of it.

    paths : {folder: path} of the artifacts; samples : (id, path, nose tip or None) of each face
    """
    quality.write_looks(quality.read_batch(paths, list(starmap(Scan, samples))), look_path, table_path)


def tabulate_quality(batch_paths, table_path):
    """Write the quality of the whole cohort as one table, from those of its batches, in the order of the cohort.

    No more than a batch is in memory.
    """
    with files.atomic(table_path) as partial, partial.open("w", encoding="utf-8", newline="\n") as table:
        for index, path in enumerate(batch_paths):
            header, rows = Path(path).read_text(encoding="utf-8").split("\n", maxsplit=1)
            table.write(rows if index else f"{header}\n{rows}")


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        inputs, outputs = snakemake.input, snakemake.output
        match snakemake.params.step:
            case "measure_quality":
                paths = {step.makes: inputs[step.makes] for step in quality.MEASURED}
                measure_quality(paths, snakemake.params.samples, outputs.table, outputs.look)
            case "tabulate_quality":
                tabulate_quality(inputs.tables, outputs.table)
