"""What one person's scans say of that person alone: changes, asymmetries, means of one time; and what public ones teach."""

WITH_ROWS = "|".join(
    one["name"] for one in FACES["releases"] if samples.takes_own_rows(one)
)
DIFFERENCES = {
    one["name"]: one
    for one in RUN.entries_with_forecast
    if one.get("kind") in samples.DIFFERENCES
}


rule stack_rows:
    """Stack the rows of one release of faces: changes from scan to scan, asymmetries, or the scans of one time."""
    input:
        curves=lambda wildcards: of_cohort("faces", "curves"),
        template="results/private/template.h5",
        rehearsed=REHEARSED,
    output:
        curves="results/private/faces/of_releases/{release}.h5",
    log:
        "results/private/logs/stack_rows/{release}.log",
    benchmark:
        "results/private/benchmarks/stack_rows/{release}.tsv"
    wildcard_constraints:
        release=WITH_ROWS or "(?!)",
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("take_rows"),
        step="stack_rows",
        samples=lambda wildcards: plain_samples("faces"),
        release=entry_of("faces"),
    message:
        "stack_rows/{wildcards.release}: Stack the rows of the release"
    script:
        "../../scripts/take_rows.py"


rule learn_differences:
    """Learn from the public reference set how people change, or how asymmetric they are."""
    input:
        curves=lambda wildcards: of_cohort("reference", "curves"),
        template="results/private/template.h5",
    output:
        variation="results/private/reference/of_releases/{release}.h5",
    log:
        "results/private/logs/learn_differences/{release}.log",
    benchmark:
        "results/private/benchmarks/learn_differences/{release}.tsv"
    wildcard_constraints:
        release="|".join(DIFFERENCES) or "(?!)",
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    resources:
        mem_mb=memory(1000),
    params:
        code=code("take_rows"),
        step="learn_differences",
        samples=lambda wildcards: plain_samples("reference"),
        release=lambda wildcards: DIFFERENCES[wildcards.release],
        variation=FACES["variation"],
        source=populations.describe_reference_set(FACES),
    message:
        "learn_differences/{wildcards.release}: Learn how public people differ"
    script:
        "../../scripts/take_rows.py"
