"""Private mean faces and mean shapes. Start with: snakemake --cores 8 (settings: config.yaml)."""

from snakemake.utils import min_version

min_version("9.0")


configfile: "config.yaml"


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/demo.smk"
include: "workflow/rules/faces.smk"
include: "workflow/rules/face_figures.smk"
include: "workflow/rules/shapes.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/audit.smk"
include: "workflow/rules/verified.smk"
include: "workflow/rules/verify.smk"
include: "workflow/rules/dependencies.smk"
include: "workflow/rules/simulation.smk"
include: "workflow/rules/simulation_curves.smk"


rule all:
    """The releases, and what an analyst looks at first."""
    default_target: True
    input:
        RELEASED_FACES,
        RELEASED_SHAPES,
        quality="results/private/faces/quality.tsv",
        comparison="results/private/faces/comparison.tsv",
        shape_comparison="results/private/shapes/comparison.tsv",


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


rule simulation:
    """The papers' experiments, simulated: pictures, and claims beside what was measured."""
    input:
        SIMULATION_FIGURES,
        SIMULATED_CURVE_FIGURES,
        table="results/simulation/claims.tsv",
        page="results/simulation/claims.md",


rule plan:
    """What noise a release will carry, before any private data is touched."""
    input:
        "results/plan/noise.tsv",
        "results/plan/noise.png",


rule reported:
    """Everything that the internal report shows: make report."""
    input:
        rules.all.input,
        rules.figures.input,
        rules.plan.input,
        REPORTED,


defaults.complete(workflow.rules, ROOT, ROOT / "envs/shapedp.yaml")


onstart:
    status.watch(BATCHES, every=60)
    # Under its limit on jobs a second (100, never reached here) Snakemake looks at all inputs of all waiting jobs once a
    # second, and once more a second for each job that has ended: at 10,000 faces that took two thirds of a core.
    workflow.scheduler.job_rate_limiter = None


onsuccess:
    print("\n".join(["", "shapedp: done.", *summary.lines()]))


onerror:
    print(
        "\n".join(
            [
                "",
                "shapedp: not finished; start the same command again to go on.",
                *summary.lines(),
            ]
        )
    )
