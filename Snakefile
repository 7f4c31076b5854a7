"""Private mean faces and mean shapes. Start with: snakemake --cores 8 (settings: config.yaml)."""

import atexit
import json
import sys
import time
from pathlib import Path

from snakemake.logging import logger
from snakemake.utils import min_version

min_version("9.0")
STARTED = time.time()
NO_SETTINGS = (
    f"shapedp: {Path.cwd()} holds no config.yaml. Go to the folder of the checkout (the demo), or write settings of "
    "your own, `shapedp new my.yaml --scans SCANS --population NAME`, and give them: --configfile my.yaml"
)


# A file given with --configfile stands for the whole settings: nothing of config.yaml, the demo's, is merged with it.
if not workflow.config_settings.configfiles:
    # A workflow that uses this one as a module brings its settings along.
    if not (Path("config.yaml").exists() or workflow.modifier.skip_configfile):
        sys.exit(NO_SETTINGS)

    configfile: "config.yaml"


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/figures.smk"


if config["faces"]:

    include: "workflow/rules/demo.smk"
    include: "workflow/rules/faces.smk"
    include: "workflow/rules/face_changes.smk"
    include: "workflow/rules/face_figures.smk"
    include: "workflow/rules/verified.smk"

    if config["faces"]["study"]:

        include: "workflow/rules/studies.smk"
    include: "workflow/rules/verify.smk"


if config["shapes"]:

    include: "workflow/rules/shapes.smk"


include: "workflow/rules/releases.smk"
include: "workflow/rules/review.smk"
include: "workflow/rules/forecast.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/audit.smk"
include: "workflow/rules/dependencies.smk"
include: "workflow/rules/simulation.smk"


rule all:
    """What an analyst looks at first; the releases, too, unless the settings say to look first."""
    default_target: True
    input:
        RELEASED_FACES if not RUN.looks_first else [],
        RELEASED_SHAPES if not RUN.looks_first else [],
        LOOKED_AT,
        str(LOOK_FILE) if RUN.looks_first else [],


rule release:
    """The releases: what spends, once somebody has looked."""
    input:
        RELEASED_FACES,
        RELEASED_SHAPES,
        [] if RUN.looks_first else LOOKED_AT,


rule forecast:
    """What each possible release would cost, and how far it would lie from the truth; nothing is spent."""
    input:
        FORECASTS,


rule figures:
    """The paper's pictures for this cohort; private."""
    input:
        FACE_FIGURES,
        SHAPE_FIGURES,


rule audit:
    """What an attacker finds out, beside what each mechanism claims."""
    input:
        "results/audit/audit.tsv",
        "results/audit/audit.png",
        "results/audit/release_command.tsv",
        "results/audit/hostile_files.tsv",


rule simulation:
    """The papers' experiments, simulated: pictures, and claims beside what was measured."""
    input:
        SIMULATION_FIGURES,
        SIMULATED_CURVE_FIGURES,
        table="results/simulation/claims.tsv",
        page="results/simulation/claims.md",


rule plan:
    """What noise a release will carry, before any private scan is read; of landmarks alone, their forecast."""
    input:
        ["results/plan/noise.tsv", "results/plan/noise.png"]
        if config["faces"]
        else FORECASTS,


rule reported:
    """Everything that the internal report shows: make report."""
    input:
        rules.all.input,
        rules.figures.input,
        rules.plan.input,
        REPORTED,


if workflow.is_main_process and workflow.output_settings.dryrun:
    atexit.register(print_what_it_would_spend, Path.cwd())

VIEW = library_workflow.make_view(
    workflow, RUN, ROOT, {[*steps.RULES.values()][-1], "make_curves"}
).take_over(logger)
if workflow.is_main_process and not workflow.output_settings.dryrun:
    atexit.register(
        lambda seen, folder: RUN.tell_when_idle(seen, folder, targets()),
        VIEW,
        Path.cwd(),
    )


onstart:
    spends = spending_jobs()
    RUN.spends = bool(spends)
    words = (
        "what this run spends"
        if spends
        else "this run spends nothing; of what the settings say"
    )
    RUN.tell(f"shapedp: {words}", *spending_lines(RUN.spends))
    if spends:
        RUN.refuse_unlooked(spends)
        refuse_overspending()
    # So that `shapedp inspect` finds the scans of this run, whatever settings file it was started with.
    files.write_text(PRIVATE / "settings.json", json.dumps(config, sort_keys=True))
    RUN.note_people(finished=False)
    VIEW.start(logger, library_workflow.make_schedule(workflow, RUN))
    # Under its limit on jobs a second (100, never reached here) Snakemake looks at all inputs of all waiting jobs once a
    # second, and once more a second for each job that has ended: at 10,000 faces that took two thirds of a core.
    workflow.scheduler.job_rate_limiter = None


onsuccess:
    VIEW.stop()
    RUN.note_people(finished=True)
    RUN.tell(
        "",
        "shapedp: done.",
        *status.describe_results(since=STARTED, populations=RUN.populations),
        *spending_lines(),
        *([] if RUN.spends else RUN.describe_look(targets())),
    )


onerror:
    VIEW.stop()
    RUN.tell(
        "",
        f"shapedp: not finished{VIEW.count_failed()}.",
        *status.describe_results(
            since=STARTED, populations=RUN.populations, cohorts=RUN.known_people()
        ),
        *RUN.list_cautions(),
        *logs.describe_failures(PRIVATE / "logs", STARTED, VIEW.failed.values()),
        f"all that Snakemake said: {', '.join(log)}; on the screen with the option -p",
    )
