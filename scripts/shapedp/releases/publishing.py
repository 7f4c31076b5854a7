"""The transaction that makes a release: recorded before it is drawn, stored before it is shown, never drawn twice.

    1  the same request was released before, or an earlier version of the software released what these settings ask for
       under this name: return the stored bytes; nothing is drawn, nothing spent
    2  refuse what the cap, the facts or the schema of the statement do not allow, a name that another release bears,
       and a ledger that lacks the line of a release that is shown beside this one; nothing is drawn
    3  intent: a line in the ledger, on the disk, read again from there; from here on the budget is spent
    4  draw the noise, check the files against the list of what may be published, store the copy in one rename
    5  commit: a line in the ledger with the digests of the stored files; the operator is told which of these people
       other populations have, too
    6  show: the folder under results/release/ is made in one rename, from the stored copy; never over anything else

All under the population's lock. After a crash, the next call finds out where it happened:

    before 3 was on the disk    nothing happened
    between 3 and the copy      the intent counts as spent. Its draw was seen by nobody and is lost; the next call is a
                                new release with an intent of its own, which adds up with the lost one
    between the copy and 5      the stored copy is the draw of that intent; the next call commits and shows it
    between 5 and 6             the next call shows the stored copy

So no draw is visible that the ledger does not hold, and no second draw can be shown as the first. An error after 3
counts as a crash: whether the noise was drawn cannot be known, so nothing is refunded.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from shapedp.base.errors import ConfigError, RefusedRelease
from shapedp.base.runs.logs import log, print_warning
from shapedp.base.storage import files
from shapedp.ledger import population_ledger, restoring, shared_people
from shapedp.ledger.ledger_folder import Ledger
from shapedp.ledger.restoring import STATEMENT
from shapedp.privacy.accounting.cost import NONE, Cost
from shapedp.privacy.statistic import Source
from shapedp.releases import allow_list
from shapedp.releases.protocol import People, Release
from shapedp.releases.statement import statement, statement_text

WORDS = "statement.md"


def publish(
    ledger: Ledger,
    release: Release,
    people: People,
    source: Source,
    output_dir: Path | str,
    plan: Sequence[Cost] = (),
) -> tuple[str, ...]:
    """Make the release, charged to the ledger before it is drawn, or return the stored one; see the module.

    Return the names of the released files.

    Parameters
    ----------
    ledger : Ledger
        Which holds the population's book.
    release : Release
        What is released.
    people : People
        Whose.
    source : SecureNoise or SeededNoise
        The noise.
    output_dir : path
        results/release/<branch>/<name>, or a folder anywhere; it appears whole.
    plan : sequence of Cost
        What all releases cost that are planned for these people; the ledger keeps it with its first charge.
    """
    output = Path(output_dir)
    _refuse_no_folder(output)
    root = _root_of_releases(output)
    if output.resolve().is_relative_to(ledger.folder.resolve()):
        raise ConfigError(f"{output}: lies inside the ledger, '{ledger.folder}', where no release is shown")
    results = (output if root == output.parent else root.parent).resolve()
    # Whoever cleans the results would delete the ledger with them, and with it what was spent.
    if ledger.folder.resolve().is_relative_to(results):
        where = f"privacy.ledger: '{ledger.folder}' lies inside {results.name}/"
        raise ConfigError(f"{where}; put it outside, e.g. data/ledger")
    request, facts = release.request(people, ledger.key()), release.facts(people, source)
    statistic = release.stage(())
    # Records that cannot be read are met here, before anything is recorded as spent.
    sums = statistic.sums_over(people)
    wanted = request.digest()
    # The lock of the population is held from here to the end, so that nobody else spends between check and record.
    with ledger.open_book(request.population) as book:
        intent = book.find_finished(wanted)
        earlier = _find_of_earlier_version(book, request, facts) if intent is None else None
        reused, intent = intent is not None or earlier is not None, intent or earlier
        # A release that was finished is shown again: drawn anew, it would be a second look at the same people.
        if not reused:
            _refuse_taken_name(book, request.branch, request.name, output)
            _refuse_other_files(output)
            restoring.refuse_if_behind(book, root)
            charges = book.list_charges()
            intent = _record_intent(book, request, wanted, facts, charges, plan)
            restoring.write_receipt(book, root)
            answers = (statistic.noised(sums, source),)
            # Each further stage may depend on the noised answers before it and on nothing else of these people.
            while (statistic := release.stage(answers)) is not None:
                answers = (*answers, statistic.noised(statistic.sums_over(people), source))
            recorded = population_ledger.summarise_ledger(book, request.cap, intent)
            stated = statement.build(request, release.complete_facts(facts, answers), charges, recorded)
            contents = {**release.files(answers), **statement_files(stated)}
            # The copy is stored in one rename before the commit, so that a crash between the two leaves a draw that is
            # shown later, not a second one.
            book.store_files(intent, contents, lambda folder: allow_list.check_folder(folder, request.branch))
            book.commit(intent)
        # Of a reused release as well, whose last call may have ended before its people were entered; what an earlier
        # version released is of marks that it made.
        if earlier is None:
            shared_people.enter(book, intent["digest"], request.marks, request.disjoint_from)
        contents = book.read_stored(intent)
        show(contents, output)
    log.info("release '%s': %s", request.name, "stored bytes returned" if reused else "drawn and recorded")
    if earlier is not None:
        print_warning(
            f"release '{request.name}': an earlier version of shapedp made it, from other numbers than this "
            "version computes for the same records; it is shown as it was released, whatever records have "
            "changed since. To release what this version computes, which spends again, give the entry a new name "
            f"in {request.branch}.releases"
        )
    return tuple(sorted(contents))


def _root_of_releases(output):
    """Return the folder of all releases beside this one, in which releases that the ledger lacks would be found.

    It is results/release, or what holds a folder of another layout.
    """
    # All releases of a run lie below results/release, whatever their branch.
    is_of_results = len(output.parts) > 2 and output.parents[1].name == "release"
    return output.parents[1] if is_of_results else output.parent


def _refuse_taken_name(book, branch, name, output):
    """Refuse to put another release where one is: what was published under a name stays what that name means."""
    events = (event for event in book.list_intents() if (event["branch"], event["name"]) == (branch, name))
    events = (
        *events,
        *(event for event in book.select_events("restored") if (event["branch"], event["name"]) == (branch, name)),
    )
    holder = next(
        filter(lambda event: event["event"] == "restored" or book.find_commit(event) or book.has_copy(event), events),
        None,
    )
    if holder or (output / STATEMENT).exists():
        since = f"since {holder['time'][:10]}" if holder else f"in {output}"
        raise RefusedRelease(
            f"{branch}/{name}: this is the name of another release {since}, which is never replaced; give this one "
            f"a new name in {branch}.releases. No noise was drawn"
        )


def _find_of_earlier_version(book, request, facts):
    """Return the intent of the same release made by an earlier version, to be given back rather than charged again.

    Its records' digest is another one, since that version processed scans otherwise; the settings, what was charged,
    the group and the number of people are the same. None if there is none. What this version made of other records
    under the name is not among them: that is refused.
    """
    cost = population_ledger.write_cost(statement.recorded_cost(request.cost, facts))
    group = asdict(request.group) if request.group else None
    terms = population_ledger.to_canonical([request.settings, _guarantee(cost), group])
    for intent in book.list_intents():
        if (intent["branch"], intent["name"]) != (request.branch, request.name) or "restored" in intent:
            continue
        known = population_ledger.to_canonical([intent.get("settings"), _guarantee(intent["cost"]), intent["group"]])
        if known == terms and book.find_commit(intent):
            stated = json.loads(book.read_stored(intent)[STATEMENT])
            if stated["software"] != statement.software() and stated["release"]["n"] == facts.n:
                return intent
    return None


def _guarantee(cost):
    """Return what a line's cost promises; rho and eta follow from how the noise was drawn."""
    return [cost["kind"], cost.get("mu"), cost.get("epsilon")]


def _refuse_no_folder(output):
    """Refuse an output that is a link or a file: a link could be turned elsewhere after it was checked."""
    # A link could be turned to another folder after the check.
    if output.is_symlink() or (output.exists() and not output.is_dir()):
        raise RefusedRelease(f"{output}: is a link or a file, and a release is a folder of its own; move it away")


def _refuse_other_files(output):
    """Refuse, before anything is spent, to show a new release where something lies already."""
    if output.is_dir() and any(output.iterdir()):
        raise RefusedRelease(
            f"{output}: holds files that are not of this release, and they are never replaced. Give the release "
            "a new name, or move that folder away. No noise was drawn"
        )


def _record_intent(book, request, wanted, facts, charges, plan):
    """Record in the ledger what is about to be spent, before any noise is drawn; return the ledger's line.

    It is refused where the conditions, the statement or the cap do not allow it.
    """
    # Without its conditions a release counts as one without guarantee, whatever its mechanism claims.
    cost = statement.recorded_cost(request.cost, facts)
    if cost.kind == NONE and not request.reproduction:
        raise RefusedRelease(
            f"{request.branch}/{request.name}: gives no guarantee: "
            f"{'; '.join(statement.list_reasons(request.cost, facts))}. Mend that, or, to reproduce published work on "
            f"data that nobody needs to protect, set `reproduction: true` in its entry of {request.branch}.releases. "
            "No noise was drawn"
        )
    book.refuse_overspending(request.cap, cost, request.group)
    # A statement that may not be published is refused here, before 3: after it the budget would be gone.
    recorded = population_ledger.summarise_ledger(book, request.cap, plan=plan)
    statement_files(statement.build(request, facts, charges, recorded))
    return book.reserve(wanted, cost, request.cap, request.group, plan, **request.line())


def statement_files(stated: dict[str, Any]) -> dict[str, bytes]:
    """Return {file name: bytes} of the statement to be shown with a release, as JSON and in words."""
    return {
        STATEMENT: (json.dumps(stated, indent=2, allow_nan=False) + "\n").encode("utf-8"),
        WORDS: statement_text.render(stated).encode("utf-8"),
    }


def show(contents: dict[str, bytes], output: Path) -> None:
    """Put these files where the release is shown: a new folder in one rename, or one that holds this release already.

    Nothing that lies there is removed, and nothing is replaced but a file of this very release. A folder is known by
    the bytes that the ledger holds the digests of (or, of what needs no ledger, by those that its sources give): a
    folder that holds none of them was not written for this release, whatever its name, and is refused.

    Parameters
    ----------
    contents : dict of str to bytes
        The files of the release, by name.
    output : Path
        The folder; new, empty, or one that holds files of this release.
    """
    _refuse_no_folder(Path(output))
    # So that what lies at the end of `..` is seen, too.
    output = Path(output).resolve()
    if output.is_dir() and any(output.iterdir()):
        _complete(contents, output)
        return
    partial = output.with_name(f".{output.name}.partial")
    _empty(partial, contents)
    # Written under another name beside it: a release appears whole or not at all.
    partial.mkdir(parents=True)
    for name, content in contents.items():
        population_ledger.write_synced(partial / name, content, mode=0o644)
    files.sync_folder(partial)
    # Which the system refuses where something has come to lie there meanwhile.
    partial.rename(output)
    files.sync_folder(output.parent)


def _complete(contents, output):
    """Put what a shown folder has lost back into it, so that a release that was interrupted is whole again.

    Other files, such as those drawn from the release, stay.
    """
    stated = output / STATEMENT
    if stated.is_file() and stated.read_bytes() != contents[STATEMENT]:
        raise RefusedRelease(
            f"{output}: shows another release than the ledger holds for these settings; it is never replaced. Give "
            "the release a new name, or move that folder away"
        )
    paths = {output / name: content for name, content in contents.items()}
    # A name proves nothing: at least one file must be this release's, to the byte.
    if not any(path.is_file() and path.read_bytes() == content for path, content in paths.items()):
        raise RefusedRelease(
            f"{output}: holds files that are not of this release, and they are never replaced. Give the release "
            "a new name, or move that folder away"
        )
    for path, content in paths.items():
        if path.is_symlink() or path.is_dir():
            raise RefusedRelease(f"{path}: is not a plain file, and a release holds nothing else; move it away")
        if not path.is_file() or path.read_bytes() != content:
            files.write_bytes(path, content)


def _empty(partial, names):
    """Remove what a process that died left of a folder it was writing, so that the release can be written again.

    Nothing but files of these names is removed.
    """
    if not partial.is_symlink() and not partial.exists():
        return
    paths = [] if partial.is_symlink() or not partial.is_dir() else sorted(partial.iterdir())
    other_paths = [path for path in paths if path.name not in names or path.is_symlink() or not path.is_file()]
    if other_paths or not partial.is_dir() or partial.is_symlink():
        raise RefusedRelease(f"{(other_paths or [partial])[0]}: lies where the release is written; move it away")
    for path in paths:
        path.unlink()
    partial.rmdir()


def find_difference(contents: dict[str, bytes], folder: Path) -> Path | None:
    """Return the first of these files that a folder lacks or holds otherwise, to check a joint or pooled release again.

    None where all are as they should be; others may lie beside them.

    Parameters
    ----------
    contents : dict of str to bytes
        Files by name.
    folder : Path
        Which should hold them.
    """
    paths = ((folder / name, content) for name, content in contents.items())
    return next((path for path, content in paths if not path.is_file() or path.read_bytes() != content), None)
