"""What a statement tells of its population's ledger: the cap and how it came about, what was declared, and the head.

The head is the digest of the line that recorded this release. Whoever keeps the statement can show later that the
ledger has lost it or was wound back.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise

from shapedp.releases import linked_lines, spending


@dataclass(frozen=True)
class Recorded:
    """Of a ledger: the cap, the earlier caps and the populations declared different (as JSON), day and head."""

    cap: spending.Cap = spending.UNCAPPED
    raised: tuple = ()
    different: tuple = ()
    date: str = "2000-01-01"
    head: str = linked_lines.START


def before(book, cap):
    """As the statement would be now; `cap` is recorded with the first release."""
    today = datetime.now(UTC).date().isoformat()
    return Recorded(book.cap() or cap, _raised(book), _different(book), today)


def after(book, intent):
    """As it stands once the intent is written."""
    return Recorded(book.cap(), _raised(book), _different(book), intent["time"][:10], intent["digest"])


def _raised(book):
    """Each time the cap was raised: from what, to what, when and why."""
    caps = book.events("cap")
    return tuple(
        {"from": old["cap"], "to": new["cap"], "date": new["time"][:10], "reason": new["reason"]}
        for old, new in pairwise(caps)
    )


def _different(book):
    return tuple(
        {"population": event["other"], "date": event["time"][:10], "reason": event["reason"]}
        for event in book.events("different")
    )


UNRECORDED = Recorded()
