"""Take a batch from its scans to its curves in one process, face by face; nothing between is written."""

from itertools import starmap

from shapedp.base.runs.logs import logged
from shapedp.surfaces.chain import quality, step
from shapedp.surfaces.chain.step import ChainSettings, Scan
from shapedp.surfaces.chain.steps import STEPS


def make_curves(samples, template_path, curves_path, table_path, look_path, settings):
    """Write a batch's curves, its quality table and its look, in one process and with nothing between on the disk.

    They are what the steps one by one would write, bit for bit.

    samples : (id, path, nose tip or None) of each face; settings : of the chain
    """
    scans, chain_settings = list(starmap(Scan, samples)), ChainSettings(settings, template_path)
    faces = step.write_all(
        {"curves": curves_path}, scans, STEPS, chain_settings, step.name_job("make_curves", curves_path)
    )
    quality.write_looks(faces, look_path, table_path)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        params, outputs = snakemake.params, snakemake.output
        make_curves(
            params.samples, snakemake.input.template, outputs.curves, outputs.table, outputs.look, params.settings
        )
