"""Point cloud -> mesh -> disk map -> surface -> registered surface -> radial curves -> private mean face."""

FACES = config["faces"]
RELEASED_FACES = expand(
    "results/release/faces/{release}/{file}",
    release=[release["name"] for release in FACES["releases"]],
    file=["mean_face.h5", "mean_face.ply", "mean_face.glb", "preview.png", "statement.json", "statement.md"],
)


def scans(wildcards):
    """What a batch reads: its own scan files, or the sheet of the demo, which stands for them."""
    if cohorts.is_demo(FACES, wildcards.cohort):
        return f"data/demo/{wildcards.cohort}/samples.tsv"
    return [sample.path for sample in BATCHES[wildcards.cohort][wildcards.batch]]


def of_all_batches(kind):
    """The artifacts of one kind of all batches of a cohort."""
    return lambda wildcards: [
        f"results/private/{wildcards.cohort}/{kind}/{batch}.h5" for batch in BATCHES[wildcards.cohort]
    ]


def release_settings(wildcards):
    """The entry of faces.releases that a release was asked for by."""
    return next(entry for entry in FACES["releases"] if entry["name"] == wildcards.release)


rule mesh_faces:
    """Read each scan and triangulate it as a disk."""
    input:
        scans=scans,
        library=library("mesh_faces"),
    output:
        meshes="results/private/{cohort}/mesh/{batch}.h5",
    params:
        samples=lambda wildcards: [
            (sample.id, sample.path, sample.nose) for sample in BATCHES[wildcards.cohort][wildcards.batch]
        ],
        center=FACES["center"],
        mesh=FACES["mesh"],
    log:
        "results/private/logs/mesh_faces/{cohort}/{batch}.log",
    benchmark:
        "results/private/benchmarks/mesh_faces/{cohort}/{batch}.tsv"
    conda:
        ENVIRONMENT
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
        disk_maps="results/private/{cohort}/disk_map/{batch}.h5",
    log:
        "results/private/logs/map_disks/{cohort}/{batch}.log",
    benchmark:
        "results/private/benchmarks/map_disks/{cohort}/{batch}.tsv"
    conda:
        ENVIRONMENT
    message:
        "Mapping batch {wildcards.batch} of {wildcards.cohort} to the disk"
    script:
        "../../scripts/map_disks.py"


rule recentre_disks:
    """Move the nose tip to the centre of each disk."""
    input:
        disk_maps="results/private/{cohort}/disk_map/{batch}.h5",
        library=library("recentre_disks"),
    output:
        disks="results/private/{cohort}/disk/{batch}.h5",
    log:
        "results/private/logs/recentre_disks/{cohort}/{batch}.log",
    benchmark:
        "results/private/benchmarks/recentre_disks/{cohort}/{batch}.tsv"
    conda:
        ENVIRONMENT
    message:
        "Centring batch {wildcards.batch} of {wildcards.cohort}"
    script:
        "../../scripts/recentre_disks.py"


rule sample_surfaces:
    """Sample each surface on the polar grid, with unit area and its centroid at 0."""
    input:
        disks="results/private/{cohort}/disk/{batch}.h5",
        library=library("sample_surfaces"),
    output:
        surfaces="results/private/{cohort}/surface/{batch}.h5",
    params:
        surface=FACES["surface"],
    log:
        "results/private/logs/sample_surfaces/{cohort}/{batch}.log",
    benchmark:
        "results/private/benchmarks/sample_surfaces/{cohort}/{batch}.tsv"
    conda:
        ENVIRONMENT
    message:
        "Sampling batch {wildcards.batch} of {wildcards.cohort}"
    script:
        "../../scripts/sample_surfaces.py"


rule prepare_template:
    """Take the template through the same chain and choose the radii of the curves on it."""
    input:
        scan=TEMPLATE_SCAN or [],
        library=library("prepare_template"),
    output:
        template="results/private/template.h5",
    params:
        faces={key: FACES[key] for key in ("template", "center", "mesh", "surface", "curves")},
        of_the_cohort=cohorts.template_is_private(FACES, COHORTS),
    log:
        "results/private/logs/prepare_template.log",
    benchmark:
        "results/private/benchmarks/prepare_template.tsv"
    conda:
        ENVIRONMENT
    message:
        "Preparing the template"
    script:
        "../../scripts/prepare_template.py"


rule register_surfaces:
    """Align each surface to the template by a rotation and a diffeomorphism of the disk."""
    input:
        surfaces="results/private/{cohort}/surface/{batch}.h5",
        template="results/private/template.h5",
        library=library("register_surfaces"),
    output:
        registered="results/private/{cohort}/registered/{batch}.h5",
    params:
        registration=FACES["registration"],
    log:
        "results/private/logs/register_surfaces/{cohort}/{batch}.log",
    benchmark:
        "results/private/benchmarks/register_surfaces/{cohort}/{batch}.tsv"
    conda:
        ENVIRONMENT
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
        curves="results/private/{cohort}/curves/{batch}.h5",
    log:
        "results/private/logs/extract_curves/{cohort}/{batch}.log",
    benchmark:
        "results/private/benchmarks/extract_curves/{cohort}/{batch}.tsv"
    conda:
        ENVIRONMENT
    message:
        "Extracting the radial curves of batch {wildcards.batch} of {wildcards.cohort}"
    script:
        "../../scripts/extract_curves.py"


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
            (sample.id, sample.person, sample.group) for sample in COHORTS[wildcards.cohort]
        ],
    log:
        "results/private/logs/stack_curves/{cohort}.log",
    benchmark:
        "results/private/benchmarks/stack_curves/{cohort}.tsv"
    conda:
        ENVIRONMENT
    message:
        "Stacking the curves of {wildcards.cohort}"
    script:
        "../../scripts/stack_curves.py"


rule tabulate_quality:
    """List each face with its status, the reason if it was rejected, and its figures."""
    input:
        meshes=of_all_batches("mesh"),
        disk_maps=of_all_batches("disk_map"),
        registered=of_all_batches("registered"),
        library=library("tabulate_quality"),
    output:
        table="results/private/{cohort}/quality.tsv",
    log:
        "results/private/logs/tabulate_quality/{cohort}.log",
    benchmark:
        "results/private/benchmarks/tabulate_quality/{cohort}.tsv"
    conda:
        ENVIRONMENT
    message:
        "Listing the quality of {wildcards.cohort}"
    script:
        "../../scripts/tabulate_quality.py"
