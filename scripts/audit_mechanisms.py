"""Attack every mechanism on its worst neighbouring pair, and negative controls that must be caught."""

import sys

from shapedp.app.forecast import charts
from shapedp.audit import cases
from shapedp.base.runs.logs import logged
from shapedp.base.storage import files
from shapedp.privacy import noise
from shapedp.releases.figures import style

COLUMNS = ("case", "kind", "claim", "lower_bound", "share", "expected", "verdict")


def audit_mechanisms(table_path, picture_path):
    """One row a case; the job fails if a mechanism breaks its claim or a control is not caught."""
    found = list(cases.run_cases(noise.SecureNoise()))
    rows = [COLUMNS]
    for one in found:
        numbers = f"{one.claim:.4f}", f"{one.lower_bound:.4f}", f"{one.share:.2f}"
        rows.append((one.name, one.kind, *numbers, one.expected, one.verdict))
    files.write_table(table_path, rows)
    style.save(charts.draw_audit(found), picture_path)
    if broken := [one.name for one in found if not one.as_expected]:
        sys.exit(f"audit: not as expected: {', '.join(broken)}; see {table_path}")


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        audit_mechanisms(snakemake.output.table, snakemake.output.picture)
