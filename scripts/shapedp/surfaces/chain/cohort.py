"""Write what the faces of a cohort share: the template, their stack of curves, the bounds, what public people teach.

Each function writes one artifact, for the rules and for the verification. People's curves are read from a stack a block
of rows at a time; whoever was rejected counts as the public reference.
"""

import numpy as np

from shapedp.base import artifacts
from shapedp.base.artifacts import kinds
from shapedp.base.runs.logs import report_progress
from shapedp.base.settings import subjects
from shapedp.surfaces.chain import to_disk
from shapedp.surfaces.chain.step import Scan
from shapedp.surfaces.subjects import fits

# The paper's tau: the largest norm in the data themselves. It is not private, which the words of the bounds say.
QUANTILE_OF_DATA, MARGIN_OF_DATA = 1.0, 1.0


def find_template_kind(faces, specimens=()):
    """Return the kind of the artifact that `prepare_template` writes; faces : its settings; specimens : the public
    set.
    """
    is_face = subjects.from_settings(faces).is_face
    kind = artifacts.TEMPLATE if is_face else artifacts.SUBJECT_TEMPLATE
    if is_face and specimens:
        kind = kinds.with_own_faces(kind)
    return kinds.with_landmarks(kind) if faces.get("landmarks") else kind


def prepare_template(scan_path, output_path, faces, of_the_cohort, specimens=()):
    """Write the artifact of a template, to which every scan is registered: a scan or a built-in face, taken through the
    chain and cropped.

    Parameters
    ----------
    scan_path : path or None
        The template's scan; None: the built-in one that the settings name.
    output_path : path
    faces : mapping
        The section `faces` of the settings.
    of_the_cohort : bool
        Whether the scan is one of the cohort, so that the template is not public.
    specimens : sequence of tuple
        samples.scan_inputs of the public set, by which a subject that is no face is judged; of faces the laboratory's
        own public ones, for a template of its own.
    """
    fit = fits.fit_for(subjects.from_settings(faces))
    grid = faces["surface"]
    shape = grid["rings"], grid["angles"]
    face = to_disk.map_scan(scan_path, faces) if scan_path else fits.map_built_in(faces["template"], shape)
    scans = [
        Scan(name=name, path=path, nose=nose, marks=marks, mirrored=mirrored)
        for name, path, nose, marks, mirrored in specimens
    ]
    fields = fit.template_fields(face, faces, scans)
    with artifacts.writer(output_path, find_template_kind(faces, specimens), faces) as out:
        out.set(**fields, public=not of_the_cohort, source=faces["template"])


def stack_curves(batch_paths, template_path, output_path, samples):
    """Write the curves of all batches as one stack, a row a person, from which releases are made; a person's scans are
    averaged.

    Parameters
    ----------
    batch_paths : sequence of path
        Artifacts of curves.
    template_path, output_path : path
    samples : sequence of (id, person, group)
        Each scan that counts, in the cohort's order; others of the batches are passed over.
    """
    group_of = {person: group for _, person, group in samples}
    row = {person: index for index, person in enumerate(group_of)}
    person_of = {name: person for name, person, _ in samples}
    placed_curves = (
        (row[person_of[record.name]], record["curves"])
        for path in report_progress(batch_paths, len(batch_paths), "stack_curves")
        for record in artifacts.records(path, artifacts.FACE_CURVES)
        if not record.rejected and record.name in person_of
    )
    write_stack(batch_paths, template_path, output_path, group_of, placed_curves)


def write_stack(batch_paths, template_path, output_path, group_of, placed_curves):
    """Write a stack of curves for releases, a row a person: the mean of the person's curves, or ok = 0 where none could
    be used.

    Parameters
    ----------
    batch_paths : sequence of path
        Whence the curves come, for the artifact's lineage.
    template_path, output_path : path
    group_of : dict
        {person: group}, in the order of the rows.
    placed_curves : iterable of (int, (J, 3, m) array)
        Of each scan that counts, the number of its person's row and its curves.
    """
    with artifacts.reader(template_path, artifacts.TEMPLATE) as template:
        radii, shape = template["radii"], template.shape("curves")
    counts = np.zeros(len(group_of), dtype=int)
    with artifacts.writer(output_path, artifacts.CURVES, inputs=[template_path, *batch_paths]) as out:
        stack = out.rows("curves", (len(group_of), *shape))
        for at, curves in placed_curves:
            stack[at] += curves
            counts[at] += 1
        # Rows of nobody are written, too: a row that takes no room in the file could not be read.
        for at in np.flatnonzero(counts != 1):
            stack[at] /= max(counts[at], 1)
        people_fields = {"ids": list(group_of), "groups": list(group_of.values())}
        out.set(ok=counts > 0, **people_fields, radii=radii, template=artifacts.header(template_path)[2])


def bound_curves(curves_path, template_path, output_path, settings, source, reference):
    """Write the bounds to which mechanisms clip people's curves, so that one person moves a mean by little.

    They are a quantile of the norms of a declared population, with a margin. In the data who was rejected counts as the
    template, as in a release, so that records do not decide whether there are bounds.

    Parameters
    ----------
    curves_path, template_path, output_path : path
    settings : mapping
        Of the bounds: quantile, margin and the reference set's name.
    source : str
        reference_set or data.
    reference : str
        template or none: what is subtracted before norms are taken.
    """
    # Late: a job that stacks curves needs no mechanism, and starting takes longer than most work.
    from shapedp.privacy.curves import bounds

    with artifacts.reader(template_path, artifacts.TEMPLATE) as template:
        curves = template["curves"]
    subtracted = curves if reference == "template" else np.zeros_like(curves)
    public, words = source == "reference_set", "the largest values in the private data themselves"
    quantile, margin = QUANTILE_OF_DATA, MARGIN_OF_DATA
    if public:
        quantile, margin, reference_set = settings["quantile"], settings["margin"], settings["reference_set"]
        words = f"quantile {quantile:g} of the public reference set '{reference_set}', times {margin:g}"
    with artifacts.reader(curves_path, artifacts.CURVES) as source_file:
        people = find_accepted_rows(source_file) if public else np.arange(len(source_file["ok"]))
        read = make_row_reader(source_file, people, curves)
        limits = bounds.from_population(read, len(people), subtracted, quantile, margin, words, public)
    with artifacts.writer(output_path, artifacts.BOUNDS, settings, [curves_path, template_path]) as out:
        out.set(**vars(limits), reference=subtracted)


def learn_variation(curves_path, template_path, output_path, settings, source, own=0):
    """Write what public people teach of how faces vary about the template, by which learned mechanisms place bounds and
    noise.

    Parameters
    ----------
    curves_path, template_path, output_path : path
    settings : mapping
        The section `faces.variation`.
    source : str
        The public population, in words.
    own : int
        So many of the first public people are a laboratory's own, beside people drawn from a model.
    """
    from shapedp.privacy.learned import face_learning

    with artifacts.reader(template_path, artifacts.TEMPLATE) as template:
        reference = template["curves"]
    with artifacts.reader(curves_path, artifacts.CURVES) as stack:
        people = find_accepted_rows(stack)
        read = make_row_reader(stack, people, reference)
        variation = face_learning.learn(
            read,
            len(people),
            reference,
            modes=settings["directions"],
            count=settings["harmonics"],
            own=np.count_nonzero(people < own),
        )
    words = f"{len(people)} faces of the public reference set '{source}'"
    write_variation(output_path, [curves_path, template_path], settings, variation, reference, words)


def write_variation(output_path, inputs, settings, variation, reference, source):
    """Write the artifact from which learned mechanisms know, at no cost in privacy, how people vary about the
    reference.

    It holds what was learned of public people and the guesses of faces.variation.
    """
    guesses = {key: settings[key] for key in ("quantile", "assumed_mean_shift", "assumed_shift_outside_modes")}
    with artifacts.writer(output_path, artifacts.VARIATION, settings, inputs) as out:
        out.set(center=reference, **vars(variation), **guesses, source=source, public=True)


def find_accepted_rows(stack):
    """Return the rows of the people whose scan could be used."""
    return np.flatnonzero(stack["ok"])


def make_row_reader(stack, rows, reference):
    """Return a function that reads stacked curves, so that mechanisms take people block by block.

    It takes (start, stop) and returns the curves (..., J, 3, m) of rows[start:stop], of rejected people the reference.

    Parameters
    ----------
    stack : artifacts' reader of CURVES
    rows : (n,) integer array
        Ascending.
    reference : (J, 3, m) array
        What a rejected person counts as.
    """
    ok = stack["ok"].astype(bool)

    def read(start, stop):
        """Return the curves of the people in rows[start:stop], the reference in place of those who were rejected."""
        chosen_rows = rows[start:stop]
        # An artifact gives slices alone, so the whole range is read and chosen from.
        curves = stack.rows("curves", chosen_rows[0], chosen_rows[-1] + 1)[chosen_rows - chosen_rows[0]]
        curves[~ok[chosen_rows]] = reference
        return curves

    return read
