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


def read_published(release_root: Path | str) -> dict[Path, dict[str, Any]]:
    """Return {statement.json: its content} of all shown releases, to compare with a ledger or restore it by.

    Any folder that holds releases will do.
    """
    root = Path(release_root)
    candidates = sorted(path for depth in ("", "*/", "*/*/") for path in root.glob(f"{depth}{STATEMENT}"))
    complete = [path for path in candidates if not _is_partial(path.relative_to(root)) and _is_stated(path)]
    return {path: _read_statement(path) for path in complete}


def _is_partial(path):
    """Return whether a process stopped before it had shown this."""
    return any(part.startswith(".") for part in path.parts)


def _is_stated(path):
    """Tell whether this software wrote a statement.json, by its words or the file beside it: others have such, too."""
    # a pipe would be waited for, and nobody knows how long
    if not path.is_file():
        raise ArtifactError(f"{path}: {UNREADABLE}")
    with path.open("rb") as stream:
        return SCHEMA in stream.read(LARGEST) or path.with_suffix(".md").exists()


def _read_statement(path):
    """Return a published statement.json's content; refuse one that does not tell its population and ledger line."""
    try:
        if path.stat().st_size > LARGEST:
            raise ValueError
        stated = json.loads(path.read_text(encoding="utf-8"), parse_int=_parse_whole)
        budget = stated["budget"]
        if not all(isinstance(word, str) for word in (budget["population"], budget.get("ledger_head", ""))):
            raise TypeError
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ArtifactError(f"{path}: {UNREADABLE}") from error
    return stated


def _parse_whole(digits):
    if len(digits) > DIGITS:
        raise ValueError
    return int(digits)


def select_heads(stated: Mapping[Path, dict[str, Any]], population: str) -> dict[Path, str]:
    """Return {path: ledger line's digest} of a population's statements, to see whether its ledger has these lines.

    Parameters
    ----------
    stated : mapping
        {path of a statement.json: its content}.
    population : str
        The population.
    """
    budgets = {path: content["budget"] for path, content in stated.items()}
    return {
        path: budget["ledger_head"]
        for path, budget in budgets.items()
        if budget["population"] == population and "ledger_head" in budget
    }


def locate_receipt(release_root: Path | str, population: str) -> Path:
    """Return where the newest line of a population's ledger is noted beside releases, in the run's private folder."""
    return Path(release_root).parent / "private" / "charged" / f"{population}.json"


def write_receipt(book: PopulationLedger, release_root: Path | str) -> None:
    """Note the ledger's newest line and total beside the releases, before noise is drawn, to tell a lost ledger by.

    It is where there is a private folder. A part of a study and a draw that is never shown have no statement of their
    own.

    Parameters
    ----------
    book : PopulationLedger
        The ledger.
    release_root : path
        The folder of shown releases, beside which the private folder lies.
    """
    path = locate_receipt(release_root, book.population)
    if path.parent.parent.is_dir():
        path.parent.mkdir(mode=0o700, exist_ok=True)
        note = {"head": book.list_intents()[-1]["digest"], "after": asdict(spending.sum_charges(book.list_charges()))}
        population_ledger.write_whole(path, population_ledger.to_canonical(note).encode("ascii"))


def read_receipt(release_root: Path | str, population: str) -> tuple[str, Total] | None:
    """Return (digest of the newest line noted beside releases, total with it), or None: a lost ledger is told by it.

    What it lost is entered by the total.

    Parameters
    ----------
    release_root : path
        The folder of shown releases.
    population : str
        Whose ledger is noted.
    """
    path = locate_receipt(release_root, population)
    if not path.exists():
        return None
    try:
        note = json.loads(path.read_text(encoding="ascii"))
        total = Total(**{field.name: field.type(note["after"][field.name]) for field in fields(Total)})
        if not (isinstance(note["head"], str) and 0 <= total.mu <= MOST):
            raise ValueError
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise ArtifactError(
            f"{path}: is damaged, so nobody can tell whether what it notes is missing from the ledger; restore "
            "it from a backup, or, if the ledger is whole (shapedp ledger check), delete it"
        ) from error
    return note["head"], total


def refuse_if_behind(book: PopulationLedger, release_root: Path | str) -> None:
    """Refuse to go on where the ledger lost a line, of a shown release or of what was charged beside it.

    It would count too little then.

    Parameters
    ----------
    book : PopulationLedger
        The ledger.
    release_root : path
        The folder of shown releases.
    """
    known_heads = book.list_heads()
    receipt = read_receipt(release_root, book.population)
    lost_paths = [
        path
        for path, head in select_heads(read_published(release_root), book.population).items()
        if head not in known_heads
    ]
    if receipt is not None and receipt[0] not in known_heads:
        lost_paths.append(locate_receipt(release_root, book.population))
    if lost_paths:
        raise RefusedRelease(
            f"{lost_paths[0].parent if lost_paths[0].name == STATEMENT else lost_paths[0]}: stands in no line of "
            f"{book.path}: the ledger "
            "was lost or wound back, and what was spent since would not be counted. Restore the ledger and its folder "
            "from a backup that is newer, or enter what is known of it: shapedp ledger restore "
            f"{book.population} --from {release_root}. No noise was drawn"
        )


def restore(
    book: PopulationLedger, stated: Mapping[Path, dict[str, Any]], receipt: tuple[str, Total] | None = None
) -> list[str]:
    """Enter what statements say of releases that a ledger lost, so that it counts them; return lines on each charge.

    Parameters
    ----------
    book : PopulationLedger
        The ledger.
    stated : mapping
        {path: content} of checked statements.
    receipt : tuple
        What `read_receipt` found beside them, which counts what has no statement.
    """
    own_heads = select_heads(stated, book.population)
    if not own_heads and receipt is None:
        raise ConfigError(
            f"population '{book.population}': no statement names it and a line of its ledger; give the folder that "
            "holds its releases with --from"
        )
    lost_statements = _sort_by_ledger(
        {path: stated[path] for path, head in own_heads.items() if head not in book.list_heads()}
    )
    _restore_caps(book, [content for _, content in lost_statements])
    lines = []
    for path, content in lost_statements:
        charges = _list_charges(book, content)
        for cost, what in charges:
            _append_charge(book, cost, what, content["release"]["branch"], path.parent.name, content["reproduction"])
        file_digests = {file.name: book.digest_file(file) for file in sorted(path.parent.iterdir()) if file.is_file()}
        book.append(
            event="restored",
            head=content["budget"]["ledger_head"],
            branch=content["release"]["branch"],
            name=path.parent.name,
            after={field.name: content["budget"]["after"][field.name] for field in fields(Total)},
            files=file_digests,
        )
        total = spending.sum_charges((cost, None) for cost, _ in charges)
        words = ", including what was charged before it and stands in no statement" * any(
            w == BEFORE for _, w in charges
        )
        lines.append(f"{path.parent}: entered with mu = {total.mu:.6g}{words}")
    if receipt is not None and receipt[0] not in book.list_heads():
        head, after = receipt
        costs = _list_unseen(book, after, _find_history(book, after))
        for cost in costs:
            _append_charge(book, cost, BEFORE, "", "")
        book.append(event="restored", head=head, branch="", name="", after=asdict(after), files={})
        total = spending.sum_charges((cost, None) for cost in costs)
        lines.append(f"what was charged beside them and has no statement: entered with mu = {total.mu:.6g}")
    return lines


def _sort_by_ledger(stated):
    """Return statements of lost lines as [(path, content)], one a line, in the order in which they were charged."""
    by_head: dict[str, tuple[Path, dict[str, Any]]] = {}
    for path, content in stated.items():
        _refuse_huge(path, content)
        first_path, first_content = by_head.setdefault(content["budget"]["ledger_head"], (path, content))
        if first_content != content:
            raise RefusedRelease(
                f"{path}: disagrees with {first_path} about a line of the ledger; keep the one that was "
                "released. Nothing was entered"
            )
    return sorted(
        by_head.values(),
        key=lambda path_and_content: (
            _count_charges(_read_total(path_and_content[1], "after")),
            path_and_content[1]["budget"]["after"]["mu"],
        ),
    )


def _refuse_huge(path, content):
    """Refuse a statement with figures that no release spends: entered in a ledger, they could never be taken out."""
    budget, guarantee = content["budget"], content["guarantee"]
    figures = [budget[when][field.name] for when in ("before", "after") for field in fields(Total)]
    figures += [guarantee.get(name, 0) for name in ("mu", "rho", "epsilon")]
    if max(figures) > MOST:
        raise RefusedRelease(
            f"{path}: says that {max(figures):.3g} was spent, which no release does; take the statement as it was "
            "released. Nothing was entered"
        )


def _read_total(content, when):
    return Total(**{field.name: content["budget"][when][field.name] for field in fields(Total)})


def _count_charges(total):
    return total.gaussian + total.pure + total.unprotected


def _list_charges(book, content) -> list[tuple[Cost, str]]:
    """Return what must be entered for a lost line of the ledger, by its statement: [(cost, RELEASE or BEFORE)].

    BEFORE are costs of other lost releases that the statement's total counts.
    """
    own_cost, before, after = _read_own_cost(content), _read_total(content, "before"), _read_total(content, "after")
    history = _find_history(book, before)
    if any(group for _, group in book.list_charges()):
        unseen = _list_unseen(book, before, history)
    else:
        missing = _subtract_totals(after, history)
        if content["release"]["group"] is not None:
            return [(cost, RELEASE) for cost in _split_costs(missing)]
        unseen = _split_costs(_subtract_totals(missing, spending.sum_charges([(own_cost, None)])))
    return [(own_cost, RELEASE), *((cost, BEFORE) for cost in unseen)]


def _list_unseen(book, total, history) -> list[Cost]:
    """Return the costs that a lost ledger must have held besides, since a statement's total counts them.

    They are what it counts beyond the ledger's history.
    """
    if any(group for _, group in book.list_charges()):
        # a group's partition is needed to tell what a charge adds beside others: in full then
        return _split_costs(total) if _count_charges(total) > _count_charges(history) else []
    return _split_costs(_subtract_totals(total, history))


def _find_history(book, before) -> Total:
    """Return the largest total of the ledger that a statement's total still contains: what lies beyond was lost."""
    histories, charges = [NOTHING], []
    for intent in book.list_intents():
        # What was entered from statements is no history: the totals of `restored` events stand for it.
        if "restored" not in intent:
            charges.append(population_ledger.read_charge(intent))
            histories.append(spending.sum_charges(charges))
    histories += [Total(**entry["after"]) for entry in book.select_events("restored")]
    possible = [
        history
        for history in histories
        if all(getattr(history, field.name) <= getattr(before, field.name) * (1 + ALIKE) for field in fields(Total))
    ]
    return max(possible, key=lambda history: (_count_charges(history), history.mu))


def _subtract_totals(whole, part) -> Total:
    """Return what a ledger lacks: the Total that must be added to one total to come to another.

    In a currency in which nothing but rounding is left it is 0.
    """

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


def _split_costs(total: Total) -> list[Cost]:
    """Return costs to enter for a total whose releases were lost: together at least that total, in each currency.

    Of one release they are exactly that. Pure releases taken as one may have all of mu and rho; where there were
    Gaussian ones, one stays among the costs, or later totals would pass for pure.
    """
    costs = [Cost(PURE, epsilon=total.epsilon)] if total.epsilon else []
    rest = _subtract_totals(total, spending.sum_charges((cost, None) for cost in costs))
    if rest.mu or rest.rho or total.gaussian:
        costs.append(Cost(GAUSSIAN, mu=max(rest.mu, math.sqrt(LEAST)), rho=max(rest.rho, LEAST)))
    return costs + [Cost(NONE)] * min(total.unprotected, 1)


def _read_own_cost(content) -> Cost:
    """Return the Cost of the one release that a statement is about, to be entered again where the ledger lost it."""
    guarantee = content["guarantee"]
    if guarantee["kind"] == GAUSSIAN:
        return Cost(
            GAUSSIAN, mu=float(guarantee["mu"]), rho=float(guarantee["rho"]), eta=content["noise"]["eta"] or None
        )
    return Cost(PURE, epsilon=float(guarantee["epsilon"])) if guarantee["kind"] == PURE else Cost(NONE)


def _append_charge(book, cost, what, branch, name, reproduction=False):
    """Write a lost release's cost into the ledger again, as a charge to everybody.

    what : RELEASE or BEFORE
    """
    book.append(
        event="intent",
        request=population_ledger.digest_value([book.population, "restored", len(book.entries)]),
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
    """Record a lost ledger's cap again, as the last lost statement tells it and how it came about.

    A ledger that has one is left alone.
    """
    if not lost or book.find_cap() is not None:
        return
    budget = lost[-1]["budget"]
    for cap, reason in _list_caps(budget):
        book.append(event="cap", cap=Cap(**cap).list_limits(), reason=reason)


def _list_caps(budget) -> Iterable[tuple[dict[str, float], str | None]]:
    """Yield (cap, reason) of each cap that a statement tells of, to record them again; the first has no reason."""
    raised = budget["raised"]
    yield (raised[0]["from"] if raised else budget["cap"]), None
    for act in raised:
        yield act["to"], act["reason"]
