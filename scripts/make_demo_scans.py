"""Draw synthetic faces and scan them: several formats, random pose, noise, holes, some broken."""

from pathlib import Path

from shapedp.demo import scans
from shapedp.runs.logs import logged


def make_demo_scans(sheet_path, demo):
    """Write the scans beside their sample sheet."""
    scans.make_scans(Path(sheet_path).parent, demo["count"], demo["seed"], bad=demo["bad"])


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        make_demo_scans(snakemake.output.sheet, snakemake.params.demo)
