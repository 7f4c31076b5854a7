"""Compute artifacts again in a passing folder and compare them with what lies in results/."""

SHARED = [
    *("verify_shared", "prepare_template", "stack_curves", "bound_curves"),
    "learn_variation",
]
STACKED = list(COHORTS) if "curves" in FACES["keep"] else []
STACKS_TO_VERIFY = [f"results/private/{cohort}/curves.h5" for cohort in STACKED]
BOUNDS_IN_USE = sorted(
    {
        path
        for one in FACES["releases"]
        if one["mechanism"] != "shaped" and (path := bounds_of(one))
    }
)
VARIATIONS_IN_USE = (
    [VARIATION]
    if any(one["mechanism"] == "shaped" for one in FACES["releases"])
    else []
)


rule verify_batch:
    """Take a batch through the chain again and compare what was kept."""
    input:
        kept=[
            f"results/private/{{cohort}}/{kind}/{{batch}}.h5" for kind in FACES["keep"]
        ],
        used="results/private/{cohort}/quality/{batch}.tsv",
        demo=demo_sheet,
        template="results/private/template.h5",
        learned=LEARNED,
        library=library_of_the_chain("verify_batch"),
    output:
        table=temp("results/private/verify/{cohort}/{batch}.tsv"),
    params:
        samples=samples_of_the_batch,
        settings=CHAIN_SETTINGS,
    resources:
        mem_mb=memory(1200),
    message:
        "Computing batch {wildcards.batch} of {wildcards.cohort} again"
    script:
        "../../scripts/verify_batch.py"


rule verify_shared:
    """Make the template, the bounds and what was learned of public faces again and compare them."""
    input:
        template="results/private/template.h5",
        scan=TEMPLATE_SCAN or [],
        bounds=BOUNDS_IN_USE,
        variation=VARIATIONS_IN_USE,
        stacks=STACKS_TO_VERIFY,
        batches=[path for cohort in STACKED for path in of_cohort(cohort, "curves")],
        library=[
            path
            for script in SHARED
            for path in [str(ROOT / f"scripts/{script}.py"), *library(script)]
        ],
    output:
        table=temp("results/private/verify/shared.tsv"),
    params:
        bounds=list(bounds_to_verify()),
        stacks=list(stacks_to_verify()),
        variation=list(variations_to_verify()),
        faces={
            "template": TEMPLATE_SETTINGS,
            "bounds": FACES["bounds"],
            "variation": FACES["variation"],
        },
        of_the_cohort=populations.template_is_private(FACES, COHORTS),
    script:
        "../../scripts/verify_shared.py"


rule verify:
    """Compare a sample of the artifacts with what their inputs give (all with faces.verify: all)."""
    input:
        parts=[
            *(
                f"results/private/verify/{cohort}/{batch}.tsv"
                for cohort in COHORTS
                for batch in verified(cohort)
            ),
            "results/private/verify/shared.tsv",
        ],
        library=library("verify"),
    params:
        table="results/private/verify.tsv",
    # No benchmark: Snakemake takes it for an output, and a second verification for done.
    script:
        "../../scripts/verify.py"
