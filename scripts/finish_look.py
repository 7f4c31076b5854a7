"""Note that a look is finished: at whom, with which settings of the chain, ranges and bounds. It spends nothing."""

from shapedp.base.runs.logs import logged
from shapedp.releases import look

if __name__ == "__main__":
    with logged(snakemake.log[0]):
        look.note_looks(snakemake.output.looked, snakemake.params.looks)
