"""Attack every mechanism on its worst neighbouring pair, and negative controls that must be caught."""

import sys

from shapedp import files
from shapedp.figures import audits, style
from shapedp.logs import logged
from shapedp.mechanisms import audit_cases, noise


def audit_mechanisms(table_path, picture_path):
    """One row a case; the job fails if a mechanism breaks its claim or a control is not caught."""
    found = list(audit_cases.cases(noise.SecureNoise()))
    lines = ["case\tunit\tclaim\tlower_bound\tcontrol\tas_expected"]
    lines += [
        f"{one.name}\t{one.unit}\t{one.claim:.4f}\t{one.found:.4f}\t{one.control}\t{one.as_expected}" for one in found
    ]
    files.write_text(table_path, "\n".join(lines) + "\n")
    style.save(audits.claims_and_findings(found), picture_path)
    if broken := [one.name for one in found if not one.as_expected]:
        sys.exit(f"audit: not as claimed: {', '.join(broken)}; see {table_path}")


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        audit_mechanisms(snakemake.output.table, snakemake.output.picture)
