"""Take neighbouring cohorts through every step, as the rules run them: nothing but the noised numbers may move."""

from shapedp.audit.records import audit_hostile_files, audit_release_command
from shapedp.base.runs.logs import logged

if __name__ == "__main__":
    with logged(snakemake.log[0]):
        match snakemake.params.step:
            case "audit_release_command":
                audit_release_command(snakemake.output.table)
            case "audit_hostile_files":
                audit_hostile_files(snakemake.output.table)
