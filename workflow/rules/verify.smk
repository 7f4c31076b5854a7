"""Compute artifacts again in a passing folder and compare them with what lies in results/."""

STACKED = list(COHORTS) if "curves" in FACES["keep"] else []
STACKS_TO_VERIFY = [f"results/private/{cohort}/curves.h5" for cohort in STACKED]
BOUNDS_IN_USE = sorted(
    {
        path
        for one in FACES["releases"]
        if not registry.read_traits("faces", one["mechanism"]).learns
        and (path := bounds_of(one))
    }
)
VARIATIONS_IN_USE = (
    [VARIATION]
    if any(
        registry.read_traits("faces", one["mechanism"]).learns
        for one in FACES["releases"]
    )
    else []
)
# Where curves are kept: rows that releases take for themselves, and what public people teach of these.
OWN_ROWS = [
    RUN.locate_rows("faces", one["name"])
    for one in FACES["releases"]
    if STACKED and samples.takes_own_rows(one)
]
LEARNED_OF_ROWS = [
    RUN.locate_variation(entry("faces", name))
    for name in RUN.list_names("faces", *samples.DIFFERENCES)
    if STACKED
]


rule verify_batch:
    """Take a batch through the chain again, from its scans, and compare what was kept with what comes out."""
    input:
        kept=lambda wildcards: [
            f"results/private/{wildcards.cohort}/{kind}/{wildcards.batch}.h5"
            for kind in sorted(kinds_kept(wildcards.cohort))
        ],
        used="results/private/{cohort}/quality/{batch}.tsv",
        demo=demo_sheet,
        template="results/private/template.h5",
    output:
        table=temp("results/private/verify/{cohort}/{batch}.tsv"),
    log:
        "results/private/logs/verify_batch/{cohort}/{batch}.log",
    benchmark:
        "results/private/benchmarks/verify_batch/{cohort}/{batch}.tsv"
    conda:
        "../../envs/shapedp.yaml"
    resources:
        mem_mb=memory(JOB_MB),
        runtime=minutes,
    params:
        code=code("verify"),
        step="verify_batch",
        samples=samples_of_the_batch,
        settings=sections(steps.SETTINGS),
    message:
        "verify_batch/{wildcards.cohort}/{wildcards.batch}: Verify a batch"
    script:
        "../../scripts/verify.py"


rule verify_shared:
    """Make what the faces of a cohort share again, and rows that releases take for themselves; compare them with those in use."""
    input:
        template="results/private/template.h5",
        scan=TEMPLATE_SCAN or [],
        bounds=BOUNDS_IN_USE,
        variation=VARIATIONS_IN_USE,
        stacks=STACKS_TO_VERIFY,
        rows=OWN_ROWS,
        learned=LEARNED_OF_ROWS,
        batches=[path for cohort in STACKED for path in of_cohort(cohort, "curves")],
    output:
        table=temp("results/private/verify/shared.tsv"),
    log:
        "results/private/logs/verify_shared.log",
    benchmark:
        "results/private/benchmarks/verify_shared.tsv"
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("verify"),
        step="verify_shared",
        made={
            "stacks": list(stacks_to_verify()),
            "bounds": list(bounds_to_verify()),
            "variation": list(variations_to_verify()),
            "rows": list(rows_to_verify()),
            "learned": list(learned_to_verify()),
        },
        faces={
            "template": sections(to_template.list_settings(FACES)),
            "bounds": BOUNDS_TAKEN,
            "variation": FACES["variation"],
        },
        of_the_cohort=populations.template_is_private(FACES, COHORTS),
        specimens=RUN.list_specimens(),
    message:
        "verify_shared: Verify what the batches share"
    script:
        "../../scripts/verify.py"


rule verify:
    """Collect what verification found in one table, and fail in words if anything is not what it should be."""
    input:
        parts=[
            *(
                f"results/private/verify/{cohort}/{batch}.tsv"
                for cohort in COHORTS
                for batch in verified(cohort)
            ),
            "results/private/verify/shared.tsv",
        ],
    log:
        "results/private/logs/verify.log",
    # No benchmark: Snakemake takes it for an output, and a second verification for done.
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("verify"),
        step="verify",
        table="results/private/verify.tsv",
    message:
        "verify: Collect what verification found"
    script:
        "../../scripts/verify.py"
