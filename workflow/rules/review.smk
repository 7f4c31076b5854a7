"""Pages to look through a cohort before anything is spent; made by every run. Private."""

if config["faces"]:

    rule review_faces:
        """Write the page to look through a cohort of faces: each scan as it came, and what was made of it. Private."""
        input:
            looks=[
                f"results/private/faces/look/{batch}.h5" for batch in BATCHES["faces"]
            ],
            quality="results/private/faces/quality.tsv",
            template="results/private/template.h5",
        output:
            page="results/private/faces/review.html",
            alike="results/private/faces/alike.tsv",
        log:
            "results/private/logs/review_faces.log",
        benchmark:
            "results/private/benchmarks/review_faces.tsv"
        localrule: True
        conda:
            "../../envs/shapedp.yaml"
        params:
            code=code("review_cohort"),
            step="review_faces",
            batches=list(BATCHES["faces"]),
            people=[(one.id, one.person, one.group) for one in COHORTS["faces"]],
            gates=FACES["gates"],
            subject=FACES["subject"],
            unit=FACES["unit"],
            scans=RUN.list_scans_of_people(),
            privacy=RUN.select_ledger_settings(),
        message:
            "review_faces: Write the review of the scans"
        script:
            "../../scripts/review_cohort.py"


if config["shapes"]:

    rule review_shapes:
        """Write the page to look through a cohort of landmarks: each specimen over the public mean, farthest first. Private."""
        input:
            shapes="results/private/shapes/shapes.h5",
        output:
            page="results/private/shapes/review.html",
            alike="results/private/shapes/alike.tsv",
        log:
            "results/private/logs/review_shapes.log",
        benchmark:
            "results/private/benchmarks/review_shapes.tsv"
        localrule: True
        conda:
            "../../envs/shapedp.yaml"
        params:
            code=code("review_cohort"),
            step="review_shapes",
            reference_set=SHAPES.get("reference_set"),
            links=SHAPES.get("links", []),
            leave_out=SHAPES["leave_out"],
            radius=SHAPES["radius"],
            privacy=RUN.select_ledger_settings(),
        message:
            "review_shapes: Write the review of the landmarks"
        script:
            "../../scripts/review_cohort.py"
