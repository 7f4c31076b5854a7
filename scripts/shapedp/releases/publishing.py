"""The transaction that makes a release: recorded before it is drawn, stored before it is shown, never drawn twice.

    1  the same request was released before: return the stored bytes; nothing is drawn, nothing spent
    2  refuse what the cap, the facts or the schema of the statement do not allow; nothing is drawn
    3  intent: a line in the ledger, on the disk, read again from there; from here on the budget is spent
    4  draw the noise, check the files against the list of what may be published, store the copy in one rename
    5  commit: a line in the ledger with the digests of the stored files
    6  show: the folder under results/release/ is replaced in one rename, from the stored copy

All under the population's lock. After a crash, the next call finds out where it happened:

    before 3 was on the disk    nothing happened
    between 3 and the copy      the intent counts as spent. Its draw was seen by nobody and is lost; the next call is a
                                new release with an intent of its own, which adds up with the lost one
    between the copy and 5      the stored copy is the draw of that intent; the next call commits and shows it
    between 5 and 6             the next call shows the stored copy

So no draw is visible that the ledger does not hold, and no second draw can be shown as the first. An error in `draw`
counts as a crash: whether the noise was drawn cannot be known, so nothing is refunded.
"""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from shapedp.errors import ConfigError
from shapedp.mechanisms.cost import Cost
from shapedp.releases import allow_list, linked_lines, spending, statement, statement_text
from shapedp.storage import files

STATEMENT, WORDS = "statement.json", "statement.md"


@dataclass(frozen=True)
class Request:
    """A release that is asked for.

    settings : public, without seed, paths or names; inputs_digest : of everything else that decides the statistic, by
        `inputs_digest`; it stays in the ledger
    cost : what the mechanism claims; it is recorded as `none` if a condition fails
    name : the folder's name; the same statistic under another name is still the same release
    """

    population: str
    branch: str
    name: str
    settings: dict
    inputs_digest: str
    cost: Cost
    cap: spending.Cap = spending.UNCAPPED
    group: spending.Group | None = None

    def digest(self):
        """What makes two requests the same: statistic, settings, inputs, guarantee."""
        group = [self.group.name, self.group.membership] if self.group else None
        cost = [self.cost.kind, self.cost.mu, self.cost.epsilon]
        return linked_lines.digest(
            [self.population, self.branch, group, cost, self.settings, self.inputs_digest],
        )


@dataclass(frozen=True)
class Outcome:
    """Whether stored bytes were returned, and the names of the released files."""

    reused: bool
    files: tuple


def inputs_digest(digests, seed=None):
    """One digest of the digests of all input artifacts, and of the seed where there is one."""
    return linked_lines.digest([sorted(digests), seed])


def publish(ledger, request, facts, draw, output_dir):
    """Make the release, or return the stored one; see the module.

    draw : () -> {file name: bytes}, called at most once; draws the noise and nothing before it is called
    output_dir : results/release/<branch>/<name>; the folder is replaced whole
    """
    output = Path(output_dir)
    _keep_apart(ledger.folder, output)
    wanted = request.digest()
    with ledger.opened(request.population) as book:
        intent = _finished(book, wanted)
        reused = intent is not None
        if not reused:
            intent = _make(book, request, wanted, facts, draw)
        contents = book.stored(intent)
        _show(contents, output)
    return Outcome(reused, tuple(sorted(contents)))


def _finished(book, wanted):
    """The intent whose draw is stored, committed now if a crash prevented that; None if there is none."""
    same = [intent for intent in book.intents() if intent["request"] == wanted]
    for intent in same:
        if book.committed(intent):
            return intent
    for intent in same:
        if book.has_copy(intent):
            book.commit(intent)
            return intent
    return None


def _make(book, request, wanted, facts, draw):
    cost = statement.recorded_cost(request, facts)
    charges = book.charges()
    spending.refuse_overspending(book.population, request.cap, charges, cost, request.group)
    stated = statement.build(request, facts, charges)
    texts = {
        STATEMENT: (json.dumps(stated, indent=2, allow_nan=False) + "\n").encode("utf-8"),
        WORDS: statement_text.render(stated).encode("utf-8"),
    }
    intent = book.reserve(
        wanted,
        cost,
        request.group,
        branch=request.branch,
        name=request.name,
        inputs=request.inputs_digest,
        settings=request.settings,
    )
    book.check_recorded(intent)
    book.keep(intent, {**draw(), **texts}, lambda folder: allow_list.check_folder(folder, request.branch))
    book.commit(intent)
    return intent


def _show(contents, output):
    """Replace the output folder by one with these files."""
    partial, old = (output.with_name(f".{output.name}.{word}") for word in ("partial", "old"))
    for left_over in (partial, old):
        shutil.rmtree(left_over, ignore_errors=True)
    partial.mkdir(parents=True)
    for name, content in contents.items():
        linked_lines.write_synced(partial / name, content, mode=0o644)
    files.sync_folder(partial)
    if output.exists():
        output.rename(old)
    partial.rename(output)
    files.sync_folder(output.parent)
    shutil.rmtree(old, ignore_errors=True)


def _keep_apart(folder, output):
    """Refuse a ledger that cleaning the results would delete: .../results/release/<branch>/<name>."""
    results = output.resolve().parents[2]
    if folder.resolve().is_relative_to(results):
        raise ConfigError(f"privacy.ledger: '{folder}' lies inside {results.name}/; put it outside, e.g. data/ledger")
