"""Make the surfaces, tables and pictures of a release; all follow from the release alone."""

from pathlib import Path

from shapedp.figures import release_files
from shapedp.runs.logs import logged

if __name__ == "__main__":
    with logged(snakemake.log[0]):
        folder = Path(snakemake.params.folder)
        release_files.draw(folder, folder.parent.name, Path(snakemake.output.picture).parent)
