"""Tabulate the faces of a batch: status, the reason if a face was rejected, and its numbers."""

from shapedp import artifacts
from shapedp.runs.logs import logged
from shapedp.storage import files

STEPS = artifacts.FACE_STEPS[:-1]  # where a face's numbers come from


def measure_quality(paths, table_path):
    """One row a face; a rejected face has the numbers up to the step that rejected it."""
    columns = [name for step in STEPS for name in step.numbers]
    lines = ["\t".join(["id", "status", "stage", "code", "reason", *columns]), *rows(paths, columns)]
    files.write_text(table_path, "\n".join(lines) + "\n")


def rows(paths, columns):
    """The rows of the table, in the order of the batch."""
    status, found = {}, {}
    for path, step in zip(paths, STEPS, strict=True):
        for record in artifacts.records(path, step.kind):
            status[record.name] = ("rejected", record.stage, record.code, record.reason)
            if not record.rejected:
                status[record.name] = ("ok", "", "", "")
                found.setdefault(record.name, {}).update({name: record[name] for name in step.numbers})
    for name, words in status.items():
        values = found.get(name, {})
        yield "\t".join([name, *words, *(cell(values.get(column, "")) for column in columns)])


def cell(value):
    """A value as one cell: numbers to six digits, texts on one line."""
    return f"{value:.6g}" if isinstance(value, float) else str(value).replace("\n", "; ").replace("\t", " ")


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        measure_quality([snakemake.input[step.folder] for step in STEPS], snakemake.output.table)
