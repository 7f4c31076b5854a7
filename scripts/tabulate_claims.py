"""Set every quantitative statement of the papers beside what was measured."""

from shapedp.base.runs.logs import logged
from shapedp.base.storage import files
from shapedp.reproduction import cells, claims_faces, claims_kng, claims_laplace, claims_peers, claims_regression
from shapedp.reproduction.cells import Results

PAPERS = (claims_laplace, claims_kng, claims_faces, claims_regression, claims_peers)


def tabulate_claims(cell_paths, table_path, page_path, scale):
    """Write each statement of the papers beside what was measured, as a table and as a page, paper after paper."""
    results = Results(cell_paths)
    rows = [row for paper in PAPERS for row in paper.rows(results)]
    files.write_text(table_path, cells.format_table(rows))
    files.write_text(page_path, cells.format_page(rows, scale))


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        tabulate_claims(snakemake.input.cells, snakemake.output.table, snakemake.output.page, snakemake.params.scale)
