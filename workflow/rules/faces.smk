"""Point cloud -> mesh -> disk map -> surface -> registered surface -> radial curves -> private mean face."""

FACES = config["faces"]
RELEASED_FACES = released("faces")
# The bounds of the comparison: the paper's, and public ones where there is a public population.
PREFERRED = "reference_set" if "reference" in COHORTS else "data"
COMPARED = sorted({"data_none", "data_template", f"{PREFERRED}_template"})
BOUNDING = {
    "reference_set": "reference",
    "data": "faces",
}  # the population bounds come from

# A step takes nobody's scan before the template has come through it. Not `ancient`: Snakemake leaves jobs out of a run
# that makes such an input anew, those of changed settings, too; so what precedes meshes is made of their settings alone.
REHEARSED = "results/private/rehearsed.txt"
REHEARSED_DISKS = "results/private/rehearsed_disks.txt"
BOUNDS_TAKEN = {
    **FACES["bounds"],
    "reference_set": populations.describe_reference_set(FACES),
}


rule mesh_faces:
    """Read each scan, look for the face where it is more than that, and triangulate it as a disk."""
    input:
        demo=demo_sheet,
        template="results/private/template.h5",
        rehearsed=REHEARSED_DISKS,
    output:
        meshes=kept("mesh"),
    log:
        "results/private/logs/mesh_faces/{cohort}/{batch}.log",
    benchmark:
        "results/private/benchmarks/mesh_faces/{cohort}/{batch}.tsv"
    conda:
        "../../envs/shapedp.yaml"
    resources:
        mem_mb=memory(JOB_MB),
        runtime=minutes,
    params:
        code=code("take_to_disk"),
        step="mesh_faces",
        samples=samples_of_the_batch,
        stamp=stamp,
        settings=sections(to_disk.MESH_FACES.settings),
    message:
        "mesh_faces/{wildcards.cohort}/{wildcards.batch}: Mesh the scans of a batch"
    script:
        "../../scripts/take_to_disk.py"


rule map_disks:
    """Map each mesh conformally to the unit disk."""
    input:
        mesh="results/private/{cohort}/mesh/{batch}.h5",
    output:
        disk_maps=kept("disk_map"),
    log:
        "results/private/logs/map_disks/{cohort}/{batch}.log",
    benchmark:
        "results/private/benchmarks/map_disks/{cohort}/{batch}.tsv"
    priority: 1
    conda:
        "../../envs/shapedp.yaml"
    resources:
        mem_mb=memory(1000),
    params:
        code=code("take_to_disk"),
        step="map_disks",
        samples=[],
        settings={},
    message:
        "map_disks/{wildcards.cohort}/{wildcards.batch}: Map a batch to the disk"
    script:
        "../../scripts/take_to_disk.py"


rule recenter_disks:
    """Move the nose tip, or what was chosen instead, to the center of each disk."""
    input:
        disk_map="results/private/{cohort}/disk_map/{batch}.h5",
        mesh="results/private/{cohort}/mesh/{batch}.h5",
    output:
        disks=kept("disk"),
    log:
        "results/private/logs/recenter_disks/{cohort}/{batch}.log",
    benchmark:
        "results/private/benchmarks/recenter_disks/{cohort}/{batch}.tsv"
    priority: 2
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("take_to_disk"),
        step="recenter_disks",
        settings=sections(to_disk.RECENTER_DISKS.settings),
        samples=lambda wildcards: DigestedList(
            (sample.id, None, sample.nose, sample.marks)
            for sample in BATCHES[wildcards.cohort][wildcards.batch]
            if sample.nose is not None or sample.marks
        ),
    message:
        "recenter_disks/{wildcards.cohort}/{wildcards.batch}: Recenter the disks of a batch"
    script:
        "../../scripts/take_to_disk.py"


rule sample_surfaces:
    """Sample each surface on the polar grid, with unit area and its centroid at 0."""
    input:
        disk="results/private/{cohort}/disk/{batch}.h5",
        mesh="results/private/{cohort}/mesh/{batch}.h5",
    output:
        surfaces=kept("surface"),
    log:
        "results/private/logs/sample_surfaces/{cohort}/{batch}.log",
    benchmark:
        "results/private/benchmarks/sample_surfaces/{cohort}/{batch}.tsv"
    priority: 3
    conda:
        "../../envs/shapedp.yaml"
    resources:
        mem_mb=memory(1000),
    params:
        code=code("take_to_disk"),
        step="sample_surfaces",
        samples=[],
        settings=sections(to_disk.SAMPLE_SURFACES.settings),
    message:
        "sample_surfaces/{wildcards.cohort}/{wildcards.batch}: Sample the surfaces of a batch"
    script:
        "../../scripts/take_to_disk.py"


if not FACES["study"]:

    rule prepare_template:
        """Take the template through the chain of a scan, crop it to the extent, choose the radii of curves."""
        input:
            scan=TEMPLATE_SCAN or [],
        output:
            template="results/private/template.h5",
        log:
            "results/private/logs/prepare_template.log",
        benchmark:
            "results/private/benchmarks/prepare_template.tsv"
        priority: 7  # no batch gets farther than its surfaces without it
        localrule: True
        conda:
            "../../envs/shapedp.yaml"
        params:
            code=code("share_cohort"),
            step="prepare_template",
            faces=sections(to_template.list_settings(FACES)),
            of_the_cohort=populations.template_is_private(FACES, COHORTS),
            specimens=RUN.list_specimens(),
            stamp=RUN.stamp_specimens(),
        message:
            "prepare_template: Prepare the template"
        script:
            "../../scripts/share_cohort.py"


rule register_surfaces:
    """Align each surface to the template by a rotation and a diffeomorphism of the disk, within the template's extent."""
    input:
        surface="results/private/{cohort}/surface/{batch}.h5",
        disk="results/private/{cohort}/disk/{batch}.h5",
        mesh="results/private/{cohort}/mesh/{batch}.h5",
        template="results/private/template.h5",
        rehearsed=REHEARSED,
    output:
        registered=kept("registered"),
    log:
        "results/private/logs/register_surfaces/{cohort}/{batch}.log",
    benchmark:
        "results/private/benchmarks/register_surfaces/{cohort}/{batch}.tsv"
    priority: 4
    conda:
        "../../envs/shapedp.yaml"
    resources:
        mem_mb=memory(1200),
    params:
        code=code("take_to_template"),
        step="register_surfaces",
        samples=lambda wildcards: DigestedList(
            (sample.id, None, None, sample.marks)
            for sample in BATCHES[wildcards.cohort][wildcards.batch]
            if sample.marks
        ),
        settings=sections(to_template.REGISTER_SURFACES.settings),
    message:
        "register_surfaces/{wildcards.cohort}/{wildcards.batch}: Register a batch to the template"
    script:
        "../../scripts/take_to_template.py"


rule extract_curves:
    """Take the radial curves of each registered surface."""
    input:
        registered="results/private/{cohort}/registered/{batch}.h5",
        template="results/private/template.h5",
    output:
        curves=kept("curves"),
    log:
        "results/private/logs/extract_curves/{cohort}/{batch}.log",
    benchmark:
        "results/private/benchmarks/extract_curves/{cohort}/{batch}.tsv"
    priority: 5
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("take_to_template"),
        step="extract_curves",
        samples=[],
        settings={},
    message:
        "extract_curves/{wildcards.cohort}/{wildcards.batch}: Extract the curves of a batch"
    script:
        "../../scripts/take_to_template.py"


# One job takes a batch through all steps where nothing between is kept, as of public people.
ruleorder: make_curves > extract_curves
ruleorder: make_curves > measure_quality


rule make_curves:
    """Take a batch from its scans to its curves in one process, face by face; nothing between is written."""
    input:
        demo=demo_sheet,
        template="results/private/template.h5",
        rehearsed=REHEARSED,
    output:
        curves=kept("curves"),
        table="results/private/{cohort}/quality/{batch}.tsv",
        look="results/private/{cohort}/look/{batch}.h5",
    log:
        "results/private/logs/make_curves/{cohort}/{batch}.log",
    benchmark:
        "results/private/benchmarks/make_curves/{cohort}/{batch}.tsv"
    wildcard_constraints:
        cohort="|".join(name for name in COHORTS if kinds_kept(name) <= {"curves"})
        or "none",
    priority: 6  # public people first: what is learned of them is waited for
    conda:
        "../../envs/shapedp.yaml"
    resources:
        mem_mb=memory(JOB_MB),
        runtime=minutes,
    params:
        code=code("make_curves"),
        samples=samples_of_the_batch,
        stamp=stamp,
        settings=sections(steps.SETTINGS),
    message:
        "make_curves/{wildcards.cohort}/{wildcards.batch}: Take a batch from scans to curves"
    script:
        "../../scripts/make_curves.py"


rule rehearse_disks:
    """Take the public template to its surface on the disk as if it were a scan: where that fails, the run stops."""
    input:
        template="results/private/template.h5",
    output:
        words=REHEARSED_DISKS,
    log:
        "results/private/logs/rehearse_disks.log",
    benchmark:
        "results/private/benchmarks/rehearse_disks.tsv"
    priority: 9  # no batch begins before it
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("rehearse_disks"),
        settings=sections(tuple(key for step in to_disk.STEPS for key in step.settings)),
    message:
        "rehearse_disks: Rehearse the way to the disk on the public template"
    script:
        "../../scripts/rehearse_disks.py"


rule rehearse_chain:
    """Take the public template through all steps as if it were a scan: where the program fails on it, the run stops."""
    input:
        template="results/private/template.h5",
    output:
        words=REHEARSED,
    log:
        "results/private/logs/rehearse_chain.log",
    benchmark:
        "results/private/benchmarks/rehearse_chain.tsv"
    priority: 8  # no batch is registered before it
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("rehearse_chain"),
        settings=sections(steps.SETTINGS),
    message:
        "rehearse_chain: Rehearse the chain on the public template"
    script:
        "../../scripts/rehearse_chain.py"


rule stack_curves:
    """Stack the curves of all batches, one row a person; several scans of a person are averaged within the person."""
    input:
        curves=of_all_batches("curves"),
        template="results/private/template.h5",
        rehearsed=REHEARSED,
    output:
        curves="results/private/{cohort}/curves.h5",
    log:
        "results/private/logs/stack_curves/{cohort}.log",
    benchmark:
        "results/private/benchmarks/stack_curves/{cohort}.tsv"
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("share_cohort"),
        step="stack_curves",
        samples=lambda wildcards: RUN.list_stacked(wildcards.cohort),
    message:
        "stack_curves/{wildcards.cohort}: Stack the curves of a cohort"
    script:
        "../../scripts/share_cohort.py"


rule bound_curves:
    """Take the bounds for clipping from a declared population, as a quantile of its norms with a margin."""
    input:
        curves=lambda wildcards: f"results/private/{BOUNDING[wildcards.source]}/curves.h5",
        template="results/private/template.h5",
    output:
        bounds="results/private/faces/bounds/{source}_{reference}.h5",
    log:
        "results/private/logs/bound_curves/{source}/{reference}.log",
    benchmark:
        "results/private/benchmarks/bound_curves/{source}/{reference}.tsv"
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("share_cohort"),
        step="bound_curves",
        bounds=BOUNDS_TAKEN,
    message:
        "bound_curves/{wildcards.source}/{wildcards.reference}: Bound curves from a declared population"
    script:
        "../../scripts/share_cohort.py"


if not FACES["study"]:

    rule learn_variation:
        """Learn from the public reference set how faces vary: modes, harmonics, and held-out coordinates of its people."""
        input:
            curves="results/private/reference/curves.h5",
            template="results/private/template.h5",
        output:
            variation=VARIATION,
        log:
            "results/private/logs/learn_variation.log",
        benchmark:
            "results/private/benchmarks/learn_variation.tsv"
        conda:
            "../../envs/shapedp.yaml"
        resources:
            mem_mb=memory(1000),
        params:
            code=code("share_cohort"),
            step="learn_variation",
            variation=FACES["variation"],
            source=populations.describe_reference_set(FACES),
            own=populations.count_own_people(FACES, COHORTS),
        message:
            "learn_variation: Learn how public people vary"
        script:
            "../../scripts/share_cohort.py"


rule release_faces:
    """Clip, sum, add noise, and enter the release in the ledger: what spends the privacy of faces."""
    input:
        unpack(lambda wildcards: RUN.list_inputs(wildcards.release)),
        template="results/private/template.h5",
        forecast=forecast_before("faces"),
    output:
        mark="results/private/shown/faces/{release}.json",
    log:
        "results/private/logs/release_faces/{release}.log",
    benchmark:
        "results/private/benchmarks/release_faces/{release}.tsv"
    wildcard_constraints:
        release=names_of("faces"),
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("release_faces"),
        folder=lambda wildcards, output: release_folder(output.mark),
        release=entry_of("faces"),
        faces=lambda wildcards: RUN.select_release_sections(wildcards.release),
        privacy=config["privacy"],
        people=lambda wildcards: len(RUN.list_people(wildcards.release)),
        named=samples.has_column(FACES["scans"], samples.PERSON),
        scans=RUN.list_scans_of_people(),
        cells=lambda wildcards: RUN.list_cells(wildcards.release),
        public_cells=lambda wildcards: RUN.list_public_cells(wildcards.release),
        look=look_at("faces"),
    message:
        "release_faces/{wildcards.release}: Draw the release"
    script:
        "../../scripts/release_faces.py"


rule measure_quality:
    """Tabulate the faces of a batch, and keep what a review page shows of them."""
    input:
        **{
            step.makes: f"results/private/{{cohort}}/{step.makes}/{{batch}}.h5"
            for step in steps.STEPS[:-1]
        },
    output:
        table="results/private/{cohort}/quality/{batch}.tsv",
        look="results/private/{cohort}/look/{batch}.h5",
    log:
        "results/private/logs/measure_quality/{cohort}/{batch}.log",
    benchmark:
        "results/private/benchmarks/measure_quality/{cohort}/{batch}.tsv"
    priority: 6
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("measure_quality"),
        step="measure_quality",
        samples=samples_of_the_batch,
    message:
        "measure_quality/{wildcards.cohort}/{wildcards.batch}: Measure a batch"
    script:
        "../../scripts/measure_quality.py"


rule tabulate_quality:
    """List each face with its status, the reason if it was rejected, and its figures."""
    input:
        tables=lambda wildcards: [
            f"results/private/{wildcards.cohort}/quality/{batch}.tsv"
            for batch in BATCHES[wildcards.cohort]
        ],
    output:
        table="results/private/{cohort}/quality.tsv",
    log:
        "results/private/logs/tabulate_quality/{cohort}.log",
    benchmark:
        "results/private/benchmarks/tabulate_quality/{cohort}.tsv"
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("measure_quality"),
        step="tabulate_quality",
    message:
        "tabulate_quality/{wildcards.cohort}: Tabulate the quality of a cohort"
    script:
        "../../scripts/measure_quality.py"


rule compare_releases:
    """How far releases of this cohort by each mechanism lie from its mean, in mm; seeded noise, on the private side."""
    input:
        curves="results/private/faces/curves.h5",
        template="results/private/template.h5",
        bounds=expand("results/private/faces/bounds/{case}.h5", case=COMPARED),
        variation=VARIATION if "reference" in COHORTS else [],
    output:
        table="results/private/faces/comparison.tsv",
    log:
        "results/private/logs/compare_releases.log",
    benchmark:
        "results/private/benchmarks/compare_releases.tsv"
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("compare_releases"),
        kernel=FACES["kernel"],
    message:
        "compare_releases: Compare the mechanisms on this cohort"
    script:
        "../../scripts/compare_releases.py"


rule plan_release:
    """Predict what releases are worth, from public inputs alone: over n, mu and settings, before any scan is read."""
    input:
        bounds=(
            "results/private/faces/bounds/reference_set_template.h5"
            if "reference" in COHORTS
            else []
        ),
        variation=VARIATION if "reference" in COHORTS else [],
        template="results/private/template.h5",
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
    log:
        "results/private/logs/plan_release.log",
    benchmark:
        "results/private/benchmarks/plan_release.tsv"
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("plan_release"),
        kernel=FACES["kernel"],
        tau=FACES["bounds"]["tau"],
    message:
        "plan_release: Plan the noise of a release"
    script:
        "../../scripts/plan_release.py"


rule inspect_face:
    """Draw one face at every step, for a person to judge; or what was read of it, and why it was rejected."""
    input:
        template="results/private/template.h5",
    output:
        picture="results/private/faces/inspect/{id}.png",
    log:
        "results/private/logs/inspect_face/{id}.log",
    benchmark:
        "results/private/benchmarks/inspect_face/{id}.tsv"
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("inspect_face"),
        sample=lambda wildcards: sample_of(wildcards.id),
        settings=sections((*steps.SETTINGS, *to_template.list_settings(FACES))),
    message:
        "inspect_face/{wildcards.id}: Draw what became of a scan"
    script:
        "../../scripts/inspect_face.py"
