"""How much one file may ask for. Together they keep a hostile file under 2 GB of memory and 30 s."""

from shapedp.errors import Rejected

MAX_BYTES = 256 * 2**20  # of a file, or of what a compressed file unpacks to
MAX_POINTS = 6_000_000
MAX_TRIANGLES = 6_000_000
MAX_LINES = 30_000_000
MAX_NUMBERS = 40_000_000  # in a text file: 6 million points with 6 columns
MAX_WALKED = 12_000_000  # values that must be read one by one, because lists of unequal length stand between them
MIN_POINTS = 4  # fewer have no depth
BLOCK = 2 * 2**20  # bytes of text split into Python objects at a time


def check_count(what, claimed, limit):
    """Refuse more than `limit` of something, before any of it is stored."""
    if claimed > limit:
        raise Rejected("too_large", f"{claimed} {what}, more than {limit}: thin the scan out and save it again")


def check_room(what, claimed, smallest, left):
    """Refuse a header that claims more records of `smallest` bytes each than the `left` bytes can hold."""
    if claimed * smallest > left:
        raise Rejected(
            "truncated",
            f"the header claims {claimed} {what}, at least {claimed * smallest} bytes, but {left} bytes follow: "
            "the file is cut off or its header is wrong; export or copy it again",
        )
