"""The people behind a release, read from the artifacts of the private chain: curves of faces, landmarks of shapes.

Everything a release needs of people comes from here as `protocol.People`: rows of a per-person array, keyed digests by
which the ledger knows the records again, and what was seen when they were read.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shapedp.base import artifacts
from shapedp.base.errors import RefusedRelease
from shapedp.base.reading import frame
from shapedp.base.settings import read_default
from shapedp.landmarks import public_objects, sheet
from shapedp.landmarks import shapes as of_landmarks
from shapedp.ledger import shared_people
from shapedp.people import populations, samples
from shapedp.privacy.curves import bounds
from shapedp.privacy.curves.bounds import Bounds
from shapedp.privacy.learned.face_variation import Variation
from shapedp.privacy.manifolds import landmark_shapes
from shapedp.privacy.shapes.base import Ball, as_complex, polygon
from shapedp.releases import protocol
from shapedp.releases.faces import Template
from shapedp.releases.model import covariates
from shapedp.releases.model.covariates import SIZE, Covariate
from shapedp.releases.protocol import Evidence, People, Settings
from shapedp.releases.shapes import PRIVATE, PublicShapes
from shapedp.surfaces.chain import cohort

Cells = Sequence[tuple[str, dict[str, str]]]  # (person, {column: text}) of each record, from the sample sheet


def read_template(path: Path | str) -> Template:
    """Return the template of the chain."""
    with artifacts.reader(path, artifacts.TEMPLATE) as source:
        return Template(*(source[key] for key in ("curves", "radii", "scale", "public", "source")))


def read_limits(bounds_path: Path | str | None, faces: Settings, count: int) -> Bounds | Variation:
    """Return the public bounds that `count` curves are clipped to, or how public people vary; of no file, by tau.

    Whether they are public is said where they are computed, by the settings that name whose curves they are taken from.
    What files hold decides nothing here: see `populations.refuse_private` and
    `populations.describe_copies`.

    Parameters
    ----------
    bounds_path : path or None
        The bounds or the variation.
    faces : mapping
        The settings of that section.
    count : int
        Curves of a face.
    """
    if bounds_path is None:
        return bounds.from_numbers(faces["bounds"]["tau"], count)
    learned = artifacts.header(bounds_path)[0] == artifacts.VARIATION.name
    public_bounds, _ = (public_objects.read_variation if learned else public_objects.read_bounds)(bounds_path)
    return public_bounds


@contextmanager
def open_curves(
    curves_path: Path | str,
    template_path: Path | str,
    group: str | None,
    privacy: Settings,
    key: bytes,
    listed: int,
    named: bool,
    covariates_asked: Sequence[Covariate] | None = None,
    cells: Cells = (),
    scans: Sequence[tuple[str, str]] = (),
) -> Iterator[People]:
    """Yield the people whose faces are summed and noised for a release, while their stack of curves is open.

    They are everybody or one group, read block by block, with the marks and digests by which the ledger knows them.

    Parameters
    ----------
    curves_path, template_path : path
        The stack, and the template that it was taken with.
    group : str or None
        Of the release; None for everybody.
    privacy : mapping
        The settings of that name.
    key : bytes
        Of the ledger's digests.
    listed : int
        How many people the cohort lists.
    named : bool
        Whether its sheet says whose each scan is.
    covariates_asked : sequence of Covariate, or None
        Of a model; they stand in the cells.
    cells : sequence of (person, {column: text})
        Of each record.
    scans : sequence of (person, path)
        Of each scan.
    """
    public = read_template(template_path)
    with artifacts.reader(curves_path, artifacts.CURVES) as stack:
        # Rows taken with another template lie about another reference, so that the bounds would not hold of them.
        if stack["template"] != artifacts.header(template_path)[2]:
            raise RefusedRelease(f"{curves_path}: these curves were taken with another template; run snakemake again")
        ids = stack["ids"]
        # Who is in the group follows from the frame alone, before any row is read.
        part = protocol.select_part(group, privacy, key, ids, stack["groups"])
        # Digests are of everybody's records, so that the ledger knows them again whichever group a release is of.
        coded_by_record = None if covariates_asked is None else covariates.code_all(covariates_asked, cells, ids)
        coded = None if coded_by_record is None else coded_by_record[part.rows]
        records, marks = protocol.digest_records(
            key, lambda start, stop: stack.rows("curves", start, stop), len(ids), coded_by_record
        )
        marks_of_files = shared_people.mark_files(key, scans)
        yield People(
            count=len(part.rows),
            read=cohort.make_row_reader(stack, part.rows, public.curves),
            beside=coded,
            n=part.n,
            members=part.members,
            records=records,
            marks=[
                marks_of_files.get(person, frozenset()) | record_marks
                for person, record_marks in zip(ids, marks, strict=True)
            ],
            other_inputs=(stack["ok"],) if coded is None else (stack["ok"], coded),
            group=part.group,
            evidence=Evidence(artifacts.lineage(curves_path), listed, len(ids), len(set(ids)), named),
        )


def read_known(
    stack_path: Path | str, reference: NDArray[np.float64], covariates_asked: Sequence[Covariate], cells: Cells
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return (curves, covariates) of public people with all covariates known, from whom a curve along age is learned.

    None where there is nobody.

    Parameters
    ----------
    stack_path : path
        The stack of curves.
    reference : (J, 3, m) float
        Which stands for a record that cannot be used.
    covariates_asked : sequence of Covariate
        The covariates.
    cells : sequence of (person, {column: text})
        Of each record.

    Returns
    -------
    curves : (n, J, 3, m) float
        Of these people.
    coded : (n, p) float
        Their covariates, in [-1, 1].
    """
    with artifacts.reader(stack_path, artifacts.CURVES) as stack:
        known = covariates.code_known(covariates_asked, cells, stack["ids"])
        rows = np.flatnonzero(stack["ok"].astype(bool) & ~np.isnan(known).any(axis=1))
        return (cohort.make_row_reader(stack, rows, reference)(0, len(rows)), known[rows]) if len(rows) else None


def read_usable(path: Path | str, reference: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
    """Yield curves (b, J, 3, m) of the people of a public stack who could be used, block by block to spare memory.

    A model learns from them how public people vary at landmarks.

    Parameters
    ----------
    path : path
        The stack.
    reference : (J, 3, m) float
        Which would stand for a record that cannot be used.
    """
    with artifacts.reader(path, artifacts.CURVES) as stack:
        rows = np.flatnonzero(stack["ok"].astype(bool))
        read = cohort.make_row_reader(stack, rows, reference)
        for start in range(0, len(rows), protocol.BLOCK):
            yield read(start, min(start + protocol.BLOCK, len(rows))).astype(float)


def read_shape_people(
    shapes_path: Path | str,
    landmarks_path: Path | str,
    group: str | None,
    shapes: Settings,
    privacy: Settings,
    key: bytes,
    modes: int,
    covariates_asked: Sequence[Covariate] | None = None,
    entry: Settings | None = None,
) -> tuple[People, PublicShapes]:
    """Return the people whose landmarks are summed and noised for a release, and what is public of their shapes.

    They are everybody or one group, with the marks and digests by which the ledger knows them.

    Parameters
    ----------
    shapes_path, landmarks_path : path
        The rows that are released, and the landmarks that they were made of.
    group : str or None
        Of the release; None for everybody.
    shapes, privacy : mapping
        The settings of those names.
    key : bytes
        Of the ledger's digests.
    modes : int
        Of the contour basis.
    covariates_asked : sequence of Covariate, or None
        Of a model.
    entry : mapping or None
        Of `releases`, where the rows are changes or asymmetries.

    Returns
    -------
    people : People
    public : PublicShapes
    """
    with artifacts.reader(shapes_path, artifacts.SHAPES) as source:
        p0, public = source["center"], source["center_public"]
        directions = {name: source[name] for name in ("ignored", "slid") if len(source[name])}
        ids, group_of = source["ids"], source["groups"]
        made_from = set(source.provenance["inputs"].values())
        part = protocol.select_part(group, privacy, key, ids, group_of)
        everybody = source["shapes"]
        records, log_sizes = everybody[part.rows], source["log_sizes"][part.rows]
    with artifacts.reader(landmarks_path, artifacts.LANDMARKS) as source:
        landmarks, persons = source["landmarks"], source["persons"]
        keys = ("ids", "persons", "groups", "covariates", "faults")
        record_samples = of_landmarks.to_samples(*(source[key] for key in keys))
        rows_of = sheet.group_by_person(source["ids"], persons, "average")
        if entry is not None:
            rows_of = {person: rows_of[person] for person in samples.list_people(entry, record_samples)}
    # Shapes of other landmarks would be released under these people's digests.
    if artifacts.header(landmarks_path)[2] not in made_from:
        raise RefusedRelease(f"{shapes_path}: these shapes were made of other landmarks; run snakemake again")
    center_word = shapes["center"] if shapes["center"] in populations.CENTERS else "file"
    nothing_public = center_word == PRIVATE
    r, r_source = shapes["radius"], "config"
    if r == "data":
        # The largest distance, as the papers take it: it follows from the records, so no condition of privacy holds.
        r, r_source = landmark_shapes.dist(p0, everybody).max(), "data"
    # Of a difference no size is released: it is of shapes, which have none.
    size = None if entry else shapes.get("size") and tuple(np.log(shapes["size"]))
    center_shape = polygon(len(p0)) if nothing_public else as_complex(p0)
    ball = Ball(
        n=part.n,
        p0=center_shape,
        r=float(r),
        modes=modes,
        public=_read_public_set(shapes, p0, directions, entry),
        nothing_public=nothing_public,
        size=size,
        **directions,
    )
    members = tuple(ids[row] for row in part.rows)
    side_values, other_inputs = log_sizes, (persons,)
    if covariates_asked is not None:
        sizes = dict(zip(members, log_sizes, strict=True))
        side_values = covariates.code_all(
            covariates_asked, _cells_with_size(record_samples, sizes, covariates_asked), members
        )
        other_inputs = (persons, side_values)
    decides = _deciding_values(persons, record_samples, covariates_asked, entry)
    digest, marks = protocol.digest_records(key, lambda start, stop: landmarks[start:stop], len(landmarks), decides)
    people = People(
        count=len(part.rows),
        read=lambda start, stop: records[start:stop],
        beside=side_values,
        n=part.n,
        members=part.members,
        records=digest,
        marks=[frozenset().union(*(marks[row] for row in rows)) for rows in rows_of.values()],
        other_inputs=other_inputs,
        group=part.group,
        evidence=Evidence(artifacts.lineage(shapes_path), len(rows_of), len(ids), len(set(ids)), any(persons)),
    )
    center = center_word if public or nothing_public else "data"
    return people, PublicShapes(ball, center, bool(public), r_source)


def _read_public_set(shapes, p0, directions, entry):
    """Return the public shapes, or public people's differences, from which a release learns how records vary."""
    left_out = shapes.get("leave_out", read_default("shapes.leave_out"))
    if entry is None or not shapes.get("reference_set"):
        return public_objects.read_reference_set(shapes.get("reference_set"), as_complex(p0), left_out)
    shapes_at_center = landmark_shapes.LandmarkShapes(p0, **directions)
    return as_complex(
        of_landmarks.read_public_differences(
            entry, shapes["reference_set"], shapes.get("reference_sheet"), shapes_at_center, left_out
        )
    )


def _deciding_values(persons, record_samples, covariates_asked, entry):
    """Return what decides the statistic with each record, as texts for the ledger's digests; None where nothing does.

    That is whose the record is, where that is said, its covariates, and the time and number that a change takes. With
    any of them changed a request is another one, which the ledger charges again.
    """
    covariates_of = () if covariates_asked is None else covariates_asked
    times, per = ((), ()) if entry is None else (frame.TIMES, entry.get("per", {}))
    # Then a record's landmarks are all that decides, and digests stay those of a plain cohort.
    if not (any(persons) or covariates_of or times):
        return None
    values = []
    for person, sample in zip(persons, record_samples, strict=True):
        row = dict(sample.covariates)
        coded = [of.coded(samples.read_cell(row, of.name)) for of in covariates_of]
        counted = [sample.use and samples.read_cell(row, column) for column in per]
        values.append(json.dumps([person, coded, [*map(row.get, times), *counted]]))
    return values


def _cells_with_size(record_samples, log_sizes, covariates_asked) -> Cells:
    """Return (person, {column: text}) of each used record with a column `log_size`, so that size can be a covariate.

    The sizes are those of `log_sizes`, {person: number}. A covariate that the sheet has no column for is refused.
    """
    columns = {*dict(record_samples[0].covariates), SIZE}
    # Refused here, before the ledger is asked: a column that is missing for everybody is a fault of the settings.
    if lacking := samples.find_lacking([covariate.name for covariate in covariates_asked], columns):
        raise RefusedRelease(
            f"shapes.sheet: has no column {', '.join(lacking)}, which a release takes as covariate; it has "
            f"{', '.join(sorted(columns))}. No noise was drawn"
        )
    return [
        (person, {**texts, SIZE: repr(float(log_sizes[person]))})
        for person, texts in samples.list_cells({}, record_samples)
        if person in log_sizes
    ]
