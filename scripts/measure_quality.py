"""Tabulate the faces of a batch: status, the reason if a face was rejected, and its numbers."""

from shapedp import artifacts
from shapedp.runs.logs import logged
from shapedp.storage import files

STEPS = artifacts.FACE_STEPS[:-1]  # where a face's numbers come from
COLUMNS = [name for step in STEPS for name in step.numbers]


def measure_quality(paths, table_path):
    """One row a face; a rejected face has the numbers up to the step that rejected it."""
    write_table(table_path, rows(paths))


def write_table(path, rows):
    """The table of some rows."""
    files.write_text(path, "\n".join(["\t".join(["id", "status", "stage", "code", "reason", *COLUMNS]), *rows]) + "\n")


def rows(paths):
    """The rows of the table, in the order of the batch."""
    last, found = {}, {}
    for path, step in zip(paths, STEPS, strict=True):
        for record in artifacts.records(path, step.kind):
            last[record.name] = (record.stage, record.code, record.reason) if record.rejected else None
            if not record.rejected:
                found.setdefault(record.name, {}).update(numbers(record, step))
    return [row(name, refusal, found.get(name, {})) for name, refusal in last.items()]


def numbers(record, step):
    """{column: value} of what a step's record says of its face."""
    return {name: record[name] for name in step.numbers}


def row(name, refusal, values):
    """refusal : (stage, code, reason), or None of a face that was accepted; values : {column: value} as far as known"""
    words = ["rejected", *refusal] if refusal else ["ok", "", "", ""]
    return "\t".join([name, *words, *(cell(values.get(column, "")) for column in COLUMNS)])


def cell(value):
    """A value as one cell: numbers to six digits, texts on one line."""
    return f"{value:.6g}" if isinstance(value, float) else str(value).replace("\n", "; ").replace("\t", " ")


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        measure_quality([snakemake.input[step.folder] for step in STEPS], snakemake.output.table)
