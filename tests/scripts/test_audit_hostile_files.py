"""The audit from the bytes: no record's bytes move what an outsider sees, and each guard that is broken is caught."""

import csv
import io
from pathlib import Path

import numpy as np
import pytest

from shapedp import landmarks
from shapedp.audit import hostile_files, outside_view
from shapedp.audit import records as audit
from shapedp.base.errors import ConfigError, Rejected
from shapedp.base.reading import frame
from shapedp.landmarks import records, tps
from shapedp.people import samples
from shapedp.privacy.manifolds import landmark_shapes
from shapedp.privacy.shapes import gaussian
from shapedp.surfaces.chain import step
from shapedp.surfaces.disk_map import conformal

pytestmark = [pytest.mark.slow, pytest.mark.thorough]
WIDE, JSON = ("a.csv id,x1,y1,x2,", "gaussian"), ("s.mrk.json", "knorm")


def test_there_are_many_faults_and_every_reader_has_its_form():
    assert len(hostile_files.FAULTS) >= 40
    endings = {Path(name).suffix for form in hostile_files.LANDMARK_FORMS for name in form.files((), 0)}
    # A workbook's cells become rows of text, which are read as those of a csv: test_workbook.py has its own faults.
    assert set(landmarks.ENDINGS) - endings == {".dta", ".h5", ".hdf5", ".xlsx"}, "as .nts, .npz and .csv are"
    assert {case[0] for case in audit.CASES} >= {"landmark sheet", "sample sheet", "scan"}


def test_sound_files_are_read_as_they_were_written():
    for form in hostile_files.LANDMARK_FORMS:
        assert len(form.files((), 0)) in (1, hostile_files.PEOPLE)


@pytest.mark.timeout(1800)
def test_no_bytes_of_a_record_move_what_is_seen():
    rows = list(audit.compare_files(200))
    assert not [row for row in rows if row[-1]]


@pytest.mark.long
@pytest.mark.timeout(6 * 3600)
def test_none_of_ten_thousand_cohorts_moves_what_is_seen():
    assert not [row for row in audit.compare_files(10_000) if row[-1]]


@pytest.mark.long
@pytest.mark.timeout(2 * 3600)
def test_none_of_two_hundred_cohorts_through_the_shell_moves_what_is_seen():
    assert not [row for row in audit.compare_files(200, shell=True) if row[-1]]


def text_of(path):
    return path.read_bytes().decode("utf-8", "replace")


def breaking_lines(path, most):
    """Lines as Python splits them."""
    return [(at, line) for at, line in enumerate(text_of(path).splitlines(), start=1) if line]


def joined_lines(path, most):
    """Lines as a csv reader has them: a quotation mark that opens takes the following lines."""
    rows = csv.reader(io.StringIO(text_of(path)))
    return [(at, ",".join(row)) for at, row in enumerate(rows, start=1) if row]


def refusing(*_, **__):
    raise Rejected("broken", "one record refuses all")


def refusing_cell(text, where, faults):
    raise ConfigError("one cell refuses all")


class RefusingColumns(frame.Columns):
    """Columns that refuse a row of which something cannot be read."""

    def _own(self, *given):
        own, fault = super()._own(*given)
        return refusing() if fault else (own, fault)


def laid_out(count):
    """What as many numbers as the square of a rim do to a machine that has no room for them."""
    if count > conformal.MOST_RIM:
        raise MemoryError


GUARDS = {
    "lines end at a line feed alone": (frame, "read_lines", breaking_lines, WIDE, ("a form feed",)),
    "quotes close within their line": (
        frame,
        "read_lines",
        joined_lines,
        WIDE,
        ("a quoted number that does not close",),
    ),
    "a fault of a row is its own": (frame, "Columns", RefusingColumns, WIDE, ("a comma too many",)),
    "a cell of a sheet is its own": (
        *(frame, "Columns", RefusingColumns),
        *(("landmark sheet", "gaussian"), ("a comma too many",)),
    ),
    "one file is one record": (landmarks, "_count_as_missing", refusing, JSON, ("a zero byte", "brackets")),
    "a row of a matrix is its own": (records.Cells, "row", refusing, ("a.nts", "gaussian"), ("a number too many",)),
    "a scale is its own": (tps, "_read_scale", refusing, ("a.tps", "gaussian"), ("a scale that is none",)),
    "a marked nose is no reason to refuse": (
        *(samples, "_read_nose", refusing_cell),
        *(("sample sheet", "rkhs"), ("a square",)),
    ),
    "a rim is bounded": (conformal, "refuse_long_rim", laid_out, ("scan", "rkhs"), ("a mesh that is all rim",)),
    "one scan is one record": (
        step,
        "run_step",
        lambda name, stage, function: function(),
        ("scan", "rkhs"),
        ("no bytes",),
    ),
}


def test_numbers_that_overflow_are_caught_where_neither_guard_holds(monkeypatch):
    """A record's numbers are bounded as they are read, and brought to a size before they are decomposed."""
    case, faults = ("a.tps", "gaussian"), ("all 1e308", "a missing number")
    assert not outside_view.find_differences(audit.view_faults(case, (), 0), audit.view_faults(case, faults, 0))
    monkeypatch.setattr(records, "LARGEST", np.inf)
    assert not outside_view.find_differences(audit.view_faults(case, (), 0), audit.view_faults(case, faults, 0))
    monkeypatch.setattr(landmark_shapes, "_frame", lambda points: (points.mean(axis=0), 1.0))
    with np.errstate(all="ignore"):
        assert outside_view.find_differences(audit.view_faults(case, (), 0), audit.view_faults(case, faults, 0))


def test_a_group_of_fewer_members_is_caught_where_it_refuses(monkeypatch):
    """The chosen person's cells decide whether that person is in the group."""
    case, faults = ("landmark sheet", "gaussian"), ("no bytes",)
    sound, asked = audit.view_faults(case, (), 0), gaussian.clipped_coordinates

    def checked(manifold, points, p0, r):
        return asked(manifold, points, p0, r) if len(points) == hostile_files.PEOPLE else refusing()

    monkeypatch.setattr(gaussian, "clipped_coordinates", checked)
    assert outside_view.find_differences(sound, audit.view_faults(case, faults, 0))


@pytest.mark.parametrize("guard", GUARDS)
def test_a_guard_that_is_broken_is_caught(monkeypatch, guard):
    module, name, broken, case, faults = GUARDS[guard]
    sound = audit.view_faults(case, (), 0)
    assert not outside_view.find_differences(sound, audit.view_faults(case, faults, 0))
    monkeypatch.setattr(module, name, broken)
    with np.errstate(all="ignore"):
        assert outside_view.find_differences(sound, audit.view_faults(case, faults, 0)), (
            "an audit that sees nothing proves nothing"
        )
