"""What records of landmarks become: shapes about a center p0, one a person, and their mean, which is not private.

A change and an asymmetry of landmarks are rows of their own: p0, moved by a tangent vector that follows from one
person's records and public numbers. Proof: docs/mathematics.md, (14.5); of an asymmetry, see also Klingenberg,
Barluenga and Meyer (2002).
"""

from collections import defaultdict

import numpy as np

from shapedp import landmarks
from shapedp.base import artifacts
from shapedp.base.errors import Rejected
from shapedp.base.reading import frame
from shapedp.base.runs.logs import log
from shapedp.base.storage import files
from shapedp.landmarks import public_objects, sheet
from shapedp.people import populations, samples
from shapedp.people.samples import Sample
from shapedp.privacy.learned import shape_variation
from shapedp.privacy.manifolds import landmark_shapes
from shapedp.privacy.manifolds.landmark_shapes import LandmarkShapes
from shapedp.privacy.shapes.base import as_complex, as_real, polygon
from shapedp.surfaces.chain import differences

COLUMNS = ("id", "status", "code", "reason", "missing", "distance_from_center_rad", "centroid_size")
# A mean of unit shapes that is shorter has a direction that is rounding.
LEAST = 1e-6


def center_shapes(
    landmarks_path, output_path, center, reference_set=None, persons="refuse", leave_out=(), table_path=None, **ignoring
):
    """Write each person's shape about the center: position and size are removed and a person's records averaged.

    Nothing else is done across records. Where the center is `private`, a bad record becomes NaN and p0 is the private
    mean, for what never leaves the laboratory; with any other center a bad record becomes p0.

    Parameters
    ----------
    landmarks_path, output_path : path
        The artifact LANDMARKS to read, and SHAPES to write.
    center : str
        `demo`, a landmark file with one shape, `reference_set`, `data` or `private`.
    reference_set : path, optional
        The public landmark file: how shapes vary, and the center with `reference_set`.
    persons : str
        `refuse` a person with several records, or `average` them.
    leave_out : sequence of int
        Numbers of landmarks of public files, from 1, that the records are without.
    table_path : path, optional
        The table of each record's quality to write.
    **ignoring
        pairs, semilandmarks, sliding, as `landmark_shapes.with_ignored_directions` takes them.
    """
    with artifacts.reader(landmarks_path, artifacts.LANDMARKS) as source:
        keys = ("landmarks", "ids", "persons", "groups", "faults")
        records, ids, person_names, group_of, faults = (source[key] for key in keys)
    p0 = public_objects.read_public_center(center, reference_set, leave_out)
    nothing_public = center == "private"
    # Whether a release exists is not for records to decide: where none has a shape, the private center is a polygon.
    if p0 is None and nothing_public and not landmark_shapes.unit(records)[1].any():
        p0 = landmark_shapes.unit(as_real(polygon(records.shape[1]))[None])[0][0]
    elif p0 is None:
        p0 = landmark_shapes.find_frechet_mean(records)
    if p0.shape != records.shape[1:]:
        words = "the center has {} landmarks of {} coordinates, the records {} of {}"
        raise Rejected("mixed_landmarks", words.format(*p0.shape, *records.shape[1:]))
    p0, ignored, slid = landmark_shapes.with_ignored_directions(p0, **ignoring)
    about = LandmarkShapes(p0, ignored, slid)
    missing_counts = np.isnan(records).any(axis=2).sum(axis=1)
    if not nothing_public:
        records = landmark_shapes.fill_missing(
            records, p0, _measure_covariance(LandmarkShapes(p0), reference_set, leave_out)
        )
    shapes, has_shape = landmark_shapes.unit(records)
    # Nothing is public: no record may be turned to what others are. Each is turned to a polygon, a bad one is NaN.
    if nothing_public:
        shapes = landmark_shapes.align(as_real(polygon(len(p0))), np.where(has_shape[:, None, None], shapes, np.nan))
    else:
        shapes = about.kept(landmark_shapes.align(p0, np.where(has_shape[:, None, None], shapes, p0)))
    sizes = np.where(has_shape, landmark_shapes.log_sizes(records), np.nan)
    numbers = [number for number in range(1, len(p0) + len(leave_out) + 1) if number not in leave_out]
    slips = (landmark_shapes.slip(p0, shape) if good else None for shape, good in zip(shapes, has_shape, strict=True))
    verdicts = [
        _add_size(*_judge(lacking, good, fault, slip, numbers), words)
        for lacking, good, fault, slip, words in zip(
            missing_counts, has_shape, faults, slips, describe_odd_sizes(sizes), strict=True
        )
    ]
    reasons = [reason for _, _, reason in verdicts]
    for name, good, reason in zip(ids, has_shape, reasons, strict=True):
        if reason:
            log.info("%s %s: %s", name, "is taken" if good else "counts as the center", reason)
    if table_path:
        distances = landmark_shapes.dist(p0, landmark_shapes.align(p0, np.where(has_shape[:, None, None], shapes, p0)))
        files.write_table(table_path, _tabulate(ids, missing_counts, verdicts, distances, sizes))
    rows = sheet.group_by_person(ids, person_names, persons)
    # A group may be private, so a person whose records stand in different ones is in none, rather than refused.
    groups = [{group_of[row] for row in own} for own in rows.values()]
    usable_rows = [[row for row in own if has_shape[row]] or own for own in rows.values()]
    fields = {
        "shapes": np.array([_average_person(shapes[own], p0, nothing_public) for own in usable_rows]),
        "log_sizes": [sizes[own].mean() for own in usable_rows],
        "ok": [bool(has_shape[own].all()) for own in usable_rows],
        "reasons": ["; ".join(filter(None, (reasons[row] for row in own))) for own in rows.values()],
        "ids": list(rows),
        "groups": [names.pop() if len(names) == 1 else "" for names in groups],
    }
    _write(output_path, landmarks_path, about, center, reference_set, fields)


def _write(output_path, landmarks_path, about, center, reference_set, fields):
    """Write the artifact of shapes, one a person, with the center that they are about; `fields` are the persons'."""
    with artifacts.writer(output_path, artifacts.SHAPES, inputs=[landmarks_path]) as out:
        out.set(
            **fields,
            center=about.p0,
            ignored=about.ignored,
            slid=about.slid,
            center_source=center if center != "reference_set" else f"mean of the public set {reference_set}",
            center_public=center not in ("data", "private"),
        )


def mean_shape(shapes_path, output_path):
    """Write the accepted shapes' Fréchet mean, which bears no noise and stays in the laboratory, and distances.

    They are of each shape from it and from the center. No record can stop it: where none is accepted, the center stands
    for them.

    Parameters
    ----------
    shapes_path, output_path : path
        The artifact SHAPES to read, and MEAN_SHAPE to write.
    """
    with artifacts.reader(shapes_path, artifacts.SHAPES) as source:
        p0, ok = source["center"], source["ok"].astype(bool)
        shapes = source["shapes"][ok] if ok.any() else p0[None]
    mean = landmark_shapes.find_frechet_mean(shapes)
    with artifacts.writer(output_path, artifacts.MEAN_SHAPE, inputs=[shapes_path]) as out:
        out.set(
            mean=mean,
            residual=landmark_shapes.gradient(mean, shapes),
            distances=landmark_shapes.dist(mean, shapes),
            center_distances=landmark_shapes.dist(p0, shapes),
        )


def _tabulate(ids, missing_counts, verdicts, distances, sizes):
    """Yield the rows of the operator's quality table, a record each: what became of it and why, distance, size.

    The header comes first.
    """
    yield COLUMNS
    for name, missing, verdict, distance, size in zip(ids, missing_counts, verdicts, distances, sizes, strict=True):
        with np.errstate(over="ignore"):
            numbers = ("", "") if verdict[0] == "rejected" else (f"{distance:.4f}", f"{np.exp(size):.6g}")
        yield artifacts.make_printable(name), *verdict, missing, *numbers


def _measure_covariance(about, reference_set, leave_out):
    """Return how public shapes vary about p0, (k d, k d), by which missing landmarks are filled; None without a set."""
    if reference_set is None:
        return None
    x = about.deviations(as_real(public_objects.read_reference_set(reference_set, as_complex(about.p0), leave_out)))
    return x.T @ x / len(x)


def _judge(lacking, good, fault, slip, numbers):
    """Return what the operator is told of a record of landmarks: (status, code, reason); "" where nothing is odd.

    fault : of artifacts.LANDMARKS; slip : of `landmark_shapes.slip`; numbers : of the landmarks in the files
    """
    are = "landmark is" if lacking == 1 else "landmarks are"
    if good and lacking:
        words = f"{lacking} {are} missing, and filled in from public shapes"
        return "filled", "filled", "; ".join(filter(None, (words, fault, describe_slip(slip, numbers)[1])))
    if good:
        return "ok", *describe_slip(slip, numbers)
    if fault:
        return "rejected", "left_out" if fault == frame.LEFT_OUT else "bad_landmarks", fault
    if lacking == len(numbers):
        words = "all its landmarks are missing; results/private/logs/read_shapes.log tells what could not be read"
        return "rejected", "missing_landmarks", words
    if lacking:
        return "rejected", "missing_landmarks", f"{lacking} of {len(numbers)} {are} missing, so it has no shape"
    return "rejected", "no_shape", "all its landmarks lie at one point, so it has no shape"


# A size is odd if its log over the median's exceeds the first, and the second times the median of such logs.
ODD, OFTEN = np.log(5), 8.0


def describe_odd_sizes(log_sizes):
    """Return words on each record of a size far from the cohort's median, as one in another unit has; else ""."""
    known = log_sizes[np.isfinite(log_sizes)]
    gaps = log_sizes - (np.median(known) if len(known) else 0.0)
    limit = max(ODD, OFTEN * np.median(np.abs(gaps[np.isfinite(log_sizes)]))) if len(known) else ODD
    return [
        f"{np.exp(abs(gap)):.3g} times as {'large' if gap > 0 else 'small'} as most records: is it in another unit?"
        if abs(gap) > limit
        else ""
        for gap in gaps
    ]


def _add_size(status, code, reason, words):
    """Return (status, code, reason) with what is odd about the size of a record, for the operator alone."""
    return status, code or "size" * bool(words), "; ".join(filter(None, (reason, words)))


def describe_slip(slip, numbers):
    """Return a code and words for the operator where landmarks were mixed up, as `landmark_shapes.slip` says.

    Parameters
    ----------
    slip : None, or sequence of int
        None where nothing is odd, empty for a mirror image, else two indices of landmarks that look exchanged.
    numbers : sequence of int
        What the files call the landmarks.

    Returns
    -------
    code, words : str
        "" both where nothing is odd.
    """
    if slip is None:
        return "", ""
    if not slip:
        return "mirrored", "looks like a mirror image of the center"
    return "exchanged", f"landmarks {numbers[slip[0]]} and {numbers[slip[1]]} look exchanged"


def _average_person(shapes, p0, nothing_public):
    """Return the one shape that stands for a person with several records: their mean.

    It is of shapes turned to p0, or without a public p0 to the first of them.
    """
    if nothing_public:
        return landmark_shapes.unit(landmark_shapes.align(shapes[0], shapes).mean(axis=0)[None])[0][0]
    mean = shapes.mean(axis=0)
    return landmark_shapes.unit(mean[None])[0][0] if np.linalg.norm(mean) > LEAST else p0


def difference_shapes(
    landmarks_path, output_path, entry, center, reference_set=None, pairs=(), leave_out=(), **ignoring
):
    """Write the differences within each person, as shapes, that a release of changes or asymmetries averages.

    Of each person of the frame this is p0 moved by the person's difference, and p0 itself where a record that is needed
    has no shape.

    Parameters
    ----------
    landmarks_path, output_path : path
        The artifact LANDMARKS to read, and SHAPES to write.
    entry : dict
        Of `releases`.
    center, reference_set : str
        As for `center_shapes`; the center is public.
    pairs : sequence of (int, int)
        Landmarks of the left and the right side that mirror each other.
    leave_out : sequence of int
        Numbers of landmarks of public files, from 1, that the records are without.
    **ignoring
        As for `center_shapes`.
    """
    with artifacts.reader(landmarks_path, artifacts.LANDMARKS) as source:
        records, sheet_cells = source["landmarks"], source["covariates"]
        members = to_samples(*(source[key] for key in ("ids", "persons", "groups")), sheet_cells, source["faults"])
    p0 = public_objects.read_public_center(center, reference_set, leave_out)
    for_asymmetry = entry["kind"] == samples.ASYMMETRY
    p0, ignored, slid = landmark_shapes.with_ignored_directions(p0, pairs, **ignoring, ignores_symmetric=for_asymmetry)
    about, covariance = (
        LandmarkShapes(p0, ignored, slid),
        _measure_covariance(LandmarkShapes(p0), reference_set, leave_out),
    )
    people, deviations, ok = _measure_differences(
        about, entry, landmark_shapes.fill_missing(records, p0, covariance), members
    )
    group_of = samples.find_groups(members)
    fields = {
        "shapes": about.shape(deviations),
        "log_sizes": np.full(len(people), np.nan),
        "ok": ok,
        "reasons": ["" if is_known else "a record that is needed has no shape" for is_known in ok],
        "ids": people,
        "groups": [group_of[person] for person in people],
    }
    _write(output_path, landmarks_path, about, center, reference_set, fields)


def to_samples(ids, persons, groups, sheet_cells, faults=None):
    """Return each record of landmarks as a Sample, so that people and times are found as those of scans are.

    Parameters
    ----------
    ids, persons, groups : sequence of str
        A record each; a person "" is named by the record's id.
    sheet_cells : sequence of str
        Each record's cells of the sheet, as JSON.
    faults : sequence of str, optional
        Of artifacts.LANDMARKS; without them every record is used.

    Returns
    -------
    list of Sample
    """
    records = zip(ids, persons, groups, map(sheet.cells, sheet_cells), faults or [""] * len(ids), strict=True)
    return [
        Sample(
            record_id,
            "",
            person_name or record_id,
            group,
            covariates=tuple(row.items()),
            use=fault != frame.LEFT_OUT,
            time=frame.find_time(row),
        )
        for record_id, person_name, group, row, fault in records
    ]


def read_public_differences(entry, reference_set, reference_sheet, about, leave_out=()):
    """Return p0 moved by public people's differences, from which a release of differences learns how people vary.

    Of an asymmetry they are those of all people. Of a change they are those of the people whom the sheet of the public
    set lists at two times; where there are fewer than `shape_variation.LEAST` of them, how far people's shapes lie from
    p0 stands for them, which is much farther.

    Parameters
    ----------
    entry : dict
        Of `releases`, with the kind mean_change or asymmetry.
    reference_set, reference_sheet : path
        Public landmarks, and the sheet that says whose they are and when; the sheet may be None.
    about : LandmarkShapes
        The center, with the directions that are ignored.
    leave_out : sequence of int
        Numbers of the file's landmarks, from 1, that p0 is without.

    Returns
    -------
    (p, k, d) array
    """
    k, d = about.p0.shape
    public_set = landmarks.read(reference_set, landmarks.Layout(k + len(leave_out), d), leave_out=leave_out)
    if reference_sheet:
        populations.refuse_unheeded(reference_sheet)
    sheet_rows = sheet.read_sheet(reference_sheet, public_set.ids)
    members = to_samples(public_set.ids, sheet_rows.persons, sheet_rows.groups, sheet_rows.format_covariates())
    records, public_entry = (
        landmark_shapes.fill_missing(public_set.shapes, about.p0),
        differences.find_public_entry(entry, members),
    )
    deviations = np.zeros((0, about.p0.size))
    if public_entry is not None:
        _, deviations, ok = _measure_differences(about, public_entry, records, members)
        deviations = deviations[ok]
    if len(deviations) < shape_variation.LEAST:
        deviations = _measure_deviations(about, records)[0]
    return about.shape(deviations / differences.find_typical_unit(entry))


def _measure_differences(about, entry, records, members):
    """Return the people of the frame, the change or asymmetry (n, k d) of each, to be summed or learned from, and who
    has one.

    The row of who has none, for want of a usable record, is 0.
    """
    x, whole = _measure_deviations(about, records)
    people = samples.list_people(entry, members)
    # Of an asymmetry no more than the asymmetric part is left in x: its mirror image is minus itself.
    row_of = differences.make_row_function(entry, np.zeros(about.p0.size), np.negative)
    deviations, ok = np.zeros((len(people), about.p0.size)), np.zeros(len(people), dtype=bool)
    rows_of = defaultdict(list)
    for row, member in enumerate(members):
        rows_of[member.person].append(row)
    for at, person in enumerate(people):
        scans, by_time = [], {}
        for row in rows_of[person]:
            if members[row].use:
                scans.append((members[row].time, dict(members[row].covariates)))
            if whole[row]:
                by_time.setdefault(members[row].time, []).append(x[row])
        difference = row_of({time: np.mean(own, axis=0) for time, own in by_time.items()}, scans)
        if difference is not None:
            deviations[at], ok[at] = difference, True
    return people, deviations, ok


def _measure_deviations(about, records):
    """Return how records differ from the center in shape (n, k d), and whether each has a shape.

    What a shape does not tell, such as its size and turn, and directions that the settings ignore are taken out.

    Parameters
    ----------
    about : LandmarkShapes
        The center, with the directions that are ignored.
    records : (n, k, d) array
        Landmarks.
    """
    shapes, whole = landmark_shapes.unit(records)
    x, ignored_axes = about.deviations(np.where(whole[:, None, None], shapes, about.p0)), about.fixed()
    return x - (x @ ignored_axes.T) @ ignored_axes, whole
