"""Draw people and scan them: several formats, random pose, noise, holes, some broken."""

from pathlib import Path

from shapedp.demo import scans
from shapedp.runs.logs import logged


def make_demo_scans(sheet_path, demo):
    """Write the scans beside their sample sheet. demo : count, bad, seed, camera, word: whose people are drawn,
    later: years to a second scan of each, or None
    """
    told = {name: demo[name] for name in ("bad", "word", "camera", "later")}
    scans.make_scans(Path(sheet_path).parent, demo["count"], demo["seed"], **told)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        make_demo_scans(snakemake.output.sheet, snakemake.params.demo)
