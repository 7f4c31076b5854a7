"""Set every quantitative statement of the papers beside what was measured."""

from shapedp.runs.logs import logged
from shapedp.simulation import claims, claims_faces, claims_kng, claims_laplace
from shapedp.simulation.results import Results
from shapedp.storage import files

PAPERS = (claims_laplace, claims_kng, claims_faces)


def tabulate_claims(cell_paths, table_path, page_path, scale):
    """One row a statement, paper after paper."""
    results = Results(cell_paths)
    rows = [row for paper in PAPERS for row in paper.rows(results)]
    files.write_text(table_path, claims.table(rows))
    files.write_text(page_path, claims.page(rows, scale))


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        tabulate_claims(snakemake.input.cells, snakemake.output.table, snakemake.output.page, snakemake.params.scale)
