"""The public frame of a file: its lines, its header, and the cells that say which record is whose.

Whether a release exists, and what is said in public about it, may depend on the frame and on nothing that stands in a
record. So the frame is found first, by rules that no record's bytes can bend: a line ends at a line feed, with or
without a carriage return before it, and at nothing else; an empty line is no row; quotes close within their line. In a
table the cells of the frame stand at the left end of a row, at its right end, or at both, and the record's bytes are
what lies between: whatever they are, commas and quotes included, they move no other cell. A record that cannot be read
keeps its row and has no values; that is told to the operator, and to nobody else.

Cells of the frame are public: id, path, person, time, pair and use. Whoever changes one changes the frame. The column
`group` belongs to a record, unless settings say that its members are public: then nothing else of the record may move
it, so it stands next to the frame. A column whose name is nearly one that says whose, which or when is refused, since
what it says would go unread: scans of one person would each count as a person.
"""

import errno
import io
import os
import re
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from pathlib import Path

from shapedp.base.errors import ConfigError, Rejected
from shapedp.base.reading import workbook
from shapedp.base.reading.files import open_regular

TIMES = ("time", "pair")  # columns that say which of a person's records this is; the first one found counts
PERSONS = ("person", "individual", "animal", "subject")  # words for whose a record is; scans take the first alone
USE, GROUP = "use", "group"
FRAME_COLUMNS = ("id", "path", "person", *TIMES, USE)
NOT_USED = ("no", "n", "false", "0")  # a cell of the column `use` that says anything else counts as yes
LEFT_OUT = "the sample sheet leaves it out (use: no)"
LONG_WORD = 5  # letters of a word that a wrong one leaves to be known; fewer make size and site a side
LABEL = "id|ids|nr|no|number|name|code|key"  # beside a word, as in person_id, it says the same
WHITE = " \t\r\v\f"  # blanks about a line of a frame: no others make a record's line one
LONGEST_CELL = 200  # characters
MARK_8 = b"\xef\xbb\xbf"
MARKS_16 = (b"\xff\xfe", b"\xfe\xff")  # of UTF-16, which Excel calls Unicode text
UNREADABLE = "\ufffd"  # what stands for bytes that are no text
LONGEST_LINE = 1 << 22  # characters at either end of a line that are kept
# Characters of a record of several lines that are kept: as Python objects they take 200 times that.
LONGEST_RECORD = 1 << 21
MOST_RECORDS = 1 << 20
MOST_BYTES = 4 << 30  # of a file that holds several records, holes left out: six seconds of reading
MOST_KEPT = 1 << 28  # characters of its lines, of each as many as are kept: one long record is few of them
LONGEST_LETTER = 4  # bytes
WHOLE = re.compile(r"(?!)")  # no line begins a record: the whole file is one


def split_lines(data: bytes) -> list[tuple[int, str]]:
    """Return (number, text) of each line that is not empty; bytes that are no text become a mark where they stand."""
    return _read_lines(io.BytesIO(data), "")


def read_lines(
    path: Path, begins: re.Pattern | None = None, framing: re.Pattern | None = None
) -> list[tuple[int, str]]:
    """Return (number, text) of the lines of a file, however much stands in one record, so that none decides about the
    others.

    Of a line that is too long both ends are kept, with a mark between them that no cell may hold.

    Parameters
    ----------
    path : Path
        A text file, or an Excel workbook.
    begins : pattern
        A line that begins a record of several lines, where not every line is one. Only so many characters of such a
        record are kept, and of the rest the last line of the frame of each kind.
    framing : pattern
        A line of the frame within a record; its first group is the kind.
    """
    if path.suffix.lower() == workbook.ENDING:
        return workbook.read_lines(path)
    with open_regular(path) as size, path.open("rb") as file:
        if begins is WHOLE and size > LONGEST_LETTER * LONGEST_RECORD + len(MARK_8):
            raise Rejected("too_large", f"{path.name}: holds too many characters; split it")
        return _read_lines(file, f"{path.name}: ", begins, framing)


class _WithoutHoles(io.RawIOBase):
    """A file from where it stands, each hole of a sparse one as long as two lines are kept: what a line holds of it,
    and whether its middle was dropped, is the same, but terabytes that lie on no disk are not read. Those that do are
    refused; where : the file's name, for the refusal.
    """

    def __init__(self, file, where):
        self._number, self._zeros, self._where, self._left = file.fileno(), 0, where, MOST_BYTES
        os.lseek(self._number, file.tell(), os.SEEK_SET)

    def readable(self):
        """Return that the file can be read, which `io.BufferedReader` asks."""
        return True

    def readinto(self, buffer):
        """Fill the buffer from a file whose holes are shortened and return how many bytes; refuse more than MOST_BYTES.

        It is what `io.RawIOBase` asks of a file.
        """
        count = self._read_into(buffer)
        self._left -= count
        if self._left < 0:
            raise _make_too_large(self._where, f"{MOST_BYTES} bytes")
        return count

    def _read_into(self, buffer):
        """Fill the buffer with what follows, the zeros of a shortened hole or data, and return how many bytes.

        A hole costs its maker nothing, and read in full would cost the reader hours.
        """
        if not self._zeros:
            start = os.lseek(self._number, 0, os.SEEK_CUR)
            hole, shortest = self._data_after(start) - start, 2 * LONGEST_LETTER * LONGEST_LINE
            # UTF-16 goes by twos, so that a hole keeps its parity.
            self._zeros = shortest + hole % 2 if hole > shortest else 0
            os.lseek(self._number, start + (hole if self._zeros else 0), os.SEEK_SET)
        if not self._zeros:
            return os.readv(self._number, [buffer])
        count = min(len(buffer), self._zeros)
        buffer[:count] = bytes(count)
        self._zeros -= count
        return count

    def _data_after(self, start):
        """Return where the hole at the byte `start` of a sparse file ends and data begins: `start` itself where no hole
        is known.
        """
        if not hasattr(os, "SEEK_DATA"):
            return start
        try:
            return os.lseek(self._number, start, os.SEEK_DATA)
        except OSError as error:
            # No data follows: the rest of the file is a hole.
            if error.errno == errno.ENXIO:
                return max(os.fstat(self._number).st_size, start)
            # The file system does not say where its holes are.
            if error.errno == errno.EINVAL:
                return start
            raise


def _read_lines(file, where, begins=None, framing=None):
    """Return (number, text) of an open file's lines for `read_lines`, so that no record decides about the others."""
    mark = file.read(3)
    # The mark is no part of the first cell.
    file.seek(3 if mark == MARK_8 else 0)
    encoding = "utf-16" if mark[:2] in MARKS_16 else "utf-8"
    lines_kept, last_frame_lines, records, room, is_within, characters = [], {}, 0, LONGEST_RECORD, begins is WHOLE, 0
    if not isinstance(file, io.BytesIO):
        file = io.BufferedReader(_WithoutHoles(file, where))
    # A line ends at a line feed and at nothing else, and bytes that are no text become a mark where they stand: no
    # record's bytes make a row or end the reading.
    with io.TextIOWrapper(file, encoding, errors="replace", newline="\n") as text:
        for number, whole_line in enumerate(iter(lambda: _read_line(text), ""), start=1):
            line = whole_line.removesuffix("\n").removesuffix("\r")
            is_begun = bool(begins and begins.match(line))
            if is_within and not is_begun:
                room -= len(whole_line)
            # A record of one line, or the first line of several.
            else:
                lines_kept += last_frame_lines.values()
                last_frame_lines, records, room, is_within = {}, records + 1, LONGEST_RECORD, is_begun
            if records > MOST_RECORDS or (begins is WHOLE and room < 0):
                raise Rejected("too_large", f"{where}holds too many {'characters' if is_within else 'rows'}; split it")
            if line and room >= 0:
                lines_kept.append((number, line))
                characters += len(line)
                if characters > MOST_KEPT:
                    raise _make_too_large(where, f"{MOST_KEPT} characters")
            elif framing and (kind := framing.match(line)):
                last_frame_lines[kind[1].upper()] = number, line
    return [*lines_kept, *last_frame_lines.values()]


def _make_too_large(where, most):
    """Return the refusal of a file that holds too much."""
    return Rejected("too_large", f"{where}holds more than {most}; split it, or give each record a file of its own")


def _read_line(text):
    """Return the next line without the middle of one that is too long, so that no record fills the memory.

    No more than LONGEST_LINE characters are kept at either end.
    """
    first, last = text.readline(LONGEST_LINE), ""
    dropped, piece = "", first
    while len(piece) == LONGEST_LINE and piece[-1] != "\n":
        piece = text.readline(LONGEST_LINE)
        dropped = UNREADABLE if len(last) + len(piece) > LONGEST_LINE else dropped
        last = (last + piece)[-LONGEST_LINE:]
    return first + dropped + last


def has_header(rows: int, records: int) -> bool:
    """Return whether a table has a header, from public numbers alone: with as many rows as records it has none.

    What the first row holds must not decide it, for it may be a person's record.

    Parameters
    ----------
    rows : int
        Of the table.
    records : int
        That it is about.
    """
    return rows != records


@dataclass(frozen=True)
class Row:
    """A line of a table: {column: cell} of the frame, and of the record, whose cells are empty where they cannot be
    read, all without blanks about them; fault : why some or all of the record's are not read, or ""
    """

    number: int
    frame: dict
    own: dict
    fault: str = ""


def refuse_misnamed(sheet: str, names: list[str], known_names: tuple[str, ...]) -> None:
    """Refuse a header with a column that is nearly one of those that its reader takes, which would be passed over in
    silence.

    So is another word for whose a record is, unless the right column is there, too.

    Parameters
    ----------
    sheet : str
        Its name, for the message.
    names : list of str
        Of all its columns.
    known_names : tuple of str
        Those that the reader takes.
    """
    if hidden_names := [name for name in names if not name.isprintable()]:
        raise ConfigError(f"{sheet}: the column {hidden_names[0][:80]!r} holds invisible characters; rename it")
    other_words = ((word,) for word in known_names if word not in (*PERSONS, *TIMES))
    for meaning in (PERSONS, TIMES, *other_words):
        known = [word for word in meaning if word in known_names]
        if set(known) & set(names):
            continue
        for name in names:
            if name not in known_names and (
                meant_words := [word for word in meaning if _is_nearly(name.lower(), word)]
            ):
                right_name = meant_words[0] if meant_words[0] in known else known[0]
                raise ConfigError(
                    f"{sheet}: unknown column {name[:80]!r}; did you mean '{right_name}'? If so, rename it; if "
                    f"it is a column of your own, give it a name that is less like '{right_name}'"
                )


def _is_nearly(name, word):
    """Return whether a column's lower-case name is a slip for a word that its reader takes, which is then refused.

    It is one but for signs, its number, a label such as id, or a letter of a long word.
    """
    plain_name, plain_word = (re.sub(r"[\W_]+", "", rest_of_name) for rest_of_name in (name, word))
    if re.fullmatch(rf"({LABEL})?{plain_word}[sd]?({LABEL})?", plain_name):
        return True
    same_letters = sum(1 for _ in takewhile(lambda two: two[0] == two[1], zip(name, word, strict=False)))
    rest_of_name, rest_of_word = name[same_letters:], word[same_letters:]
    is_swapped = rest_of_name[:2] == rest_of_word[1::-1] and rest_of_name[2:] == rest_of_word[2:]
    return len(word) >= LONG_WORD and (
        is_swapped or rest_of_name[1:] in (rest_of_word, rest_of_word[1:]) or rest_of_name == rest_of_word[1:]
    )


class Columns:
    """How the rows of a table are cut, by its header alone."""

    def __init__(self, names, delimiter, framing=FRAME_COLUMNS):
        """names : of the columns; framing : which of them, if they are there, belong to the frame"""
        self.names, self.delimiter = list(names), delimiter
        is_framed = [name in framing for name in self.names]
        self.left = is_framed.index(False) if False in is_framed else len(is_framed)
        self.right = is_framed[::-1].index(False) if False in is_framed else 0
        self.own = self.names[self.left : len(self.names) - self.right]
        self.enclosed = [name for name in self.own if name in framing]
        possible_cuts = ((_split_first, 0), (_split_last, -1)) if len(self.own) > 1 else ()
        # Cuts the group off the others.
        self.cut_group = next((cut for cut, at in possible_cuts if self.own[at] == GROUP), None)

    @property
    def has_movable_group(self):
        """Return whether other cells of a record may move the one that says its group, so that it is not read."""
        return GROUP in self.own and len(self.own) > 1 and not self.cut_group

    def row(self, number, text):
        """Return the Row of a line: the frame's cells (ids, paths) read whatever the record's own hold, or None where
        they are not there.
        """
        frame, rest, last = {}, text, len(self.names) - self.right
        for name in (*self.names[: self.left], *reversed(self.names[last:])):
            if rest is None:
                return None
            if len(frame) < self.left:
                frame[name], rest = _split_first(rest, self.delimiter)
            else:
                rest, frame[name] = _split_last(rest, self.delimiter)
        if rest is None or not self.cut_group:
            return Row(number, _strip_cells(frame), *_blank_hidden(*self._own(rest, self.own)))
        first_part, last_part = self.cut_group(rest, self.delimiter)
        group, rest = (first_part, last_part) if self.cut_group is _split_first else (last_part, first_part)
        record_cells, fault = self._own(rest, [name for name in self.own if name != GROUP])
        if group.lstrip().startswith('"'):
            group, fault = "", fault or "has a quotation mark that does not close"
        return Row(number, _strip_cells(frame), *_blank_hidden({GROUP: group} | record_cells, fault))

    def _own(self, record_text, names):
        """Return ({column: cell}, fault) of the part of a row that its person fills, so that a fault there harms this
        record alone.

        record_text : the bytes that hold these columns; None where not even they are there
        """
        empty_cells = dict.fromkeys(names, "")
        if record_text is None:
            return (empty_cells, f"has fewer cells than the {len(self.names)} columns") if names else ({}, "")
        texts = split_cells(record_text, self.delimiter)
        if texts is None:
            return empty_cells, "has a quotation mark that does not close"
        if len(texts) != len(names):
            comparison = "more" if len(texts) > len(names) else "fewer"
            return empty_cells, f"has {comparison} cells than the {len(self.names)} columns"
        return dict(zip(names, texts, strict=True)), ""


def _strip_cells(cells):
    """Return {column: cell} without the spaces about the cells, which nobody sees; other signs that do not show are
    kept.
    """
    return {name: cell.strip(" ") for name, cell in cells.items()}


def _blank_hidden(record_cells, fault):
    """Return a record's cells with "" in place of those that could not be shown to anybody, and the fault that this is.

    They are ({column: cell}, fault), without blanks about the cells. Such a cell is too long, or holds characters that
    do not show.
    """
    record_cells = _strip_cells(record_cells)
    hidden = [name for name, cell in record_cells.items() if not is_showable(cell)]
    words = f"has a cell of more than {LONGEST_CELL} characters, or with characters that do not show, in "
    fault = fault or (words + ", ".join(str(name)[:40] for name in hidden) if hidden else "")
    return record_cells | dict.fromkeys(hidden, ""), fault


def find_time(cells):
    """Return what the column `time` (or `pair`) says of a record, by its cells; "" without one."""
    return next((cells[name] for name in TIMES if name in cells), "")


def is_used(cells):
    """Return whether the column `use` keeps a record, by its cells; True without one."""
    return cells.get(USE, "").strip().lower() not in NOT_USED


def is_showable(text):
    """Return whether a cell can be printed as it is: short, without marks that control, turn or hide text."""
    return len(text) <= LONGEST_CELL and text.isprintable() and UNREADABLE not in text


def split_cells(text, delimiter):
    """Return the cells of a piece of a line, quotation marks honoured, or None where one does not close within it.

    Parameters
    ----------
    text : str
        The piece.
    delimiter : str
        The sign between two cells.
    """
    if '"' not in text:
        return text.split(delimiter)
    texts, at, pattern = [], 0, _compile_cell(delimiter)
    while at <= len(text):
        match = pattern.match(text, at)
        if match["quoted"] is None and match["plain"].lstrip().startswith('"'):
            return None
        texts.append(_unquote(match))
        at = match.end() + 1
    return texts


@cache
def _compile_cell(delimiter):
    """Return a cell at the beginning of a text, quoted (quotes doubled within) or plain."""
    sign = re.escape(delimiter)
    return re.compile(rf' *"(?P<quoted>(?:[^"]|"")*+)" *(?={sign}|$)|(?P<plain>[^{sign}]*)')


def _unquote(match):
    """Return a cell's text without its quotes."""
    quoted = match["quoted"]
    return match["plain"] if quoted is None else quoted.replace('""', '"')


def _split_first(text, delimiter):
    """Return (the first cell, the text behind its delimiter or None); a quote that stays open is a plain character."""
    match = _compile_cell(delimiter).match(text)
    return _unquote(match), text[match.end() + 1 :] if match.end() < len(text) else None


def _split_last(text, delimiter):
    """Return (the text before the last cell, that cell): the frame's own last column is found whatever a record holds
    before it.

    The text is None where no delimiter is left. Of the cells that may be the last it is the shortest.
    """
    stripped = text.rstrip()
    at = _find_opening(stripped) if stripped.endswith('"') else -1
    if at == 0 or (at > 0 and stripped[at - 1] == delimiter):
        return stripped[: at - 1] if at else None, stripped[at + 1 : -1].replace('""', '"')
    rest, delimiter_met, cell = text.rpartition(delimiter)
    return rest if delimiter_met else None, cell


def _find_opening(text):
    """Return where a quoted last cell of a row begins: at the mark that the last quotation mark closes; -1 without one.

    Each mark between the two is doubled. Of the marks in a row, from the end on, all are doubled but the one that
    closes and, the first in its row, the one that opens: the last row is even where it holds both, and the first odd
    one before it opens.
    """
    at, closes = len(text), True
    while (end := text.rfind('"', 0, at) + 1) > 0:
        at = end - 1
        while at > 0 and text[at - 1] == '"':
            at -= 1
        if (end - at) % 2 != closes:
            return at
        closes = False
    return -1
