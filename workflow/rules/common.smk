"""Settings, cohorts and the library that all rules share."""

import os
import sys
from contextlib import chdir
from pathlib import Path

from snakemake.exceptions import WorkflowError

# Of this file, not of the Snakefile that was started: that may be one that uses this workflow as a module.
ROOT = Path(workflow.current_basedir.get_path_or_uri(secret_free=True)).parents[1]
sys.path.insert(0, str(ROOT / "scripts"))

from shapedp import config as settings
from shapedp.artifacts import FACE_STEPS, INSPECTED
from shapedp.cohorts import populations, samples
from shapedp.landmarks import sources as landmark_sources
from shapedp.runs import (
    defaults,
    failures,
    logs,
    screen,
    sources,
    status,
    summary,
)
from shapedp.storage import clock, faults, marks
from shapedp.errors import ConfigError, ShapedpError

PRIVATE = Path("results/private")
SHOWN = "results/private/shown"  # marks of the releases that are shown
VARIATION = (
    "results/private/reference/variation.h5"  # public: of the reference set alone
)
SETTINGS = ", ".join(map(str, workflow.configfiles)) or "--config"
RELEASED_FACES, RELEASED_SHAPES = [], []  # a branch that is left out adds none
FACE_FIGURES, SHAPE_FIGURES = [], []

os.umask(0o077)  # what Snakemake itself notes of a run, too, holds ids and groups

try:
    config.update(settings.check(config, SETTINGS))
    COHORTS = populations.find(config["faces"]) if config["faces"] else {}
    TEMPLATE_SCAN = config["faces"] and populations.template_scan(
        config["faces"], COHORTS
    )
    SHAPE_FILES = landmark_sources.find(config["shapes"]) if config["shapes"] else {}
    faults.private_folder(PRIVATE)
    faults.private_folder(".snakemake")
    if workflow.is_main_process:
        marks.forget_lost(PRIVATE / "shown", "results/release")
        REPEATS = []
        if config["faces"]:
            populations.refuse_private(config["faces"], COHORTS)
            populations.refuse_unknown_columns(config["faces"], COHORTS["faces"])
            REPEATS = list(populations.told_repeats(COHORTS["faces"]))
            logs.warn_operator(
                [*REPEATS, *populations.told_unused(config["faces"])],
                PRIVATE / "logs/repeats.log",
            )
        clock.refuse_future(
            [
                *(sample.path for members in COHORTS.values() for sample in members),
                *(ROOT / "scripts").rglob("*.py"),
                *PRIVATE.rglob("*.h5"),
            ]
        )
except ConfigError as error:
    named = "" if str(error).startswith(SETTINGS) else f"{SETTINGS}: "
    sys.exit(f"shapedp: {named}{error}")
except ShapedpError as error:
    sys.exit(f"shapedp: {error}")

BATCHES = {
    cohort: samples.batches(members, config["faces"]["batch_size"])
    for cohort, members in COHORTS.items()
}
PEOPLE = {  # the public n of the faces; that of shapes is known once they are read
    cohort: len({sample.person for sample in COHORTS[cohort]})
    for cohort in COHORTS
    if cohort == "faces"
}


wildcard_constraints:
    cohort="faces|reference",
    branch="faces|shapes",
    batch=r"\d+",
    release=r"[A-Za-z0-9][A-Za-z0-9_-]*",
    source="reference_set|data",
    reference="template|none",


# Cheap rules run where snakemake runs; only the work on batches is worth a cluster job.
LOCAL = {
    "make_demo_scans",
    "make_demo_outlines",
    "prepare_template",
    "learn_correspondence",
    "stack_curves",
    "measure_quality",
    "tabulate_quality",
    "bound_curves",
    "release_mean_face",
    "release_face_model",
    "draw_face_model",
    "draw_mean_face",
    "write_release_page",
    "write_shape_page",
    "compare_releases",
    "plan_release",
    "inspect_face",
    "read_shapes",
    "center_shapes",
    "mean_shape",
    "release_mean_shape",
    "release_shape_model",
    "draw_mean_shape",
    "draw_shape_model",
    "write_shape_model_page",
    "draw_face_chain",
    "draw_face_curves",
    "draw_face_means",
    "draw_face_errors",
    "report_releases",
    "show_tables",
    "show_statement",
    "pack_releases",
    "compare_shape_releases",
    "draw_shapes",
    "list_licences",
    "draw_simulations",
    "draw_curve_simulations",
    "draw_simulated_faces",
    "tabulate_claims",
    "forecast_faces",
    "forecast_shapes",
}


def tell(*lines):
    """Print lines for the operator; on standard error, since graphs go to standard output."""
    print(*lines, sep="\n", file=sys.stderr, flush=True)


def bars_on_a_terminal():
    """Bars in place of Snakemake's lines, for a run that somebody watches and did not ask to hear more or less of."""
    output = workflow.output_settings
    asked = output.dryrun or output.verbose or output.quiet or output.printshellcmds
    if asked or not workflow.is_main_process or not sys.stderr.isatty():
        return None
    from shapedp.runs.progress import Bars

    return Bars()


def tell_when_idle(seen, folder):
    """At the end of a run that had nothing to do: what is there, and what can still be spent."""
    if seen.idle:
        with chdir(folder):  # Snakemake has left it by then
            tell("", "shapedp: nothing to do, all this is there:")
            tell(*summary.lines(timed=False), *spending_lines())


def spending_lines():
    """What was, will be and can still be spent, and what to stop at."""
    # Here, because jobs read this file, too, and need neither.
    from shapedp.forecast import budgets, cautions

    return [
        *budgets.lines(config),
        *cautions.of_settings(config, PEOPLE),
        *cautions.of_results(config),
    ]


def refuse_overspending():
    """Stop before the first job if the releases of a run exceed a cap together."""
    from shapedp.forecast import budgets

    try:
        budgets.refuse_together(config)
    except ShapedpError as error:
        sys.exit(f"shapedp: {error}")


def library(script):
    """The library's files that a script depends on; as inputs, so that an edit reruns what uses it."""
    return sources.closure(ROOT / "scripts" / f"{script}.py")


def library_of_the_chain(script):
    """The same for a script that takes faces through the whole chain, by the scripts of its steps."""
    steps = ("make_curves", "measure_quality", *(step.rule for step in FACE_STEPS))
    return sorted(
        {
            path
            for name in (script, *steps)
            for path in [str(ROOT / f"scripts/{name}.py"), *library(name)]
        }
    )


def samples_of_the_batch(wildcards):
    """(id, path, marked nose tip or None) of each face of a job's batch."""
    return [
        (sample.id, sample.path, sample.nose)
        for sample in BATCHES[wildcards.cohort][wildcards.batch]
    ]


def kept(kind):
    """The artifact of a batch, which goes when all that need it are through unless faces.keep lists its kind."""
    path = f"results/private/{{cohort}}/{kind}/{{batch}}.h5"
    return path if kind in config["faces"]["keep"] else temp(path)


def demo_sheet(wildcards):
    """The sheet of a demo cohort, which stands for its scans; other scans are no inputs: see `stamp`."""
    demo = populations.is_demo(config["faces"], wildcards.cohort)
    return f"data/demo/{wildcards.cohort}/samples.tsv" if demo else []


def stamp(wildcards):
    """What changes when a batch has another scan in the place of one: then the batch is made again.

    A parameter, because scans as inputs are slow: each time that Snakemake looks for a job to start it asks for the size
    of every input of every waiting batch. Under `--rerun-triggers mtime`, which ignores parameters, a changed scan goes
    unnoticed.
    """
    if populations.is_demo(config["faces"], wildcards.cohort):
        return ""
    return samples.stamp(BATCHES[wildcards.cohort][wildcards.batch])


def of_cohort(cohort, kind):
    """The artifacts of one kind of all batches of a cohort."""
    return [f"results/private/{cohort}/{kind}/{batch}.h5" for batch in BATCHES[cohort]]


def of_all_batches(kind):
    """The same for the cohort of a job."""
    return lambda wildcards: of_cohort(wildcards.cohort, kind)


def shown_at(mark):
    """The folder of a release: results/private/shown/<branch>/<name>.json -> results/release/<branch>/<name>."""
    mark = Path(mark)
    return str(mark.parents[3] / "release" / mark.parent.name / mark.stem)


def kind_of(one):
    """Of an entry of `releases`: a mean, or a model."""
    return one.get("kind", "mean")


def names_of(branch, *kinds):
    """Pattern of a branch's releases of these kinds."""
    named = [one["name"] for one in config[branch]["releases"] if kind_of(one) in kinds]
    return "|".join(named) or "(?!)"


def released(branch, drawn, kinds=("mean", "mean_face", "mean_shape")):
    """What stands for the releases of a branch: the mark that each is shown, and what is drawn from it.

    The release itself is no output: Snakemake deletes outputs before a job and after one that failed, and what was
    published must stay whole when another release is refused.
    """
    names = [
        release["name"]
        for release in config[branch]["releases"]
        if kind_of(release) in kinds
    ]
    return expand(
        "results/private/shown/{branch}/{release}.json", branch=branch, release=names
    ) + expand(
        "results/release/{branch}/{release}/{file}",
        branch=branch,
        release=names,
        file=drawn,
    )


def entry(branch, name):
    """The entry of a branch's `releases` that has this name."""
    return next(one for one in config[branch]["releases"] if one["name"] == name)


def entry_of(branch):
    """The entry that a job's release was asked for by."""
    return lambda wildcards: entry(branch, wildcards.release)


def bounds_of_release(wildcards):
    """The bounds that the release of a job clips to; for `shaped`, what was learned of how faces vary."""
    release = entry("faces", wildcards.release)
    return VARIATION if release["mechanism"] == "shaped" else bounds_of(release)


def bounds_of(release):
    """The bounds a face release clips to; none where they are numbers in the settings."""
    source = release.get("bounds", config["faces"]["bounds"]["source"])
    reference = release.get("reference", "template")
    return (
        []
        if source == "public"
        else f"results/private/faces/bounds/{source}_{reference}.h5"
    )


def batch_of(face):
    """The batch that a face of the cohort is in."""
    found = [
        batch
        for batch, members in BATCHES["faces"].items()
        if face in {one.id for one in members}
    ]
    if not found:
        raise WorkflowError(f"no face '{face}' in faces.scans")
    return found[0]


def scan_of(face):
    """The scan file of a face of the cohort."""
    return next(one.path for one in COHORTS["faces"] if one.id == face)


def memory(mb):
    """Memory of a job in MB, more at each retry."""
    return lambda wildcards, attempt: mb * attempt


def spent(branch):
    """What the ledger holds: another forecast as soon as it holds more."""

    def words(wildcards):
        from shapedp.forecast import budgets

        return budgets.spent(budgets.of(branch, config["privacy"]))

    return words


def looked_at(branch):
    """What an analyst looks at: the forecast, or the comparison where somebody has decided what to release."""
    section, folder = config[branch], f"results/private/{branch}"
    if not section:
        return []
    quality = [f"{folder}/quality.tsv"] if branch == "faces" else []
    if section["releases"]:
        return [*quality, f"{folder}/comparison.tsv"]
    return [*quality, f"{folder}/forecast.tsv"]


def public_marks(paths):
    """The marks among the paths whose releases may leave the house: reproductions stay."""
    marks = [path for path in paths if path.startswith(SHOWN)]
    return [
        mark
        for mark in marks
        if not entry(Path(mark).parent.name, Path(mark).stem).get("reproduction", False)
    ]
