"""Files packed by gzip."""

import zlib

from shapedp.errors import Rejected
from shapedp.scans.limits import MAX_BYTES

GZIP = b"\x1f\x8b"


def opened(data, limit=MAX_BYTES):
    """The bytes that a gzip file packs, which may be at most `limit`; other bytes as they are."""
    if not data.startswith(GZIP):
        return data
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        found = unpacker.decompress(data, limit + 1)
    except zlib.error as error:
        raise Rejected("unreadable_file", f"the packed file is damaged ({error}): export or copy it again") from None
    if len(found) > limit:
        raise Rejected("too_large", f"unpacks to more than {limit} bytes: thin the scan out and save it again")
    if not unpacker.eof:
        raise Rejected("truncated", "the packed file is cut off: export or copy it again")
    return found
