"""Point cloud -> mesh -> disk map -> surface -> registered surface -> radial curves -> private mean face."""

FACES = config["faces"]
RELEASED_FACES = released(
    "faces",
    ["mean_face.ply", "mean_face.glb", "preview.png", "noise.png", "index.html"],
)
RELEASED_FACES += released(
    "faces", ["face_model.glb", "preview.png", "index.html"], kinds=("face_model",)
)
# The bounds of the comparison: the paper's, and public ones where there is a public population.
PREFERRED = "reference_set" if "reference" in COHORTS else "data"
COMPARED = sorted({"data_none", "data_template", f"{PREFERRED}_template"})
BOUNDING = {
    "reference_set": "reference",
    "data": "faces",
}  # the population bounds come from

# What public faces in correspondence teach the registration, where some are named.
LEARNED = "results/private/correspondence.h5" if FACES["correspondence"] else []


rule mesh_faces:
    """Read each scan and triangulate it as a disk."""
    input:
        demo=demo_sheet,
        library=library("mesh_faces"),
    output:
        meshes=kept("mesh"),
    params:
        samples=lambda wildcards: [
            (sample.id, sample.path)
            for sample in BATCHES[wildcards.cohort][wildcards.batch]
        ],
        stamp=stamp,
        mesh=FACES["mesh"],
    resources:
        mem_mb=memory(1200),
    message:
        "Meshing batch {wildcards.batch} of {wildcards.cohort}"
    script:
        "../../scripts/mesh_faces.py"


rule map_disks:
    """Map each mesh conformally to the unit disk."""
    input:
        meshes="results/private/{cohort}/mesh/{batch}.h5",
        library=library("map_disks"),
    output:
        disk_maps=kept("disk_map"),
    priority: 1
    resources:
        mem_mb=memory(1000),
    message:
        "Mapping batch {wildcards.batch} of {wildcards.cohort} to the disk"
    script:
        "../../scripts/map_disks.py"


rule recenter_disks:
    """Move the nose tip, or what was chosen instead, to the center of each disk."""
    input:
        disk_maps="results/private/{cohort}/disk_map/{batch}.h5",
        meshes="results/private/{cohort}/mesh/{batch}.h5",
        library=library("recenter_disks"),
    output:
        disks=kept("disk"),
    params:
        center=FACES["center"],
        marked=lambda wildcards: {
            sample.id: sample.nose
            for sample in BATCHES[wildcards.cohort][wildcards.batch]
            if sample.nose is not None
        },
    priority: 2
    message:
        "Centering batch {wildcards.batch} of {wildcards.cohort}"
    script:
        "../../scripts/recenter_disks.py"


rule sample_surfaces:
    """Sample each surface on the polar grid, with unit area and its centroid at 0."""
    input:
        disks="results/private/{cohort}/disk/{batch}.h5",
        meshes="results/private/{cohort}/mesh/{batch}.h5",
        library=library("sample_surfaces"),
    output:
        surfaces=kept("surface"),
    params:
        surface=FACES["surface"],
    priority: 3
    resources:
        mem_mb=memory(1000),
    message:
        "Sampling batch {wildcards.batch} of {wildcards.cohort}"
    script:
        "../../scripts/sample_surfaces.py"


TEMPLATE_SETTINGS = {
    key: FACES[key]
    for key in (
        "template",
        "template_as",
        "center",
        "mesh",
        "surface",
        "extent",
        "curves",
    )
}


rule prepare_template:
    """Take the template through the same chain and choose the radii of the curves on it."""
    input:
        scan=TEMPLATE_SCAN or [],
        library=library("prepare_template"),
    output:
        template="results/private/template.h5",
    params:
        faces=TEMPLATE_SETTINGS,
        of_the_cohort=populations.template_is_private(FACES, COHORTS),
    priority: 7  # no batch gets farther than its surfaces without it
    script:
        "../../scripts/prepare_template.py"


rule learn_correspondence:
    """Learn from public faces whose vertices correspond where a registration to the template errs."""
    input:
        meshes=populations.corresponding(FACES),
        template="results/private/template.h5",
        library=library("learn_correspondence"),
    output:
        correspondence="results/private/correspondence.h5",
    params:
        source=FACES["correspondence"],
        faces={key: FACES[key] for key in ("center", "mesh", "registration")},
    priority: 7
    message:
        "Learning correspondence from public faces"
    script:
        "../../scripts/learn_correspondence.py"


rule register_surfaces:
    """Align each surface to the template by a rotation and a diffeomorphism of the disk."""
    input:
        surfaces="results/private/{cohort}/surface/{batch}.h5",
        disks="results/private/{cohort}/disk/{batch}.h5",
        meshes="results/private/{cohort}/mesh/{batch}.h5",
        template="results/private/template.h5",
        learned=LEARNED,
        library=library("register_surfaces"),
    output:
        registered=kept("registered"),
    params:
        registration=FACES["registration"],
        gates=FACES["gates"],
    priority: 4
    resources:
        mem_mb=memory(1200),
    message:
        "Registering batch {wildcards.batch} of {wildcards.cohort}"
    script:
        "../../scripts/register_surfaces.py"


rule extract_curves:
    """Take the radial curves of each registered surface."""
    input:
        registered="results/private/{cohort}/registered/{batch}.h5",
        template="results/private/template.h5",
        library=library("extract_curves"),
    output:
        curves=kept("curves"),
    priority: 5
    message:
        "Extracting the radial curves of batch {wildcards.batch} of {wildcards.cohort}"
    script:
        "../../scripts/extract_curves.py"


CHAIN_SETTINGS = {
    key: FACES[key] for key in ("center", "mesh", "surface", "registration", "gates")
}
if FACES["keep"] == ["curves"]:

    ruleorder: make_curves > extract_curves
    ruleorder: make_curves > measure_quality

    rule make_curves:
        """Take a batch through the chain in one process, where nothing between scans and curves is kept."""
        input:
            demo=demo_sheet,
            template="results/private/template.h5",
            learned=LEARNED,
            library=library_of_the_chain("make_curves"),
        output:
            curves="results/private/{cohort}/curves/{batch}.h5",
            table="results/private/{cohort}/quality/{batch}.tsv",
        params:
            samples=samples_of_the_batch,
            stamp=stamp,
            settings=CHAIN_SETTINGS,
        resources:
            mem_mb=memory(1200),
        message:
            "Taking batch {wildcards.batch} of {wildcards.cohort} from scans to curves"
        script:
            "../../scripts/make_curves.py"


rule stack_curves:
    """Stack the curves of a cohort, one row a person."""
    input:
        curves=of_all_batches("curves"),
        template="results/private/template.h5",
        library=library("stack_curves"),
    output:
        curves="results/private/{cohort}/curves.h5",
    params:
        samples=lambda wildcards: [
            (sample.id, sample.person, sample.group)
            for sample in COHORTS[wildcards.cohort]
        ],
    message:
        "Stacking the curves of {wildcards.cohort}"
    script:
        "../../scripts/stack_curves.py"


rule bound_curves:
    """Take the bounds for clipping from a declared population, as a quantile of its norms with a margin."""
    input:
        curves=lambda wildcards: f"results/private/{BOUNDING[wildcards.source]}/curves.h5",
        template="results/private/template.h5",
        library=library("bound_curves"),
    output:
        bounds="results/private/faces/bounds/{source}_{reference}.h5",
    params:
        bounds=FACES["bounds"],
    message:
        "Bounding curves by {wildcards.source}, reference {wildcards.reference}"
    script:
        "../../scripts/bound_curves.py"


rule learn_variation:
    """Learn from the public reference set how faces vary: modes, harmonics, held-out norms."""
    input:
        curves="results/private/reference/curves.h5",
        template="results/private/template.h5",
        library=library("learn_variation"),
    output:
        variation=VARIATION,
    params:
        variation=FACES["variation"],
        source=FACES["bounds"]["reference_set"],
    resources:
        mem_mb=memory(1000),
    message:
        "Learning from public faces how faces vary"
    script:
        "../../scripts/learn_variation.py"


rule release_mean_face:
    """Clip, average, add noise and enter the release in the ledger; the only face rule that spends privacy."""
    input:
        curves="results/private/faces/curves.h5",
        template="results/private/template.h5",
        bounds=bounds_of_release,
        library=library("release_mean_face"),
    output:
        mark="results/private/shown/faces/{release}.json",
    wildcard_constraints:
        release=names_of("faces", "mean", "mean_face"),
    params:
        folder=lambda wildcards, output: shown_at(output.mark),
        release=entry_of("faces"),
        faces={
            key: FACES[key]
            for key in ("kernel", "bounds", "variation", "curves", "persons")
        },
        privacy=config["privacy"],
        people=len({sample.person for sample in COHORTS["faces"]}),
        named=samples.names_persons(FACES["scans"]),
    message:
        "Releasing the mean face '{wildcards.release}'"
    script:
        "../../scripts/release_mean_face.py"


rule draw_mean_face:
    """Make the surface, the picture and the noise map of a released mean face."""
    input:
        mark="results/private/shown/faces/{release}.json",
        library=library("draw_mean_face"),
    wildcard_constraints:
        release=names_of("faces", "mean", "mean_face"),
    params:
        release=lambda wildcards, input: f"{shown_at(input.mark)}/mean_face.h5",
    output:
        ply="results/release/faces/{release}/mean_face.ply",
        glb="results/release/faces/{release}/mean_face.glb",
        picture=report(
            "results/release/faces/{release}/preview.png",
            caption="../report/release_face.rst",
            category="Releases (public)",
            labels={"release": "{release}", "what": "picture"},
        ),
        noise=report(
            "results/release/faces/{release}/noise.png",
            caption="../report/release_noise.rst",
            category="Releases (public)",
            labels={"release": "{release}", "what": "size of the noise"},
        ),
    message:
        "Drawing the released mean face '{wildcards.release}'"
    script:
        "../../scripts/draw_mean_face.py"


rule write_release_page:
    """Write the page of a release: viewer, statement, charts, settings, in one file."""
    input:
        mark="results/private/shown/faces/{release}.json",
        picture="results/release/faces/{release}/preview.png",
        library=library("write_release_page"),
    output:
        page="results/release/faces/{release}/index.html",
    message:
        "Writing the page of '{wildcards.release}'"
    script:
        "../../scripts/write_release_page.py"


rule measure_quality:
    """Tabulate the faces of a batch, so that what is not kept can go before the last batch is through."""
    input:
        **{
            step.folder: f"results/private/{{cohort}}/{step.folder}/{{batch}}.h5"
            for step in FACE_STEPS[:-1]
        },
        library=library("measure_quality"),
    output:
        table="results/private/{cohort}/quality/{batch}.tsv",
    priority: 6
    message:
        "Listing the quality of batch {wildcards.batch} of {wildcards.cohort}"
    script:
        "../../scripts/measure_quality.py"


rule tabulate_quality:
    """List each face with its status, the reason if it was rejected, and its figures."""
    input:
        tables=lambda wildcards: [
            f"results/private/{wildcards.cohort}/quality/{batch}.tsv"
            for batch in BATCHES[wildcards.cohort]
        ],
        library=library("tabulate_quality"),
    output:
        table="results/private/{cohort}/quality.tsv",
    message:
        "Listing the quality of {wildcards.cohort}"
    script:
        "../../scripts/tabulate_quality.py"


rule compare_releases:
    """Measure in mm how far releases of this cohort by each mechanism lie from its mean; private."""
    input:
        curves="results/private/faces/curves.h5",
        template="results/private/template.h5",
        bounds=expand("results/private/faces/bounds/{case}.h5", case=COMPARED),
        variation=VARIATION if "reference" in COHORTS else [],
        library=library("compare_releases"),
    output:
        table="results/private/faces/comparison.tsv",
    params:
        kernel=FACES["kernel"],
    script:
        "../../scripts/compare_releases.py"


rule plan_release:
    """Predict what releases are worth from public inputs alone."""
    input:
        bounds=(
            "results/private/faces/bounds/reference_set_template.h5"
            if "reference" in COHORTS
            else []
        ),
        variation=VARIATION if "reference" in COHORTS else [],
        template="results/private/template.h5",
        library=library("plan_release"),
    output:
        table="results/plan/noise.tsv",
        answers="results/plan/answers.tsv",
        settings="results/plan/settings.tsv",
        picture=report(
            "results/plan/noise.png",
            caption="../report/plan.rst",
            category="Plan",
            labels={"figure": "noise of mean faces"},
        ),
        drawing="results/plan/noise.svg",
    params:
        kernel=FACES["kernel"],
        tau=FACES["bounds"]["tau"],
    script:
        "../../scripts/plan_release.py"


rule inspect_face:
    """Draw one face at every step of the chain, for a person to judge."""
    input:
        steps=lambda wildcards: [
            f"results/private/faces/{step.folder}/{batch_of(wildcards.id)}.h5"
            for step in INSPECTED
        ],
        library=library("inspect_face"),
    output:
        picture="results/private/faces/inspect/{id}.png",
    params:
        scan=lambda wildcards: scan_of(wildcards.id),
    message:
        "Drawing face {wildcards.id}"
    script:
        "../../scripts/inspect_face.py"
