"""Find what one person's scans say of that person alone: a change between two times, its two sides, one of two times.

Each person is one row, the template with the difference added, so that a release of such rows is one of faces like any
other: docs/mathematics.md, (14.1), which also says who counts and what public people's own differences teach.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.base import artifacts
from shapedp.base.runs.logs import report_progress
from shapedp.people.samples import ASYMMETRY, CHANGE, Sample, find_groups, list_people, parse_number, read_cell
from shapedp.privacy.learned import face_learning
from shapedp.surfaces.chain import cohort
from shapedp.surfaces.curve_mesh import Mirror

Shapes = NDArray[np.float64]
# (time, {column: text}) of each record of a person that is used.
TextsByTime = Sequence[tuple[str, Mapping[str, str]]]


def make_row_function(
    entry: Mapping[str, Any], template: Shapes, mirrored: Callable[[Shapes], Shapes] | None = None
) -> Callable[[Mapping[str, Shapes], TextsByTime], Shapes | None]:
    """Return the function that makes the row of a person for an entry of `releases`: the difference that it averages.

    The row (J, 3, m) is the template with the difference added, or the face at the entry's time. The function takes the
    person's mean curves (J, 3, m) by time and what the sheet tells, and returns None where a scan that the entry needs
    could not be used.

    Parameters
    ----------
    entry : mapping
        Of `releases`.
    template : (J, 3, m) array
        Which stands for no difference.
    mirrored : callable or None
        Curves -> their mirror image; None: the template's own.
    """
    if entry.get("kind") == ASYMMETRY:
        mirrored = mirrored or Mirror.from_template(template)

    def row(of_times, texts_by_time):
        """Return what a release takes of one person: the template plus their difference, or their face at one time.

        It is None where a scan is missing; of_times : {time: mean curves}
        """
        if entry.get("kind") == CHANGE:
            first, second = (of_times.get(time) for time in entry["times"])
            if first is None or second is None:
                return None
            return template + (second - first) / _find_unit(entry, texts_by_time)
        if entry.get("kind") == ASYMMETRY:
            if not of_times:
                return None
            face = np.mean(list(of_times.values()), axis=0)
            return template + (face - mirrored(face)) / 2
        return of_times.get(entry["time"])

    return row


def _find_unit(entry, texts_by_time):
    """Return what a person's change is divided by: their number in the column of `per` (years between scans), else 1.

    It is infinite, so that no change is left, where nobody knows the number.

    What stands at the second time counts before what stands at the first, and this before any other; several numbers of
    one time are averaged, so that the order of rows decides nothing.
    """
    for column, (low, high) in entry.get("per", {}).items():
        first, second = entry["times"]
        numbers_by_time = defaultdict(list)
        for time, texts in texts_by_time:
            number = parse_number(read_cell(texts, column))
            if not math.isnan(number):
                numbers_by_time[time if time in (first, second) else None].append(min(max(number, low), high))
        return fmean(next(filter(None, map(numbers_by_time.get, (second, first, None))), [math.inf]))
    return 1.0


def stack_rows(batch_paths, template_path, output_path, samples, entry):
    """Write one row a person for an entry of `releases`, of a difference or of one time, as the stack that it averages.

    Parameters
    ----------
    batch_paths : sequence of path
        Artifacts of curves.
    template_path, output_path : path
    samples : sequence of (id, person, group, time, cells)
        Each scan that counts.
    entry : mapping
        Of `releases`.
    """
    samples = read_samples(samples)
    groups = find_groups(samples)
    group_of = {person: groups[person] for person in list_people(entry, samples)}
    with artifacts.reader(template_path, artifacts.TEMPLATE) as template:
        placed_rows = _collect_rows(batch_paths, samples, list(group_of), make_row_function(entry, template["curves"]))
    cohort.write_stack(batch_paths, template_path, output_path, group_of, placed_rows)


def read_samples(samples: Sequence[tuple]) -> list[Sample]:
    """Return the Samples of (id, person, group, time, cells) each."""
    return [Sample(name, "", who, group, covariates=tuple(cells), time=at) for name, who, group, at, cells in samples]


def _collect_rows(batch_paths, samples, people, row):
    """Yield (place in the stack, row) of each person whose scans could be used, once the last of their scans was read.

    So sums are held only for people of whom a scan is still to come.
    """
    place = {person: at for at, person in enumerate(people)}
    of_id = {sample.id: sample for sample in samples if sample.person in place}
    waiting = Counter(sample.person for sample in of_id.values())
    sums: dict = {}
    # Of all rows of the sheet: what one leaves empty another may say.
    texts_by_time: dict = {person: [] for person in people}
    for sample in of_id.values():
        texts_by_time[sample.person].append((sample.time, dict(sample.covariates)))
    for path in report_progress(batch_paths, len(batch_paths), "stack_rows"):
        for record in artifacts.records(path, artifacts.FACE_CURVES):
            sample = of_id.get(record.name)
            if sample is None:
                continue
            if not record.rejected:
                total, count = sums.setdefault(sample.person, {}).get(sample.time, (0.0, 0))
                sums[sample.person][sample.time] = total + record["curves"], count + 1
            waiting[sample.person] -= 1
            if waiting[sample.person]:
                continue
            means = {time: total / count for time, (total, count) in sums.pop(sample.person, {}).items()}
            own_row = row(means, texts_by_time[sample.person])
            if own_row is not None:
                yield place[sample.person], own_row


def learn_rows(batch_paths, template_path, output_path, samples, entry, settings, source):
    """Write what public people teach of how an entry's rows (changes, asymmetries) vary, for its mechanism's bounds and
    noise.

    It is learned from their own differences where there are enough of them, else from their faces, whose variation is
    much larger.

    Parameters
    ----------
    batch_paths : sequence of path
        Artifacts of the public people's curves.
    template_path, output_path : path
    samples : sequence of (id, person, group, time, cells)
        Of the public people.
    entry : mapping
        Of `releases`.
    settings : mapping
        The section `faces.variation`.
    source : str
        The public population, in words.
    """
    samples = read_samples(samples)
    with artifacts.reader(template_path, artifacts.TEMPLATE) as template:
        reference = template["curves"]

    def read(entry):
        """Return (p, J, 3, m), the rows that an entry would take of the public people whose scans could be used."""
        placed_rows = _collect_rows(
            batch_paths, samples, list_people(entry, samples), make_row_function(entry, reference)
        )
        return np.array([row for _, row in placed_rows]).reshape(-1, *reference.shape)

    times = dict.fromkeys(sample.time for sample in samples)
    faces = np.concatenate([read({"time": time}) for time in times]) - reference
    entry_of_public = find_public_entry(entry, samples)
    rows = [] if entry_of_public is None else read(entry_of_public)
    is_from_differences = len(rows) >= face_learning.LEAST
    if not is_from_differences:
        rows = faces + reference
    # Of public people nobody knows the column that the entry counts by: the middle of its range stands for each.
    rows = reference + (rows - reference) / find_typical_unit(entry)
    variation = learn_variation(rows, faces if is_from_differences else None, reference, settings)
    words = f"{len(rows)} {'differences' if is_from_differences else 'faces'} of the public reference set '{source}'"
    cohort.write_variation(output_path, [*batch_paths, template_path], settings, variation, reference, words)


def learn_variation(rows, faces, reference, settings):
    """Return what public rows teach of how changes or asymmetries vary, in the form that mechanisms take from public
    faces.

    Parameters
    ----------
    rows : (p, J, 3, m) array
    faces : (f, J, 3, m) array or None
        Deviations of public faces, which the modes are fitted on as well.
    reference : (J, 3, m) array
    settings : mapping
        The section `faces.variation`.
    """
    return face_learning.learn(
        lambda start, stop: rows[start:stop],
        len(rows),
        reference,
        modes=settings["directions"],
        count=settings["harmonics"],
        alike=faces,
    )


def find_public_entry(entry: Mapping[str, Any], samples: Sequence[Sample]) -> dict[str, Any] | None:
    """Return an entry like this one for the public people, whose own changes then show how changes vary.

    Their times have names of their own; None where none of them was scanned twice.

    Parameters
    ----------
    entry : mapping
        Of `releases`.
    samples : sequence of Sample
        Of the public people.
    """
    if entry["kind"] != CHANGE:
        return {"kind": entry["kind"]}
    times = list(dict.fromkeys(sample.time for sample in samples if sample.time))
    if len(times) < 2:
        return None
    return {"kind": CHANGE, "times": entry["times"] if set(entry["times"]) <= set(times) else times[:2]}


def find_typical_unit(entry: Mapping[str, Any]) -> float:
    """Return what public changes are divided by, whose numbers nobody knows: the middle of the public range."""
    return float(np.prod([np.sqrt(low * high) for low, high in entry.get("per", {}).values()]))
