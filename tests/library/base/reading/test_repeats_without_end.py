"""Whatever a file repeats without end, its reader takes time and memory that grow as the file does, not as its square.

Three tenths of a megabyte are read in a third of a second of processor time; what grows as the square would take from
five seconds to hours. The limit lies between, as many times below that as it would with a megabyte, and counts the
processor's time, which nothing else on the machine adds to.
"""

import gc
import tracemalloc

import numpy as np
import pytest

from library.limits import processor_time
from shapedp import landmarks
from shapedp.base.errors import Rejected
from shapedp.base.reading import frame, plain_numbers
from shapedp.landmarks import records
from shapedp.surfaces import scans
from shapedp.surfaces.scans import meshlab, table

SIZE, SECONDS = 300_000, 2.7
REPEATED = (
    *(
        b" ",
        b"\n",
        b"\r",
        b'"',
        b',"',
        b'"1",',
        b"'\n",
        b"[",
        b"{",
        b"# ",
        b"/",
        b";",
        b"=",
        b"_",
        b"1 ",
        b"1\n",
        b"1,",
    ),
    *(b"point[", b"point [ ", b"nan(", b"f 1/1 1 1\n", b"\nDATA ", b"\nend_header ", b"element a 0\n", b"PK\x01\x02"),
    *(b'"uri": ', b"<init_from> ", b"<!DOCTYPE X3D ", b"1L ", b"LM ", b"LM=1\n", b"[rawpoints]\n", b"x,y\n"),
)
SCANS = {  # how a file begins that is read as such; "" : whatever it is taken for
    "kind": b"",
    "ply": b"ply\nformat ascii 1.0\nelement vertex 9\nproperty float x\nend_header\n",
    "obj": b"v 0 0 0\n",
    "stl": b"solid\nfacet\n",
    "off": b"OFF\n9 9 0\n",
    "table": b"x,y,z\n1,2,3\n1,2,",
    "npy": b"\x93NUMPY\x01\x00\x20\x00",
    "npz": b"PK\x03\x04",
    "pcd": b"VERSION .7\nFIELDS x y z\n",
    "vrml1": b"#VRML V1.0 ascii\n",
}
LANDMARKS = {
    ".tps": b"LM=2\n1 2\n",
    ".nts": b"1 2 4 0 DIM=2\n",
    ".dta": b"1 2 4 1 ",
    ".txt": b"[individuals]\n1\n[landmarks]\n3\n[dimensions]\n2\n[rawpoints]\n",
    ".csv": b"id,x1,y1,x2,y2\na,",
    ".tsv": b"",
    ".xlsx": b"id\tx1\ty1\tx2\ty2\na\t",  # the lines that a workbook becomes
    ".json": b'{"markups": [{"controlPoints": ',
    ".fcsv": b"# columns = id,x,y,z,label\n",
    ".pts": b"Version 1.0\n5\n",
}


@pytest.fixture(autouse=True, scope="module")
def without_what_others_left():
    """Keep what earlier tests left in this process from being looked through, again and again, in a reader's time."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def refused_or_read(function, *given):
    """Whatever a file is, it is read or refused."""
    try:
        function(*given)
    except (Rejected, ValueError, IndexError, KeyError, TypeError, OverflowError):
        return  # some are found by the chain alone, which makes a refusal of them: here time counts


def files_of(beginning):
    for one in REPEATED:
        yield one, beginning + one * (SIZE // len(one)) + b"q\n1 2 3\n"


def read_of(name):
    """What reads a scan's bytes of this kind; where none is named, what finds out which it is."""
    return (lambda data: scans.kind(data, ".xyz")) if name == "kind" else scans.PARSERS[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", SCANS)
def test_a_scan_of_repeats_is_read_in_a_time_that_grows_as_it_does(name):
    for one, data in files_of(SCANS[name]):
        with processor_time(SECONDS):
            try:
                refused_or_read(read_of(name), data)
            except TimeoutError as error:
                raise AssertionError(f"{name} of many {one!r}: {error}") from None


@pytest.mark.slow
@pytest.mark.parametrize("ending", LANDMARKS)
def test_landmarks_of_repeats_are_read_in_a_time_that_grows_as_they_do(ending):
    for one, data in files_of(LANDMARKS[ending]):
        with processor_time(SECONDS):
            try:
                layout = records.Layout(5, 2)
                refused_or_read(lambda: landmarks.TEXTS[ending](frame.split_lines(data), "a", layout, 1))  # noqa: B023
            except TimeoutError as error:
                raise AssertionError(f"{ending} of many {one!r}: {error}") from None


def test_every_parser_of_text_is_tried():
    others = {
        "mat",
        "glb",
        "gltf",
        "wrl",
        "x3d",
        "dae",
        "3ds",
    }  # numbers alone; what MeshLab reads, under its own limits
    assert set(SCANS) - {"kind"} == set(scans.PARSERS) - others
    assert set(LANDMARKS) == set(landmarks.TEXTS)


@pytest.mark.slow
@pytest.mark.parametrize("names", [["path", "person", "age", "note"], ["path", "age", "note", "person"]])
def test_a_row_of_repeats_is_cut_in_a_time_that_grows_as_it_does(names):
    columns = frame.Columns(names, ",")
    for one in REPEATED:
        own = (one * (SIZE // len(one))).decode("latin-1").replace("\n", " ")
        for text in (f"f.ply,{own},p", f'f.ply,{own}"', f'f.ply,"{own}", p'):
            with processor_time(SECONDS):
                columns.row(2, text)


def test_references_to_other_files_are_looked_for_in_a_time_that_grows_as_the_file_does():
    for one in REPEATED:
        with processor_time(SECONDS):
            meshlab.ELSEWHERE.search(one * (SIZE // len(one)))


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"point [ 1 2 3, 4 5 6 ]", b" 1 2 3, 4 5 6 "),
        (b"points [ 7 ] Xpoint [ 8 ] point\n\t[ 1 ] point [ 2 ]", b" 1 "),
        (b"point { } point [ 1 point [ 2 ]", b" 1 point [ 2 "),
        (b"] point [ 1", None),
        (b"coord", None),
    ],
)
def test_what_stands_in_the_first_brackets_is_found(data, found):
    assert scans.ply._find_bracketed(data, b"point") == found


@pytest.mark.parametrize(
    ("text", "rest", "cell"),
    [
        ('a,"b"', "a", "b"),
        ('a,"b,""c"""', "a", 'b,"c"'),
        ('a,""', "a", ""),
        ('"b"', None, "b"),
        ('a,b"c","d', 'a,b"c"', '"d'),
        ('a,b""', "a", 'b""'),
        ('a,"b"c"', "a", '"b"c"'),
        ('a,"""b"', "a", '"b'),
        ('a,""b"', "a", '""b"'),
        ('a,"b" ', "a", "b"),
        ('a,"b,"c"', 'a,"b', "c"),
    ],
)
def test_the_last_cell_is_the_shortest_that_can_be_one(text, rest, cell):
    assert frame._split_last(text, ",") == (rest, cell)


def test_blanks_about_a_missing_cell_are_none_of_it():
    points, _, _ = table.parse(b"x;y;z\n1,5;2;3\n1;  NA\t;3\n;-;4\n1;2;5\n")
    assert np.isnan(points).tolist() == [[False] * 3, [False, True, False], [True, True, False], [False] * 3]


def test_a_header_behind_a_comment_mark_is_one():
    for mark in (b"# ", b"  // ", b"%"):
        points, _, _ = table.parse(mark + b"z y x\n1 2 3\n4 5 6\n")
        assert points.tolist() == [[3, 2, 1], [6, 5, 4]]


def test_one_wide_line_before_many_empty_ones_takes_no_room_for_their_product():
    assert plain_numbers.parse_rows(b"1 " * 300_000 + b"\n" * 300_000).shape == (1, 300_000)
    assert plain_numbers.parse_rows(b"v 1 1\n" + b"v \n" * 300_000 + b"v" + b" 1" * 300_000, skipped=1) is None
    assert plain_numbers.parse_rows(b"1 2\n3 4").tolist() == [[1, 2], [3, 4]]
    assert plain_numbers.parse_rows(b"1;2\n3;4\n5", b";") is None


def test_a_beginning_of_blanks_is_not_kept_to_be_given_back():
    data = b" " * SIZE + b"#\n" * SIZE
    tracemalloc.start()
    assert scans.ply.PCD.match(data) is None
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < SIZE
    assert scans.ply.PCD.match(b"# .PCD v.7\n \nVERSION .7\n")


MANY = 9000  # whose square is more than `records.MOST_CELLS`


@pytest.mark.parametrize(
    ("ending", "data"),
    [
        (".nts", b"1 %d %d 0 DIM=2\n" % (MANY, MANY) + b"1\n" * MANY),
        (".txt", b"[individuals]\n%d\n[landmarks]\n%d\n[dimensions]\n2\n[rawpoints]\n" % (MANY, MANY) + b"1\n" * MANY),
        (".csv", b"id" + b",a" * MANY + b"\n" + b"1\n" * MANY),
        (".fcsv", b"# columns = x,y,z,label" + b",a" * MANY + b"\n" + b"1,1,1\n" * MANY),
    ],
)
def test_rows_too_short_for_their_header_are_not_filled_up_without_end(ending, data):
    assert MANY**2 > records.MOST_CELLS
    with pytest.raises(Rejected, match="which no file holds"):
        landmarks.TEXTS[ending](frame.split_lines(data), "a", records.Layout(5, 2), 1)
