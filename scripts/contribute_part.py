"""Send this laboratory's part of the round that its study is in: the only step of a study that spends privacy."""

from pathlib import Path

from shapedp.labs import contributing
from shapedp.runs.logs import log, logged

if __name__ == "__main__":
    with logged(snakemake.log[0]):
        for line in contributing.send(snakemake.params.faces, snakemake.params.privacy, Path("results")):
            log.info(line)
            print(line)
