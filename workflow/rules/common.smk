"""The run that all rules are about, and what of it they ask for; scripts/shapedp/app/workflow.py says what each means."""

import contextlib
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

# Of this file, not of the Snakefile that was started: that may be one that uses this workflow as a module.
ROOT = Path(workflow.current_basedir.get_path_or_uri(secret_free=True)).parents[1]
sys.path.insert(0, str(ROOT / "scripts"))

from shapedp.app import workflow as library_workflow
from shapedp.base.errors import ConfigError
from shapedp.surfaces.chain import steps, to_disk, to_template
from shapedp.people import populations, samples
from shapedp.base.runs import logs, status
from shapedp.base.settings import registry
from shapedp.base.settings.checks import BRANCHES
from shapedp.base.storage import files
from shapedp.surfaces.scans.limits import JOB_MB
from shapedp.app.workflow import LOOK_FILE, PRIVATE, SHOWN_MARKERS, VARIATION
from shapedp.app.workflow import DigestedList, release_folder, print_for_operator

SETTINGS = ", ".join(map(str, workflow.configfiles)) or "--config"
RELEASED_FACES, RELEASED_SHAPES = [], []  # a branch that is left out adds none
FACE_FIGURES, SHAPE_FIGURES = [], []

RUN = library_workflow.Run(config, SETTINGS, ROOT, workflow.is_main_process)
COHORTS, BATCHES, PEOPLE = RUN.cohorts, RUN.batches, RUN.people
TEMPLATE_SCAN, SHAPE_FILES = RUN.template_scan, RUN.landmark_files
code, sections, of_cohort = RUN.digest_code, RUN.select_sections, RUN.list_artifacts
entry, names_of, released, bounds_of = (
    RUN.find_entry,
    RUN.match_names,
    RUN.list_markers_and_pages,
    RUN.locate_bounds,
)
TOGETHER = RUN.joint_release
looked_at, public_marks = RUN.review_files, RUN.select_public_markers
spending_lines, refuse_overspending = RUN.describe_spending, RUN.refuse_overspending


wildcard_constraints:
    cohort="faces|reference",
    branch="faces|shapes",
    batch=r"\d+",
    release=r"[A-Za-z0-9][A-Za-z0-9_-]*",
    source="reference_set|data",
    reference="template|none",


def samples_of_the_batch(wildcards):
    return RUN.list_scans(wildcards.cohort, wildcards.batch)


def demo_sheet(wildcards):
    return RUN.find_drawn_sheet(wildcards.cohort)


def stamp(wildcards):
    return RUN.stamp_batch(wildcards.cohort, wildcards.batch)


def kinds_kept(cohort):
    """What stays of a cohort's steps: what faces.keep lists, and of public people no more than their curves."""
    return {one for one in FACES["keep"] if cohort == "faces" or one == "curves"}


def kept(kind):
    """The artifact of a batch, which goes when all that need it are through unless faces.keep lists its kind."""
    path = f"results/private/{{cohort}}/{kind}/{{batch}}.h5"
    return path if kind in FACES["keep"] else temp(path)


def of_all_batches(kind):
    return lambda wildcards: RUN.list_artifacts(wildcards.cohort, kind)


def entry_of(branch):
    return lambda wildcards: RUN.find_entry(branch, wildcards.release)


def plain_samples(cohort):
    """What rows follow from, of each scan: id, person, group, time and, if it is used, the sheet's further cells."""
    return DigestedList(
        (one.id, one.person, one.group, one.time, one.covariates if one.use else ())
        for one in COHORTS[cohort]
    )


def sample_of(face):
    try:
        return RUN.find_scan(face)
    except ConfigError as error:
        raise WorkflowError(error) from error


def look_at(branch):
    """What a release is compared by with what was looked at."""
    return lambda wildcards: RUN.prepare_look(branch, wildcards.release)


def targets():
    """What the command asks for by name, once Snakemake has told its settings."""
    return list(map(str, getattr(workflow.dag_settings, "targets", ()) or ()))


def spending_jobs():
    """The jobs of this run that draw noise: those that are compared with what was looked at."""
    return [
        job
        for job in workflow.dag.jobs
        if workflow.dag.needrun(job) and hasattr(job.rule.params, "look")
    ]


def print_what_it_would_spend(folder):
    """Print what a dry run would spend, from the run's folder, which Snakemake has left by the time it ends."""
    with contextlib.chdir(folder):
        print_for_operator(
            "shapedp: what this would spend", *spending_lines(bool(spending_jobs()))
        )


def forecast_before(branch):
    """The forecast, which whoever watches a run can stop it by before it spends; who has looked first has seen it.

    Not `ancient`: Snakemake leaves a release out of a run that makes such an input anew. A release that is made again for
    a new forecast is the stored one.
    """
    return [] if RUN.looks_first else f"results/private/{branch}/forecast.txt"


def spent(branch):
    return lambda wildcards: RUN.describe_spent(branch)


def minutes(wildcards, attempt):
    """Minutes of a batch's job, as many as its scans may take at most, and more at each retry."""
    return RUN.estimate_minutes(wildcards.cohort, wildcards.batch) * attempt


def memory(mb):
    """Memory of a job in MB, more at each retry."""
    return lambda wildcards, attempt: mb * attempt
