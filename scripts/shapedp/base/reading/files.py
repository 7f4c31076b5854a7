"""What a stranger's file may ask for: bounded bytes, unpacked bytes, and text in blocks of lines small enough to split.

The limits together keep a hostile file under 2 GB of memory and 30 s of processor time; `surfaces/scans/limits.py` has
what jobs ask for, and the bench `privacy` measures it.
"""

import codecs
import re
import stat
import zlib
from contextlib import contextmanager

import numpy as np

from shapedp.base.errors import Rejected, StorageError
from shapedp.base.storage import files

MAX_BYTES = 256 * 2**20  # of a file, or of what a compressed file unpacks to
MAX_POINTS = 6_000_000
MAX_TRIANGLES = 6_000_000
MAX_LINES = 30_000_000
MAX_NUMBERS = 40_000_000  # in a text file: 6 million points with 6 columns
MAX_WALKED = 12_000_000  # values that must be read one by one, because lists of unequal length stand between them
MIN_POINTS = 4  # fewer have no depth
BLOCK = 2 * 2**20  # bytes of text split into Python objects at a time


def check_count(what, claimed, limit):
    """Refuse a stranger's file that holds or claims more than `limit` of something, before memory is taken for it.

    Parameters
    ----------
    what : str
        What is counted, in the plural.
    claimed : int
        How many a file holds, or says that it holds.
    limit : int
        The most that are read.
    """
    if claimed > limit:
        raise Rejected("too_large", f"{claimed} {what}, more than {limit}: thin the scan out and save it again")


def check_room(what, claimed, smallest, left):
    """Refuse a file whose header claims more records than the bytes after it can hold, before memory is taken for them.

    Parameters
    ----------
    what : str
        What is counted, in the plural.
    claimed : int
        How many the header says there are.
    smallest : int
        Bytes of the smallest record.
    left : int
        Bytes that follow the header.
    """
    if claimed * smallest > left:
        raise Rejected(
            "truncated",
            f"the header claims {claimed} {what}, at least {claimed * smallest} bytes, but {left} bytes follow: "
            "the file is cut off or its header is wrong; export or copy it again",
        )


def read_contents(path):
    """Return the bytes of a scan's file; a device, a folder or a file beyond the limit is refused."""
    with open_regular(path) as size:
        if size > MAX_BYTES:
            raise Rejected("too_large", f"{size} bytes, more than {MAX_BYTES}: thin it out or split it")
        with path.open("rb") as file:
            # Python reserves what is asked for: the size that was checked, not what the file grew to since.
            return file.read(size)


@contextmanager
def open_regular(path):
    """Yield the size of a regular file while it is read; errors of reading it become a Rejected of this file.

    A failing machine is not the file's fault and passes through.
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise Rejected("missing_file", "not a file but a folder or device: give the path of a scan")
        yield status.st_size
    except FileNotFoundError:
        raise Rejected("missing_file", "there is no such file: check the path in the sample sheet") from None
    except (OSError, ValueError) as error:
        if getattr(error, "errno", None) in files.FAILING:
            raise StorageError(f"{path}: cannot be read: {error}; {files.AGAIN}") from error
        words = f"cannot be opened ({error.__class__.__name__}): check its permissions"
        raise Rejected("unreadable_file", words) from None


GZIP = b"\x1f\x8b"


def unpack_gzip(data):
    """Return the bytes that a gzip file packs, MAX_BYTES at most, so that no file unpacks without end; other bytes as
    they are.
    """
    if not data.startswith(GZIP):
        return data
    # 16 asks zlib for the header of gzip.
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        # One byte more than is allowed shows that there is more, and no more than that is ever unpacked.
        plain = unpacker.decompress(data, MAX_BYTES + 1)
    except zlib.error as error:
        raise Rejected("unreadable_file", f"the packed file is damaged ({error}): export or copy it again") from None
    if len(plain) > MAX_BYTES:
        raise Rejected("too_large", f"unpacks to more than {MAX_BYTES} bytes: thin the scan out and save it again")
    if not unpacker.eof:
        raise Rejected("truncated", "the packed file is cut off: export or copy it again")
    return plain


MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
# How C libraries print numbers that are none.
NOT_A_NUMBER = re.compile(rb"[-+]?(?:nan\([^)\s]*\)|1\.#\w+)", re.IGNORECASE)


def remove_mark(data):
    """Return a text file's bytes as plain UTF-8: without a byte order mark, and turned from UTF-16 where they are
    that.
    """
    mark, encoding = next((known_mark for known_mark in MARKS if data.startswith(known_mark[0])), (b"", "utf-8"))
    even, odd = data[:512:2], data[1:512:2]
    if not mark and len(data) >= 8 and any(even) != any(odd):
        encoding = "utf-16-le" if all(even) else "utf-16-be" if all(odd) else encoding
    data = data[len(mark) :]
    return data if encoding == "utf-8" else data.decode(encoding, errors="replace").encode("utf-8")


CONTROL = bytes((*range(0x09), *range(0x0E, 0x1C)))


def is_text(data):
    """Return whether the beginning holds no control characters but white space."""
    head = data[:65536]
    return len(head.translate(None, CONTROL)) == len(head)


def normalise_line_ends(data):
    """Return the bytes with a line feed for every kind of line end."""
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in data else data


def split_blocks(data):
    """Yield a text in pieces of about BLOCK bytes, so that a file of any size is parsed in little memory.

    They are cut at line ends, which become line feeds.
    """
    data = normalise_line_ends(data)
    check_count("lines", data.count(b"\n"), MAX_LINES)
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + BLOCK)
        end = len(data) if end < 0 else end + 1
        check_count("bytes in one line", end - start - BLOCK, BLOCK)
        yield data[start:end]
        start = end


def parse_numbers(data):
    """Return all white-space separated numbers of a scan's text, (m,) float64; what is no number is refused.

    Numpy.fromstring would read "1.5.5" as two of them.
    """
    parts, total = [], 0
    for block in split_blocks(data):
        parts.append(parse_floats(block.split()))
        total += len(parts[-1])
        check_count("numbers", total, MAX_NUMBERS)
    return np.concatenate(parts) if parts else np.empty(0)


def split_columns(lines):
    """Return the tokens of lines column by column, in little memory; None where lines have different numbers of
    tokens.
    """
    width = len(lines[0].split()) if lines else 0
    tokens = b" | ".join(lines).split()
    if len(tokens) != len(lines) * (width + 1) - 1 or tokens[width :: width + 1] != [b"|"] * (len(lines) - 1):
        return None
    return [tokens[column :: width + 1] for column in range(width)]


def parse_floats(tokens):
    """Return tokens (bytes) of a scan's text as float64; what is no number is refused.

    So are underscores, which Python would allow.
    """
    if b"_" in b"".join(tokens):
        raise make_not_numeric(next(token for token in tokens if b"_" in token))
    try:
        return np.fromiter(map(float, tokens), np.float64, len(tokens))
    except ValueError:
        return np.fromiter(map(_parse_float, tokens), np.float64, len(tokens))


def _parse_float(token):
    """Return one token as a float; what C writes for NaN, as `nan(ind)`, counts as NaN; raise Rejected for others."""
    try:
        return np.nan if NOT_A_NUMBER.fullmatch(token) else float(token)
    except ValueError:
        raise make_not_numeric(token) from None


def parse_columns(columns):
    """Return lists of tokens, all as long, as the columns (n, k) of a float64 array."""
    return np.column_stack([parse_floats(column) for column in columns])


def make_not_numeric(token):
    """Return the refusal of a token that should have been a number."""
    shown = token[:24].decode("utf-8", errors="replace")
    return Rejected("not_numeric", f"{shown!r} stands where a number should: export the coordinates as plain numbers")
