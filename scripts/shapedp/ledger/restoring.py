"""Published statements against a ledger that was lost or wound back: no noise is drawn beside a release it lacks.

Each statement bears the digest of the ledger's line that recorded it. A ledger that lacks this line counts too little,
so that the next release is refused until the line's cost stands in it again: from a backup, or from what the statements
say. Only statements are read here, and no record.

A statement gives what its release cost, and what all releases of the population cost together before and after it. What
a lost line adds to the ledger is what the total after it exceeds the part of its history that the ledger still has.
Where that part cannot be told from the rest, or groups whose partition is lost with the lines could hide a charge,
costs are entered in full, and to everybody: the ledger counts too much then, and never too little of what the
statements know. What has no statement, such as a part of a study, is noted beside the releases before it is drawn:

    <results>/private/charged/<population>.json   digest of the ledger's newest line, and the total with it

In the ledger:

    event `restored`   a statement that was entered: its head, branch, name, totals after it, digests of its files
    event `intent`     with `restored`: `release`, what the release itself cost, or `before`, what lies before it
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from shapedp.base.errors import ArtifactError, ConfigError, RefusedRelease
from shapedp.ledger import population_ledger, spending
from shapedp.ledger.population_ledger import PopulationLedger
from shapedp.ledger.spending import Cap, Total
from shapedp.privacy.accounting.cost import GAUSSIAN, NONE, PURE, Cost

STATEMENT = "statement.json"
SCHEMA = b"shapedp statement"  # what each of them says it is, whatever its version
LARGEST = 16 << 20  # bytes of a statement
DIGITS = 18  # of a whole number in a statement; more would not fit a float
MOST = 1e6  # of any figure of a statement
ALIKE = 1e-9  # relative; totals that were written and read again are the same
LEAST = 1e-18  # of what is charged in a currency in which nothing is missing
UNREADABLE = (
    "cannot be read as a statement, so that nobody can tell whose budget it spent; put the file back as it was "
    "released, or move its folder away if it is no release"
)
NOTHING = Total(0.0, 0.0, 0.0, 0, 0, 0)
RELEASE, BEFORE = "release", "before"  # what a restored charge is of


def published_statements(release_root: Path | str) -> dict[Path, dict[str, Any]]:
    """{statement.json: its content} of all shown releases, or of those in any folder that holds some."""
    root = Path(release_root)
    found = sorted(path for depth in ("", "*/", "*/*/") for path in root.glob(f"{depth}{STATEMENT}"))
    whole = [path for path in found if not _is_partial(path.relative_to(root)) and _is_stated(path)]
    return {path: _read(path) for path in whole}


def _is_partial(path):
    """Whether a process stopped before it had shown this."""
    return any(part.startswith(".") for part in path.parts)


def _is_stated(path):
    """Whether this software wrote the file, as its words or the one beside it tell; others call theirs so, too."""
    # a pipe would be waited for, and nobody knows how long
    if not path.is_file():
        raise ArtifactError(f"{path}: {UNREADABLE}")
    with path.open("rb") as stream:
        return SCHEMA in stream.read(LARGEST) or path.with_suffix(".md").exists()


def _read(path):
    try:
        if path.stat().st_size > LARGEST:
            raise ValueError
        stated = json.loads(path.read_text(encoding="utf-8"), parse_int=_whole_number)
        budget = stated["budget"]
        if not all(isinstance(word, str) for word in (budget["population"], budget.get("ledger_head", ""))):
            raise TypeError
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ArtifactError(f"{path}: {UNREADABLE}") from error
    return stated


def _whole_number(digits):
    if len(digits) > DIGITS:
        raise ValueError
    return int(digits)


def heads(stated: Mapping[Path, dict[str, Any]], population: str) -> dict[Path, str]:
    """{path: digest of the ledger's line} of the statements of a population that name one."""
    budgets = {path: content["budget"] for path, content in stated.items()}
    return {
        path: budget["ledger_head"]
        for path, budget in budgets.items()
        if budget["population"] == population and "ledger_head" in budget
    }


def receipt_path(release_root: Path | str, population: str) -> Path:
    """Where the newest line of a population's ledger is noted beside the releases, in the run's private folder."""
    return Path(release_root).parent / "private" / "charged" / f"{population}.json"


def write_receipt(book: PopulationLedger, release_root: Path | str) -> None:
    """Note the ledger's newest line and its total, before anything is drawn, where there is a private folder: a part
    of a study and a draw that is never shown have no statement of their own.
    """
    path = receipt_path(release_root, book.population)
    if path.parent.parent.is_dir():
        path.parent.mkdir(mode=0o700, exist_ok=True)
        told = {"head": book.intents()[-1]["digest"], "after": asdict(spending.total(book.charges()))}
        population_ledger.write_whole(path, population_ledger.canonical(told).encode("ascii"))


def read_receipt(release_root: Path | str, population: str) -> tuple[str, Total] | None:
    """(digest of the newest line that was noted beside releases, total with it), or None."""
    path = receipt_path(release_root, population)
    if not path.exists():
        return None
    try:
        told = json.loads(path.read_text(encoding="ascii"))
        total = Total(**{field.name: field.type(told["after"][field.name]) for field in fields(Total)})
        if not (isinstance(told["head"], str) and 0 <= total.mu <= MOST):
            raise ValueError
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise ArtifactError(
            f"{path}: was damaged, so that nobody can tell whether the ledger lacks what it notes; put it back, or, if "
            "the ledger is whole (shapedp ledger check), delete it"
        ) from error
    return told["head"], total


def refuse_if_behind(book: PopulationLedger, release_root: Path | str) -> None:
    """Refuse to go on where a shown release of the population, or what was charged beside it, stands in no line of its
    ledger.
    """
    known = book.heads()
    noted = read_receipt(release_root, book.population)
    lost = [
        path for path, head in heads(published_statements(release_root), book.population).items() if head not in known
    ]
    if noted is not None and noted[0] not in known:
        lost.append(receipt_path(release_root, book.population))
    if lost:
        raise RefusedRelease(
            f"{lost[0].parent if lost[0].name == STATEMENT else lost[0]}: stands in no line of {book.path}: the ledger "
            "was lost or wound back, and what was spent since would not be counted. Restore the ledger and its folder "
            "from a backup that is newer, or enter what is known of it: shapedp ledger restore "
            f"{book.population} --from {release_root}. No noise was drawn"
        )


def restore(
    book: PopulationLedger, stated: Mapping[Path, dict[str, Any]], noted: tuple[str, Total] | None = None
) -> list[str]:
    """Enter what statements say of releases that the ledger lacks; lines that say what was charged.

    Parameters
    ----------
    stated : {path: content} of checked statements
    noted : what `read_receipt` found beside them, which counts what has no statement
    """
    own = heads(stated, book.population)
    if not own and noted is None:
        raise ConfigError(
            f"population '{book.population}': no statement names it and a line of its ledger; give the folder that "
            "holds its releases with --from"
        )
    lost = _in_order({path: stated[path] for path, head in own.items() if head not in book.heads()})
    _restore_caps(book, [content for _, content in lost])
    lines = []
    for path, content in lost:
        charges = _charges(book, content)
        for cost, what in charges:
            _charge(book, cost, what, content["release"]["branch"], path.parent.name, content["reproduction"])
        kept = {file.name: book.digest_of(file) for file in sorted(path.parent.iterdir()) if file.is_file()}
        book.append(
            event="restored",
            head=content["budget"]["ledger_head"],
            branch=content["release"]["branch"],
            name=path.parent.name,
            after={field.name: content["budget"]["after"][field.name] for field in fields(Total)},
            files=kept,
        )
        total = spending.total((cost, None) for cost, _ in charges)
        unseen = ", what was charged before it and no statement shows included" * any(w == BEFORE for _, w in charges)
        lines.append(f"{path.parent}: entered with mu = {total.mu:.6g}{unseen}")
    if noted is not None and noted[0] not in book.heads():
        head, after = noted
        costs = _unseen(book, after, _history_kept(book, after))
        for cost in costs:
            _charge(book, cost, BEFORE, "", "")
        book.append(event="restored", head=head, branch="", name="", after=asdict(after), files={})
        total = spending.total((cost, None) for cost in costs)
        lines.append(f"what was charged beside them and has no statement: entered with mu = {total.mu:.6g}")
    return lines


def _in_order(stated):
    """[(path, content)], one a head, in the order in which their ledger counted them."""
    by_head: dict[str, tuple[Path, dict[str, Any]]] = {}
    for path, content in stated.items():
        _refuse_huge(path, content)
        before, other = by_head.setdefault(content["budget"]["ledger_head"], (path, content))
        if other != content:
            raise RefusedRelease(
                f"{path}: says otherwise of one line of the ledger than {before}; keep the one that was released. "
                "Nothing was entered"
            )
    return sorted(
        by_head.values(), key=lambda told: (_count(_total(told[1], "after")), told[1]["budget"]["after"]["mu"])
    )


def _refuse_huge(path, content):
    """Refuse figures that no ledger adds up; what one has entered is never taken out of it again."""
    budget, own = content["budget"], content["guarantee"]
    figures = [budget[when][field.name] for when in ("before", "after") for field in fields(Total)]
    figures += [own.get(name, 0) for name in ("mu", "rho", "epsilon")]
    if max(figures) > MOST:
        raise RefusedRelease(
            f"{path}: says that {max(figures):.3g} was spent, which no release does; take the statement as it was "
            "released. Nothing was entered"
        )


def _total(content, when):
    return Total(**{field.name: content["budget"][when][field.name] for field in fields(Total)})


def _count(total):
    return total.gaussian + total.pure + total.unprotected


def _charges(book, content) -> list[tuple[Cost, str]]:
    """[(cost, RELEASE or BEFORE)] of what a statement's line adds to what the ledger has."""
    own, before, after = _own_cost(content), _total(content, "before"), _total(content, "after")
    kept = _history_kept(book, before)
    if any(group for _, group in book.charges()):
        unseen = _unseen(book, before, kept)
    else:
        missing = _difference(after, kept)
        if content["release"]["group"] is not None:
            return [(cost, RELEASE) for cost in _costs(missing)]
        unseen = _costs(_difference(missing, spending.total([(own, None)])))
    return [(own, RELEASE), *((cost, BEFORE) for cost in unseen)]


def _unseen(book, whole, kept) -> list[Cost]:
    """Costs of what a total counts beyond the history that the ledger has of it."""
    if any(group for _, group in book.charges()):
        # a group's partition is needed to tell what a charge adds beside others: in full then
        return _costs(whole) if _count(whole) > _count(kept) else []
    return _costs(_difference(whole, kept))


def _history_kept(book, before) -> Total:
    """The longest history that the ledger holds and that a statement's total before it can be made of."""
    known, charges = [NOTHING], []
    for intent in book.intents():
        if "restored" not in intent:
            charges.append(population_ledger.charge(intent))
            known.append(spending.total(charges))
    known += [Total(**entry["after"]) for entry in book.events("restored")]
    contained = [
        one
        for one in known
        if all(getattr(one, field.name) <= getattr(before, field.name) * (1 + ALIKE) for field in fields(Total))
    ]
    return max(contained, key=lambda one: (_count(one), one.mu))


def _difference(whole, part) -> Total:
    """What must be added to one total to come to another, in each currency; 0 where nothing but rounding is left."""

    def left(large, small):
        return large - small if large - small > spending.ROUNDING * large else 0

    return Total(
        mu=math.sqrt(left(whole.mu**2, part.mu**2)),
        rho=left(whole.rho, part.rho),
        epsilon=left(whole.epsilon, part.epsilon),
        gaussian=left(whole.gaussian, part.gaussian),
        pure=left(whole.pure, part.pure),
        unprotected=left(whole.unprotected, part.unprotected),
    )


def _costs(total: Total) -> list[Cost]:
    """Costs that are together at least a total, in each currency: of one release exactly that.

    Pure releases taken as one may have all of mu and rho; where there were Gaussian ones, one stays among the costs, or
    later totals would pass for pure.
    """
    costs = [Cost(PURE, epsilon=total.epsilon)] if total.epsilon else []
    rest = _difference(total, spending.total((cost, None) for cost in costs))
    if rest.mu or rest.rho or total.gaussian:
        costs.append(Cost(GAUSSIAN, mu=max(rest.mu, math.sqrt(LEAST)), rho=max(rest.rho, LEAST)))
    return costs + [Cost(NONE)] * min(total.unprotected, 1)


def _own_cost(content) -> Cost:
    told = content["guarantee"]
    if told["kind"] == GAUSSIAN:
        return Cost(GAUSSIAN, mu=float(told["mu"]), rho=float(told["rho"]), eta=content["noise"]["eta"] or None)
    return Cost(PURE, epsilon=float(told["epsilon"])) if told["kind"] == PURE else Cost(NONE)


def _charge(book, cost, what, branch, name, reproduction=False):
    book.append(
        event="intent",
        request=population_ledger.digest([book.population, "restored", len(book.entries)]),
        cost={key: value for key, value in vars(cost).items() if value is not None},
        group=None,
        branch=branch,
        name=name,
        records="",
        settings={},
        reproduction=reproduction,
        inputs="",
        restored=what,
    )


def _restore_caps(book, lost: Sequence[dict[str, Any]]) -> None:
    """Record the cap of the last lost statement, and how it came about, in a ledger that has none."""
    if not lost or book.cap() is not None:
        return
    budget = lost[-1]["budget"]
    for cap, reason in _caps(budget):
        book.append(event="cap", cap=Cap(**cap).given(), reason=reason)


def _caps(budget) -> Iterable[tuple[dict[str, float], str | None]]:
    raised = budget["raised"]
    yield (raised[0]["from"] if raised else budget["cap"]), None
    for act in raised:
        yield act["to"], act["reason"]
