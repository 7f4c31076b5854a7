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
    """Attack every mechanism and write what was proved against its claim; the job fails where a claim is broken.

    It fails, too, if a control, which breaks its claim on purpose, is not caught. There is a row for each case.
    """
    attack_cases = list(cases.run_cases(noise.SecureNoise()))
    rows = [COLUMNS]
    for case in attack_cases:
        numbers = f"{case.claim:.4f}", f"{case.lower_bound:.4f}", f"{case.share:.2f}"
        rows.append((case.name, case.kind, *numbers, case.expected, case.verdict))
    files.write_table(table_path, rows)
    style.save(charts.draw_audit(attack_cases), picture_path)
    if broken := [case.name for case in attack_cases if not case.as_expected]:
        sys.exit(f"audit: not as expected: {', '.join(broken)}; see {table_path}")


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        audit_mechanisms(snakemake.output.table, snakemake.output.picture)
