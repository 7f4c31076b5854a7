"""Compare published statements with the ledger: each must stand in it, with the very files that were published.

A ledger that was wound back, or begun anew, has lost the line whose digest a statement carries. A statement that was
changed is not the one that the ledger recorded.
"""

import json
from pathlib import Path

from shapedp.releases.publishing import STATEMENT


def statements(release_root):
    """{statement.json: its content} of all shown releases."""
    paths = sorted(Path(release_root).glob(f"*/*/{STATEMENT}"))
    return {path: json.loads(path.read_text(encoding="utf-8")) for path in paths}


def check(ledger, population, stated):
    """[(path, what is wrong, or "")] of the statements of a population.

    stated : {path of a statement.json: its content}
    """
    own = {path: one for path, one in stated.items() if one["budget"]["population"] == population}
    with ledger.reading(population) as book:
        intents = {intent["digest"]: intent for intent in book.intents()}
        return [(path, _fault(book, intents.get(one["budget"]["ledger_head"]), path)) for path, one in own.items()]


def _fault(book, intent, path):
    if intent is None:
        return "not in the ledger: it was wound back, begun anew, or is not the one this release was made with"
    commit = book.committed(intent)
    if commit is None:
        return "begun in the ledger and never finished there"
    changed = [name for name, digest in commit["files"].items() if book.digest_of(path.parent / name) != digest]
    return f"not as recorded: {', '.join(changed)}" if changed else ""
