"""What one person's scans say of that person alone: changes, asymmetries, means of one time; and what public ones teach."""

DRAWN_OF_DIFFERENCES = [
    "face_change.csv",
    "before.ply",
    "after.ply",
    "exaggerated.ply",
    "preview.png",
]
WITH_ROWS = "|".join(
    one["name"] for one in FACES["releases"] if samples.takes_own_rows(one)
)
RELEASED_FACES += released(
    "faces", [*DRAWN_OF_DIFFERENCES, "index.html"], kinds=samples.DIFFERENCES
)


rule stack_rows:
    input:
        curves=lambda wildcards: of_cohort("faces", "curves"),
        template="results/private/template.h5",
        library=library("stack_rows"),
    output:
        curves="results/private/faces/of_releases/{release}.h5",
    wildcard_constraints:
        release=WITH_ROWS or "(?!)",
    params:
        samples=lambda wildcards: plain_samples("faces"),
        release=entry_of("faces"),
    script:
        "../../scripts/stack_rows.py"


rule learn_differences:
    input:
        curves=lambda wildcards: of_cohort("reference", "curves"),
        template="results/private/template.h5",
        library=library("learn_differences"),
    output:
        variation="results/private/reference/of_releases/{release}.h5",
    wildcard_constraints:
        release=names_of("faces", *samples.DIFFERENCES),
    params:
        samples=lambda wildcards: plain_samples("reference"),
        release=entry_of("faces"),
        variation=FACES["variation"],
        source=populations.in_words(FACES),
    resources:
        mem_mb=memory(1000),
    script:
        "../../scripts/learn_differences.py"


rule draw_face_change:
    input:
        mark="results/private/shown/faces/{release}.json",
        library=library("draw_face_change"),
    wildcard_constraints:
        release=names_of("faces", *samples.DIFFERENCES),
    params:
        release=lambda wildcards, input: f"{shown_at(input.mark)}/face_change.h5",
    output:
        table="results/release/faces/{release}/face_change.csv",
        surfaces=expand(
            "results/release/faces/{{release}}/{stage}.ply",
            stage=("before", "after", "exaggerated"),
        ),
        picture=report(
            "results/release/faces/{release}/preview.png",
            caption="../report/release_face.rst",
            category="Releases (public)",
            labels={"release": "{release}", "what": "picture"},
        ),
    script:
        "../../scripts/draw_face_change.py"
