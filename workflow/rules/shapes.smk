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
    params:
        code=code("make_demo"),
        step="make_demo_outlines",
        demo=SHAPES["demo"],
    script:
        "../../scripts/make_demo.py"


rule read_shapes:
    input:
        source=LANDMARKS,
        public=RUN.public_files("center", "reference_set", "sheet"),
    output:
        landmarks="results/private/shapes/landmarks.h5",
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
        stamp=RUN.stamp_of_folders(),
    script:
        "../../scripts/read_shapes.py"


rule center_shapes:
    """Remove position and size from each record, average within a person, choose the center that shapes deviate from."""
    input:
        landmarks="results/private/shapes/landmarks.h5",
        public=RUN.public_files("center", "reference_set"),
    output:
        shapes="results/private/shapes/shapes.h5",
        quality="results/private/shapes/quality.tsv",
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
    script:
        "../../scripts/center_shapes.py"


rule difference_shapes:
    """The rows of a change or an asymmetry: what one person's records say of that person alone."""
    input:
        landmarks="results/private/shapes/landmarks.h5",
        public=RUN.public_files("center", "reference_set"),
    output:
        shapes="results/private/shapes/of_releases/{release}.h5",
    wildcard_constraints:
        release=names_of("shapes", *samples.DIFFERENCES),
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
    script:
        "../../scripts/center_shapes.py"


rule mean_shape:
    """Take the Fréchet mean of the shapes, not private, with how far they lie from it and from the center."""
    input:
        shapes="results/private/shapes/shapes.h5",
    output:
        mean="results/private/shapes/mean.h5",
    params:
        code=code("center_shapes"),
        step="mean_shape",
    script:
        "../../scripts/center_shapes.py"


rule release_shapes:
    """Move records into the ball, sum, add noise, and enter the release in the ledger: what spends shapes' privacy."""
    input:
        shapes=lambda wildcards: RUN.rows_of("shapes", wildcards.release),
        landmarks="results/private/shapes/landmarks.h5",
        public=RUN.public_files("center", "reference_set", "reference_sheet"),
        forecast=forecast_before("shapes"),
    output:
        mark="results/private/shown/shapes/{release}.json",
    wildcard_constraints:
        release=names_of("shapes"),
    params:
        code=code("release_shapes"),
        folder=lambda wildcards, output: shown_at(output.mark),
        release=entry_of("shapes"),
        shapes=SHAPES_RELEASED,
        privacy=config["privacy"],
        look=look_at("shapes"),
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
    params:
        code=code("draw_shapes"),
        step="compare_shape_releases",
        shapes=COMPARED_SHAPES,
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
    params:
        code=code("draw_shapes"),
        step="draw_shapes",
        shapes=COMPARED_SHAPES,
        links=SHAPES.get("links", []),
    script:
        "../../scripts/draw_shapes.py"
