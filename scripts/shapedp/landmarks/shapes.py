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
LEAST = 1e-6  # length of a mean of unit shapes below which its direction is rounding


def center_shapes(
    landmarks_path, output_path, center, reference_set=None, persons="refuse", leave_out=(), table_path=None, **ignoring
):
    """Remove position and size from each record, average within a person, choose the center that shapes deviate from.

    center : `demo`, a landmark file with one shape, `reference_set` or `data`, and a bad record becomes p0; or
    `private`, and it becomes NaN: p0 is then the private mean, for what never leaves the laboratory.

    persons : `refuse` a person with several records, or `average` them; nothing else is done across records
    leave_out : numbers of landmarks of public files that the records are without
    table_path : of the table of each record's quality, if one is wanted
    ignoring : pairs, semilandmarks, sliding, as `landmark_shapes.with_ignored_directions` takes them
    """
    with artifacts.reader(landmarks_path, artifacts.LANDMARKS) as source:
        keys = ("landmarks", "ids", "persons", "groups", "faults")
        records, ids, named, group_of, faults = (source[key] for key in keys)
    p0 = public_objects.public_center(center, reference_set, leave_out)
    nothing_public = center == "private"
    # Whether a release exists is not for records to decide: where none has a shape, the private center is a polygon.
    if p0 is None and nothing_public and not landmark_shapes.unit(records)[1].any():
        p0 = landmark_shapes.unit(as_real(polygon(records.shape[1]))[None])[0][0]
    elif p0 is None:
        p0 = landmark_shapes.center_of(records)
    if p0.shape != records.shape[1:]:
        words = "the center has {} landmarks of {} coordinates, the records {} of {}"
        raise Rejected("mixed_landmarks", words.format(*p0.shape, *records.shape[1:]))
    p0, ignored, slid = landmark_shapes.with_ignored_directions(p0, **ignoring)
    about = LandmarkShapes(p0, ignored, slid)
    lacking = np.isnan(records).any(axis=2).sum(axis=1)
    if not nothing_public:
        records = landmark_shapes.filled(records, p0, _covariance(LandmarkShapes(p0), reference_set, leave_out))
    shapes, whole = landmark_shapes.unit(records)
    if nothing_public:  # no record may be turned to what others are: to the polygon, and away where it is no shape
        shapes = landmark_shapes.align(as_real(polygon(len(p0))), np.where(whole[:, None, None], shapes, np.nan))
    else:
        shapes = about.kept(landmark_shapes.align(p0, np.where(whole[:, None, None], shapes, p0)))
    sizes = np.where(whole, landmark_shapes.log_sizes(records), np.nan)
    numbers = [one for one in range(1, len(p0) + len(leave_out) + 1) if one not in leave_out]
    slips = (landmark_shapes.slip(p0, shape) if good else None for shape, good in zip(shapes, whole, strict=True))
    judged = [_judged(*one, numbers) for one in zip(lacking, whole, faults, slips, strict=True)]
    judged = [_with_size(*one, words) for one, words in zip(judged, odd_sizes(sizes), strict=True)]
    reasons = [reason for _, _, reason in judged]
    for name, good, reason in zip(ids, whole, reasons, strict=True):
        if reason:
            log.info("%s %s: %s", name, "is taken" if good else "counts as the center", reason)
    if table_path:
        away = landmark_shapes.dist(p0, landmark_shapes.align(p0, np.where(whole[:, None, None], shapes, p0)))
        files.write_table(table_path, _rows(ids, lacking, judged, away, sizes))
    rows = sheet.of_persons(ids, named, persons)
    # A group may be private, so a person whose records stand in different ones is in none, rather than refused.
    groups = [{group_of[row] for row in own} for own in rows.values()]
    kept = [[row for row in own if whole[row]] or own for own in rows.values()]
    fields = {
        "shapes": np.array([_of_person(shapes[own], p0, nothing_public) for own in kept]),
        "log_sizes": [sizes[own].mean() for own in kept],
        "ok": [bool(whole[own].all()) for own in kept],
        "reasons": ["; ".join(filter(None, (reasons[row] for row in own))) for own in rows.values()],
        "ids": list(rows),
        "groups": [one.pop() if len(one) == 1 else "" for one in groups],
    }
    _write(output_path, landmarks_path, about, center, reference_set, fields)


def _write(output_path, landmarks_path, about, center, reference_set, fields):
    """Write shapes, one a person, with the center that they are about; `fields` are those of the persons."""
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
    """Write the Fréchet mean of the accepted shapes, and how far each lies from it and the center; none can stop it."""
    with artifacts.reader(shapes_path, artifacts.SHAPES) as source:
        p0, ok = source["center"], source["ok"].astype(bool)
        shapes = source["shapes"][ok] if ok.any() else p0[None]
    mean = landmark_shapes.center_of(shapes)
    with artifacts.writer(output_path, artifacts.MEAN_SHAPE, inputs=[shapes_path]) as out:
        out.set(
            mean=mean,
            residual=landmark_shapes.gradient(mean, shapes),
            distances=landmark_shapes.dist(mean, shapes),
            center_distances=landmark_shapes.dist(p0, shapes),
        )


def _rows(ids, lacking, judged, away, sizes):
    """A row for each record: what became of it, why, how many landmarks it lacks, how far it lies from the center."""
    yield COLUMNS
    for name, missing, told, distance, size in zip(ids, lacking, judged, away, sizes, strict=True):
        with np.errstate(over="ignore"):
            numbers = ("", "") if told[0] == "rejected" else (f"{distance:.4f}", f"{np.exp(size):.6g}")
        yield artifacts.make_printable(name), *told, missing, *numbers


def _covariance(about, reference_set, leave_out):
    """Second moment of the public set about p0, (k d, k d), or None without one."""
    if reference_set is None:
        return None
    x = about.deviations(as_real(public_objects.read_reference_set(reference_set, as_complex(about.p0), leave_out)))
    return x.T @ x / len(x)


def _judged(lacking, good, fault, slip, numbers):
    """(status, code, reason) of a record; the reason is "" where nothing is odd.

    fault : of artifacts.LANDMARKS; slip : of `landmark_shapes.slip`; numbers : of the landmarks in the files
    """
    are = "landmark is" if lacking == 1 else "landmarks are"
    if good and lacking:
        words = f"{lacking} {are} missing, and filled in from public shapes"
        return "filled", "filled", "; ".join(filter(None, (words, fault, slip_words(slip, numbers)[1])))
    if good:
        return "ok", *slip_words(slip, numbers)
    if fault:
        return "rejected", "left_out" if fault == frame.LEFT_OUT else "bad_landmarks", fault
    if lacking == len(numbers):
        words = "all its landmarks are missing; results/private/logs/read_shapes.log tells what could not be read"
        return "rejected", "missing_landmarks", words
    if lacking:
        return "rejected", "missing_landmarks", f"{lacking} of {len(numbers)} {are} missing, so it has no shape"
    return "rejected", "no_shape", "no landmark differs from the others, so it has no shape"


ODD, OFTEN = np.log(5), 8.0  # log of a size over the median's, and that over the median one, beyond which it is odd


def odd_sizes(log_sizes):
    """Words on each record whose size lies far from the cohort's median, as one in another unit does; "" of others."""
    known = log_sizes[np.isfinite(log_sizes)]
    away = log_sizes - (np.median(known) if len(known) else 0.0)
    limit = max(ODD, OFTEN * np.median(np.abs(away[np.isfinite(log_sizes)]))) if len(known) else ODD
    return [
        f"{np.exp(abs(one)):.3g} times as {'large' if one > 0 else 'small'} as most records: is it in another unit?"
        if abs(one) > limit
        else ""
        for one in away
    ]


def _with_size(status, code, reason, words):
    """(status, code, reason) with what is odd about the size of a record, for the operator alone."""
    return status, code or "size" * bool(words), "; ".join(filter(None, (reason, words)))


def slip_words(slip, numbers):
    """(code, words) of a `landmark_shapes.slip`; numbers : of the landmarks in the files."""
    if slip is None:
        return "", ""
    if not slip:
        return "mirrored", "looks like a mirror image of the center"
    return "exchanged", f"landmarks {numbers[slip[0]]} and {numbers[slip[1]]} look exchanged"


def _of_person(shapes, p0, nothing_public):
    """One person's shape: the mean of theirs turned to p0, or without one to their first."""
    if nothing_public:
        return landmark_shapes.unit(landmark_shapes.align(shapes[0], shapes).mean(axis=0)[None])[0][0]
    mean = shapes.mean(axis=0)
    return landmark_shapes.unit(mean[None])[0][0] if np.linalg.norm(mean) > LEAST else p0


def difference_shapes(
    landmarks_path, output_path, entry, center, reference_set=None, pairs=(), leave_out=(), **ignoring
):
    """Write the shapes that an entry of `releases` with the kind mean_change or asymmetry takes: of each person of the
    frame p0 moved by the person's difference, and p0 itself where a record that is needed has no shape.
    """
    with artifacts.reader(landmarks_path, artifacts.LANDMARKS) as source:
        records, told = source["landmarks"], source["covariates"]
        listed = samples_of(*(source[key] for key in ("ids", "persons", "groups")), told, source["faults"])
    p0 = public_objects.public_center(center, reference_set, leave_out)
    of_asymmetry = entry["kind"] == samples.ASYMMETRY
    p0, ignored, slid = landmark_shapes.with_ignored_directions(p0, pairs, **ignoring, of_asymmetry=of_asymmetry)
    about, covariance = LandmarkShapes(p0, ignored, slid), _covariance(LandmarkShapes(p0), reference_set, leave_out)
    people, moved, ok = _differences(about, entry, landmark_shapes.filled(records, p0, covariance), listed)
    group_of = samples.groups_of(listed)
    fields = {
        "shapes": about.shape(moved),
        "log_sizes": np.full(len(people), np.nan),
        "ok": ok,
        "reasons": ["" if one else "a record that is needed has no shape" for one in ok],
        "ids": people,
        "groups": [group_of[person] for person in people],
    }
    _write(output_path, landmarks_path, about, center, reference_set, fields)


def samples_of(ids, persons, groups, told, faults=None):
    """Each record as a samples.Sample; told : its cells of the sheet, as JSON; faults : of artifacts.LANDMARKS."""
    given = zip(ids, persons, groups, map(sheet.cells, told), faults or [""] * len(ids), strict=True)
    return [
        Sample(
            one,
            "",
            who or one,
            group,
            covariates=tuple(row.items()),
            use=fault != frame.LEFT_OUT,
            time=frame.find_time(row),
        )
        for one, who, group, row, fault in given
    ]


def public_differences(entry, reference_set, reference_sheet, about, leave_out=()):
    """(p, k, d) p0 moved by public people's differences, as far as they are known: of an asymmetry those of all; of a
    change those of the people whom the sheet of the public set lists at two times, and where there are fewer than
    `shape_variation.LEAST` of them, how far people's shapes lie from p0, which is much farther.
    """
    k, d = about.p0.shape
    found = landmarks.read(reference_set, landmarks.Layout(k + len(leave_out), d), leave_out=leave_out)
    if reference_sheet:
        populations.refuse_unheeded(reference_sheet)
    told = sheet.read_sheet(reference_sheet, found.ids)
    listed = samples_of(found.ids, told.persons, told.groups, told.covariates_of())
    records, taken = landmark_shapes.filled(found.shapes, about.p0), differences.public_entry(entry, listed)
    moved = np.zeros((0, about.p0.size))
    if taken is not None:
        _, moved, ok = _differences(about, taken, records, listed)
        moved = moved[ok]
    if len(moved) < shape_variation.LEAST:
        moved = _kept(about, records)[0]
    return about.shape(moved / differences.typical_unit(entry))


def _differences(about, entry, records, listed):
    """(people of the frame, their differences (n, k d), whether these could be told)."""
    x, whole = _kept(about, records)
    people = samples.listed(entry, listed)
    # Of an asymmetry no more than the asymmetric part is left in x: its mirror image is minus itself.
    row_of = differences.make_row_function(entry, np.zeros(about.p0.size), np.negative)
    moved, ok = np.zeros((len(people), about.p0.size)), np.zeros(len(people), dtype=bool)
    rows_of = defaultdict(list)
    for row, one in enumerate(listed):
        rows_of[one.person].append(row)
    for at, person in enumerate(people):
        told, of_times = [], {}
        for row in rows_of[person]:
            if listed[row].use:
                told.append((listed[row].time, dict(listed[row].covariates)))
            if whole[row]:
                of_times.setdefault(listed[row].time, []).append(x[row])
        found = row_of({time: np.mean(own, axis=0) for time, own in of_times.items()}, told)
        if found is not None:
            moved[at], ok[at] = found, True
    return people, moved, ok


def _kept(about, records):
    """(deviations (n, k d) of records without what is ignored, whether these have a shape)."""
    shapes, whole = landmark_shapes.unit(records)
    x, fixed = about.deviations(np.where(whole[:, None, None], shapes, about.p0)), about.fixed()
    return x - (x @ fixed.T) @ fixed, whole
