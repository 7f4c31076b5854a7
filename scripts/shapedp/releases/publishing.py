"""The transaction that makes a release: recorded before it is drawn, stored before it is shown, never drawn twice.

    1  the same request was released before: return the stored bytes; nothing is drawn, nothing spent
    2  refuse what the cap, the facts or the schema of the statement do not allow, records that another population has,
       and a name that another release bears; nothing is drawn
    3  intent: a line in the ledger, on the disk, read again from there; from here on the budget is spent
    4  draw the noise, check the files against the list of what may be published, store the copy in one rename
    5  commit: a line in the ledger with the digests of the stored files
    6  show: the folder under results/release/ is made in one rename, from the stored copy; never of another release

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
from dataclasses import dataclass, field
from pathlib import Path

from shapedp.errors import ConfigError, RefusedRelease
from shapedp.mechanisms.cost import NONE, Cost
from shapedp.releases import allow_list, history, linked_lines, spending, statement, statement_text
from shapedp.storage import files

STATEMENT, WORDS = "statement.json", "statement.md"


@dataclass(frozen=True)
class Request:
    """A release that is asked for.

    settings : public, without seed, paths or names
    records : keyed digest of the people's records, by fingerprints.of_records; inputs_digest : of everything else that
        decides the statistic, by `inputs_digest`; both stay in the ledger
    cost : what the mechanism claims; it is recorded as `none` if a condition fails
    name : the folder's name; the same statistic under another name is still the same release
    reproduction : whether it was asked for as a release without guarantee; without that, such a one is refused
    declared : what whoever makes the release says of it, see declared.of; printed in the statement
    """

    population: str
    branch: str
    name: str
    settings: dict
    records: str
    inputs_digest: str
    cost: Cost
    cap: spending.Cap = spending.UNCAPPED
    group: spending.Group | None = None
    reproduction: bool = False
    declared: dict = field(default_factory=dict)

    def digest(self):
        """What makes two requests the same: statistic, settings, inputs, guarantee."""
        group = [self.group.name, self.group.membership] if self.group else None
        cost = [self.cost.kind, self.cost.mu, self.cost.epsilon]
        return linked_lines.digest(
            [self.population, self.branch, group, cost, self.settings, self.records, self.inputs_digest],
        )


@dataclass(frozen=True)
class Outcome:
    """Whether stored bytes were returned, and the names of the released files."""

    reused: bool
    files: tuple


def inputs_digest(digests, seed=None):
    """One digest of the keyed digests of all inputs but the records, and of the seed where there is one."""
    return linked_lines.digest([sorted(digests), seed])


def publish(ledger, request, facts, draw, output_dir, told=None):
    """Make the release, or return the stored one; see the module.

    draw : () -> {file name: bytes}, called at most once; draws the noise and nothing before it is called
    told : facts -> facts with what the draw itself tells, called after it; post-processing, so it costs nothing
    output_dir : results/release/<branch>/<name>; the folder appears whole
    """
    output = Path(output_dir)
    _keep_apart(ledger.folder, output)
    wanted = request.digest()
    with ledger.opened(request.population) as book:
        intent = _finished(book, wanted)
        reused = intent is not None
        if not reused:
            _refuse_taken_name(book, request, output)
            intent = _make(book, request, wanted, facts, draw, told)
        contents = book.stored(intent)
        show(contents, output)
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


def _refuse_taken_name(book, request, output):
    """Refuse to put another release where one is: what was published under a name stays what that name means."""
    bears = (one for one in book.intents() if (one["branch"], one["name"]) == (request.branch, request.name))
    held = next((intent for intent in bears if book.committed(intent) or book.has_copy(intent)), None)
    if held or (output / STATEMENT).exists():
        since = f"since {held['time'][:10]}" if held else f"in {output}"
        raise RefusedRelease(
            f"{request.branch}/{request.name}: the name of another release {since}, which stays as it is; give this "
            f"one a new name in {request.branch}.releases. No noise was drawn"
        )


def _make(book, request, wanted, facts, draw, told):
    cost = statement.recorded_cost(request, facts)
    _refuse_unlabelled(request, facts, cost)
    charges, agreed = book.charges(), book.cap() or request.cap
    spending.refuse_edited(book.population, request.cap, agreed, book.cap_since())
    for cap in (agreed, request.cap):
        spending.refuse_overspending(book.population, cap, charges, cost, request.group)
    _texts(request, facts, charges, history.before(book, request.cap))  # what may not be stated is refused before 3
    intent = book.reserve(
        wanted,
        cost,
        request.cap,
        request.group,
        branch=request.branch,
        name=request.name,
        records=request.records,
        inputs=request.inputs_digest,
        settings=request.settings,
        reproduction=request.reproduction,
    )
    book.check_recorded(intent)
    drawn = draw()
    texts = _texts(request, told(facts) if told else facts, charges, history.after(book, intent))
    book.keep(intent, {**drawn, **texts}, lambda folder: allow_list.check_folder(folder, request.branch))
    book.commit(intent)
    return intent


def _refuse_unlabelled(request, facts, cost):
    """Refuse a release without guarantee that nobody asked for as one."""
    if cost.kind == NONE and not request.reproduction:
        reasons = "; ".join(statement.reasons(request, facts))
        raise RefusedRelease(
            f"{request.branch}/{request.name}: gives no guarantee: {reasons}. Mend that, or, to reproduce published "
            f"work on data that nobody needs to protect, set `reproduction: true` in its entry of "
            f"{request.branch}.releases. No noise was drawn"
        )


def _texts(request, facts, charges, recorded):
    """{file name: bytes} of the statement."""
    stated = statement.build(request, facts, charges, recorded)
    return {
        STATEMENT: (json.dumps(stated, indent=2, allow_nan=False) + "\n").encode("utf-8"),
        WORDS: statement_text.render(stated).encode("utf-8"),
    }


def show(contents, output):
    """Make the output folder hold these files, in one rename; as it is where it holds them, refused where others."""
    if _shows(contents, output):
        return
    stated = output / STATEMENT
    if stated.exists() and stated.read_bytes() != contents[STATEMENT]:
        raise RefusedRelease(
            f"{output}: shows another release than the ledger holds for these settings; it is never replaced. Give "
            "the release a new name, or move that folder away"
        )
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


def _shows(contents, output):
    """Whether the output folder holds these files; what is drawn from them may lie beside them."""
    return all((output / name).is_file() and (output / name).read_bytes() == one for name, one in contents.items())


def _keep_apart(folder, output):
    """Refuse a ledger that cleaning the results would delete: .../results/release/<branch>/<name>."""
    results = output.resolve().parents[2]
    if folder.resolve().is_relative_to(results):
        raise ConfigError(f"privacy.ledger: '{folder}' lies inside {results.name}/; put it outside, e.g. data/ledger")
