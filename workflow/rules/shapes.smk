"""Landmarks -> shapes -> their mean -> private mean shape."""

SHAPES = RUN.shapes  # its landmarks are numbered as they stand once some are left out
SHAPES_TAKEN = ("radius", "contour_modes", "center", "leave_out")
DEMO_OUTLINES = "data/demo/shapes/outlines.npz"
LANDMARKS = SHAPE_FILES.get("landmarks", DEMO_OUTLINES)
RELEASED_SHAPES = released("shapes")

SHAPE_FIGURES = expand(
    "results/private/shapes/figures/{figure}.{ending}",
    figure=["outlines", "releases", "distances"],
    ending=["png", "svg"],
)
# The comparison needs a radius for the private forms where the releases themselves take theirs from the data.
COMPARED_SHAPES = {
    "radius": 0.2 if SHAPES["radius"] == "data" else SHAPES["radius"],
    "contour_modes": SHAPES["contour_modes"],
    "reference_set": SHAPES.get("reference_set"),
    "leave_out": SHAPES["leave_out"],
}

# What releases take of the section.
SHAPES_RELEASED = {
    **{key: SHAPES[key] for key in SHAPES_TAKEN},
    **{
        key: SHAPES.get(key)
        for key in (
            *("reference_set", "reference_sheet", "size"),
            *("pairs", "semilandmarks", "links"),
        )
    },
    "sliding": SHAPES.get("sliding", "procrustes"),
    "persons": SHAPES.get("persons", "refuse"),
}


rule make_demo_outlines:
    """Draw the demo population of outlines and the public outline at its center."""
    output:
        landmarks=DEMO_OUTLINES,
    log:
        "results/private/logs/make_demo_outlines.log",
    benchmark:
        "results/private/benchmarks/make_demo_outlines.tsv"
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("make_demo"),
        step="make_demo_outlines",
        demo=SHAPES["demo"],
    message:
        "make_demo_outlines: Draw the demo outlines"
    script:
        "../../scripts/make_demo.py"


rule read_shapes:
    """Read landmark files, and the sheet beside them, into one artifact."""
    input:
        source=LANDMARKS,
        public=RUN.list_public_files("center", "reference_set", "sheet"),
    output:
        landmarks="results/private/shapes/landmarks.h5",
    log:
        "results/private/logs/read_shapes.log",
    benchmark:
        "results/private/benchmarks/read_shapes.tsv"
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("read_shapes"),
        public={
            key: SHAPES.get(key)
            for key in (
                *("center", "reference_set", "sheet", "landmark_count"),
                "leave_out",
            )
        }
        | {"people": config["privacy"]["people"].get("shapes")},
        stamp=RUN.stamp_folders(),
    message:
        "read_shapes: Read the landmark files"
    script:
        "../../scripts/read_shapes.py"


rule center_shapes:
    """Remove position and size from each record, average within a person, choose the center that shapes deviate from."""
    input:
        landmarks="results/private/shapes/landmarks.h5",
        public=RUN.list_public_files("center", "reference_set"),
    output:
        shapes="results/private/shapes/shapes.h5",
        quality="results/private/shapes/quality.tsv",
    log:
        "results/private/logs/center_shapes.log",
    benchmark:
        "results/private/benchmarks/center_shapes.tsv"
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("center_shapes"),
        step="center_shapes",
        center={
            "center": SHAPES["center"],
            "reference_set": SHAPES.get("reference_set"),
            "persons": SHAPES.get("persons", "refuse"),
            "pairs": SHAPES.get("pairs", []),
            "semilandmarks": SHAPES.get("semilandmarks", []),
            "sliding": SHAPES.get("sliding", "procrustes"),
            "leave_out": SHAPES["leave_out"],
        },
    message:
        "center_shapes: Center the shapes"
    script:
        "../../scripts/center_shapes.py"


rule difference_shapes:
    """The rows of differences within each person: what one person's records say of that person alone."""
    input:
        landmarks="results/private/shapes/landmarks.h5",
        public=RUN.list_public_files("center", "reference_set"),
    output:
        shapes="results/private/shapes/of_releases/{release}.h5",
    log:
        "results/private/logs/difference_shapes/{release}.log",
    benchmark:
        "results/private/benchmarks/difference_shapes/{release}.tsv"
    wildcard_constraints:
        release=names_of("shapes", *samples.DIFFERENCES),
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("center_shapes"),
        step="difference_shapes",
        release=entry_of("shapes"),
        shapes={
            key: SHAPES[key]
            for key in (
                *("center", "reference_set", "pairs", "semilandmarks", "sliding"),
                "leave_out",
            )
            if key in SHAPES
        },
    message:
        "difference_shapes/{wildcards.release}: Take the differences for the release"
    script:
        "../../scripts/center_shapes.py"


rule mean_shape:
    """Take the Fréchet mean of the shapes, not private, with how far they lie from it and from the center."""
    input:
        shapes="results/private/shapes/shapes.h5",
    output:
        mean="results/private/shapes/mean.h5",
    log:
        "results/private/logs/mean_shape.log",
    benchmark:
        "results/private/benchmarks/mean_shape.tsv"
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("center_shapes"),
        step="mean_shape",
    message:
        "mean_shape: Take the mean shape, not private"
    script:
        "../../scripts/center_shapes.py"


rule release_shapes:
    """Move records into the ball, sum, add noise, and enter the release in the ledger: what spends shapes' privacy."""
    input:
        shapes=lambda wildcards: RUN.locate_rows("shapes", wildcards.release),
        landmarks="results/private/shapes/landmarks.h5",
        public=RUN.list_public_files("center", "reference_set", "reference_sheet"),
        forecast=forecast_before("shapes"),
    output:
        mark="results/private/shown/shapes/{release}.json",
    log:
        "results/private/logs/release_shapes/{release}.log",
    benchmark:
        "results/private/benchmarks/release_shapes/{release}.tsv"
    wildcard_constraints:
        release=names_of("shapes"),
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("release_shapes"),
        folder=lambda wildcards, output: release_folder(output.mark),
        release=entry_of("shapes"),
        shapes=SHAPES_RELEASED,
        privacy=config["privacy"],
        look=look_at("shapes"),
    message:
        "release_shapes/{wildcards.release}: Draw the release"
    script:
        "../../scripts/release_shapes.py"


rule compare_shape_releases:
    """Compare the mechanisms for a mean shape on these records: distance to the true mean, and self-crossings. Private."""
    input:
        shapes="results/private/shapes/shapes.h5",
        mean="results/private/shapes/mean.h5",
    output:
        table="results/private/shapes/comparison.tsv",
        picture=shape_figure("distances")[0],
        drawing=shape_figure("distances")[1],
    log:
        "results/private/logs/compare_shape_releases.log",
    benchmark:
        "results/private/benchmarks/compare_shape_releases.tsv"
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("draw_shapes"),
        step="compare_shape_releases",
        shapes=COMPARED_SHAPES,
    message:
        "compare_shape_releases: Compare the mechanisms on these records"
    script:
        "../../scripts/draw_shapes.py"


rule draw_shapes:
    """Draw the KNG paper's pictures for these records: sample outlines, their mean, releases by mechanism. Private."""
    input:
        shapes="results/private/shapes/shapes.h5",
        mean="results/private/shapes/mean.h5",
    output:
        outlines=shape_figure("outlines"),
        releases=shape_figure("releases"),
    log:
        "results/private/logs/draw_shapes.log",
    benchmark:
        "results/private/benchmarks/draw_shapes.tsv"
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("draw_shapes"),
        step="draw_shapes",
        shapes=COMPARED_SHAPES,
        links=SHAPES.get("links", []),
    message:
        "draw_shapes: Draw the shapes"
    script:
        "../../scripts/draw_shapes.py"
