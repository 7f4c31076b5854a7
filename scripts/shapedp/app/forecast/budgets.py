"""What a population has spent and has left, what the settings' releases would add, and what to stop at first.

Cautions are for the eyes of whoever releases alone: many rejections, few people, a weak guarantee.
"""

import json
import math
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from shapedp.base import artifacts
from shapedp.base.errors import ArtifactError, RefusedRelease, ShapedpError
from shapedp.base.settings import read_entry
from shapedp.base.storage import files
from shapedp.landmarks import shapes, sheet
from shapedp.ledger import planned as plans
from shapedp.ledger import restoring, shared_people, spending
from shapedp.ledger.ledger_folder import Ledger
from shapedp.people import samples
from shapedp.privacy.accounting.cost import GAUSSIAN, gaussian_of_pure
from shapedp.privacy.manifolds import landmark_shapes
from shapedp.releases import protocol
from shapedp.releases.model import covariates
from shapedp.releases.statement import guarantees

REFUSED = "it will be refused"


@dataclass(frozen=True)
class Budget:
    """A population, its cap, its charges (Cost, Group or None) so far, and the names of releases among them."""

    population: str
    cap: spending.Cap
    charges: tuple
    names: tuple = ()

    @property
    def spent(self):
        """What the charges cost together."""
        return spending.sum_charges(self.charges)

    def charged(self, cost, group=None):
        """Return the budget with one more charge."""
        return replace(self, charges=(*self.charges, (cost, group)))

    @property
    def left(self):
        """mu that one more release to everybody may have: the cap and the spent add up in quadrature."""
        return spending.find_left(self.cap, self.charges)[0]

    @property
    def pure_left(self):
        """epsilon that one more pure release may have, under a cap on epsilon; infinite without one."""
        return spending.find_left(self.cap, self.charges)[1]

    def after(self, cost, group=None):
        """Return (mu left after a release of this cost, whether the caps allow it), so that it is known beforehand.

        It is as the ledger will find.
        """
        try:
            spending.refuse_overspending(self.population, self.cap, self.charges, cost, group)
        except RefusedRelease:
            return self.charged(cost, group).left, False
        return self.charged(cost, group).left, True


def read_budget(branch, privacy):
    """Return what a branch's population has spent and may spend, as its ledger stands now, for forecasts and reports.

    Of two caps, the one recorded in the ledger and the one in the settings, the lower holds.

    Parameters
    ----------
    branch : str
        `faces` or `shapes`.
    privacy : mapping
        The settings of that name.
    """
    population, cap_set = privacy["population"][branch], spending.Cap(**privacy["cap"][branch])
    # Read while nobody writes in it, so that cap and charges are of one moment.
    with Ledger(privacy["ledger"]).read_book(population) as book:
        cap_recorded, charges = book.find_cap() or cap_set, tuple(book.list_charges())
        names = tuple(intent["name"] for intent in book.list_intents() if intent["branch"] == branch)
    # A lower cap in the settings holds for the releases made with it; a higher one takes an act in the ledger.
    lower_caps = {
        key: min((cap for cap in (getattr(cap_recorded, key), getattr(cap_set, key)) if cap is not None), default=None)
        for key in ("mu_total", "epsilon")
    }
    return Budget(population, spending.Cap(**lower_caps), charges, names)


def describe_spending(settings, results="results", planned=True, members=()):
    """Yield what was spent, what a run will spend and what is then left, population by population, for the operator.

    Parameters
    ----------
    settings : mapping
        The completed settings.
    results : path
        The folder of the results.
    planned : bool
        Whether this run makes the releases that the settings ask for.
    members : sequence of Sample
        The samples of the faces.
    """
    for branch in ("faces", "shapes"):
        if settings[branch]:
            try:
                yield from _describe_branch(branch, settings, Path(results), planned, members)
            except ShapedpError as error:
                yield f"{branch}: {error}"


def refuse_together(settings, results="results", members=()):
    """Raise if the releases still to be made exceed a cap together: in which order jobs run is nobody's choice."""
    over = [line.strip() for line in describe_spending(settings, results, members=members) if line.endswith(REFUSED)]
    if over:
        raise RefusedRelease(
            f"{'; '.join(over)}. Nothing was started and nothing spent: take releases out of the settings, ask for "
            "less, or, if the people concerned agree, raise the cap (shapedp ledger raise, then privacy.cap)"
        )


def _find_group(branch, entry, privacy, charges, results, members):
    """Return the group that an entry will be charged to, so that the right people's costs add up; None of everybody.

    Of landmarks that are not read yet the partition is not known: that of the ledger's last charge to a group stands
    in.
    """
    if "group" not in entry:
        return None
    folder = Path(privacy["ledger"])
    rows = f"of_releases/{entry['name']}.h5" if samples.takes_own_rows(entry) else "shapes.h5"
    if branch == "faces":
        group_of = {sample.person: sample.group for sample in members}
        ids = samples.list_people(entry, members)
        groups = [group_of[sample] for sample in ids]
    elif (path := results / "private" / "shapes" / rows).exists():
        with artifacts.reader(path, artifacts.SHAPES) as source:
            ids, groups = source["ids"], source["groups"]
    else:
        partition = next((group.partition for _, group in reversed(charges) if group), "unknown")
        return spending.Group(entry["group"], privacy["groups"]["membership"], partition)
    key = Ledger(folder).key() if (folder / "key").exists() else b""
    return protocol.select_part(entry["group"], privacy, key, ids, groups).group


def _describe_branch(branch, settings, results, planned, members):
    """Yield the operator's lines on a branch: what its population has spent, whether each release fits what is left."""
    section, budget = settings[branch], read_budget(branch, settings["privacy"])
    yield f"{branch}: population '{budget.population}' has spent {describe_spent(budget)}"
    yield from _describe_behind(budget.population, settings["privacy"]["ledger"], results)
    if not section["releases"]:
        yield f"  {branch}.releases is empty: nothing will be spent"
    prices = []
    for entry in section["releases"]:
        name = entry["name"]
        shown = results / "release" / branch / name / "statement.json"
        if (holder := _read_population(shown)) not in (None, budget.population):
            yield (
                f"  '{name}': {shown.parent} holds a release of population '{holder}', and this one cannot be shown "
                "there: give it another name; nothing of it is spent"
            )
        elif shown.exists():
            yield f"  '{name}' is released and spends nothing more"
        elif name in budget.names:
            yield f"  '{name}' is in the ledger: the same release is returned, and spends nothing"
        elif not planned:
            yield f"  '{name}' is in the settings, but this run does not make it"
        else:
            group = _find_group(branch, entry, settings["privacy"], budget.charges, results, members)
            cost = plans.price_entry(entry, section)
            mu_left, is_allowed = budget.after(cost, group)
            outcome = f"will spend {describe_cost(cost)}; then mu = {mu_left:.4g} is left"
            mu_left = "is left to its group" if group else f"the mu = {budget.left:.4g} left"
            excess = (
                f"asks for {describe_cost(cost)}, more than "
                f"{mu_left if budget.cap.epsilon is None else 'the caps leave'}"
            )
            yield f"  '{name}' {outcome if is_allowed else f'{excess}: {REFUSED}'}"
            # The next entry is priced on top of this one, as the ledger will see them, in the order of the settings.
            budget = budget.charged(cost, group) if is_allowed else budget
            prices += [(cost, group)] if is_allowed else []
    yield from describe_total(prices)


def describe_total(prices):
    """Yield a line on what releases of one run come to together, where mu alone does not say it all.

    That is where some are pure and each concerns everybody. prices : (Cost, Group or None) of each
    """
    # Costs of groups concern other people, so that they do not add up to one number.
    costs = [cost for cost, group in prices if group is None]
    if len(costs) < 2 or len(costs) < len(prices) or all(cost.kind == GAUSSIAN for cost in costs):
        return
    statement = guarantees.describe_total(spending.sum_charges(prices), spending.sum_gaussian_mu(prices))["at_delta"]
    yield (
        f"  these {len(costs)} together reveal at most epsilon = {statement['epsilon']:.4g} at delta = "
        f"{statement['delta']:.0e}"
    )


def _describe_behind(population, folder, results):
    """Yield a warning where the ledger lost a line of a shown release, since every next release will be refused."""
    with Ledger(folder).read_book(population) as book:
        try:
            restoring.refuse_if_behind(book, results / "release")
        except (ArtifactError, RefusedRelease) as error:
            yield f"  {error}"


def _read_population(path):
    """Return the population that a shown release names, to warn where another population's holds the folder.

    path : of its statement; None where that is missing or silent
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))["budget"]["population"]
    except (OSError, ValueError, KeyError, TypeError):
        return None


def describe_cost(cost):
    """Return a cost in words for the operator: as mu, or as epsilon with the mu that it comes to."""
    if cost.epsilon is None:
        return f"mu = {cost.mu:.4g}"
    return f"epsilon = {cost.epsilon:.4g} (as mu: {gaussian_of_pure(cost.epsilon):.4g})"


def describe_spent(budget):
    """Return what a budget has spent and has left, in words: `mu = 1 of 3; mu = 2.83 is left`."""
    cap = budget.cap
    most = "no limit" if cap.mu_total is None else f"{cap.mu_total:g}"
    words = f"mu = {budget.spent.mu:.4g} of {most}"
    if cap.mu_total is not None:
        words += f"; mu = {budget.left:.4g} is left (mu adds up in quadrature)"
    if cap.epsilon is not None:
        words += f"; epsilon = {budget.spent.epsilon:.4g} of {cap.epsilon:g}, {budget.pure_left:.4g} left"
    return words


# People; below, noise at a fair guarantee is as large as what tells people apart.
FEW_PEOPLE = 100
# Share of rejected records from which a caution is due, since each pulls the mean towards the reference.
MANY_REJECTED = 0.1
# Share of people beyond the radius from which the mean tells little.
MOST_BEYOND = 0.5
ALIKE = {  # what is said of records under several persons' names that are one
    "faces": "scans of different persons show the same face",
    "shapes": "records of different persons are the same shape",
}
# In the private folder, for it names records.
UNREAD_CELLS = "logs/unread_cells.log"


def count_partial(counts, everybody):
    """Return {words: n} of the releases that are of fewer people than everybody, for cautions about few people.

    Parameters
    ----------
    counts : iterable of tuple
        (entry of `releases`, its n) of each.
    everybody : int
        The n of all faces.
    """
    return {f"faces, '{entry['name']}'": n for entry, n in counts if samples.list_times(entry) and n != everybody}


def caution_settings(settings, people):
    """Yield the cautions that settings alone give before any result: few people, and guarantees that are weak.

    Parameters
    ----------
    settings : mapping
        The completed settings.
    people : mapping
        {whose, such as a branch: n} as far as n is known.
    """
    for people_name, n in people.items():
        if n < FEW_PEOPLE:
            yield (
                f"caution: {people_name}: {n} people are few; noise and chance fall with their number (see the "
                "forecast)"
            )
    sections = [settings[branch] for branch in ("faces", "shapes") if settings[branch]]
    prices = ((entry, plans.price_entry(entry, section)) for section in sections for entry in section["releases"])
    for entry, price in prices:
        guarantee = guarantees.describe_cost(price)
        label, meaning = guarantees.strength(guarantee)
        if label in guarantees.WEAK:
            percent_right = math.floor(guarantee["right_guesses"] * 100)
            yield (
                f"caution: '{entry['name']}' ({describe_cost(price)}) is a {label} guarantee: somebody who knows "
                f"all records but one and chooses between two candidates for that one is right {percent_right}% of "
                f"the time ({meaning})"
            )


def caution_results(settings, results="results"):
    """Yield cautions about what a run has found so far, such as many rejections, to be read before a release."""
    cautions_by_file = {
        ("faces", "faces/quality.tsv"): caution_rejections,
        ("faces", "faces/alike.tsv"): lambda table: caution_alike(table, ALIKE["faces"]),
        ("faces", "reference/quality.tsv"): caution_public_set,
        ("shapes", "shapes/shapes.h5"): lambda path: (
            *caution_shapes(path, settings["shapes"].get("radius", "data")),
            *_caution_sizes(path, settings["shapes"]),
        ),
        ("shapes", "shapes/alike.tsv"): lambda table: caution_alike(table, ALIKE["shapes"]),
    }
    for (branch, name), cautions in cautions_by_file.items():
        path = Path(results) / "private" / name
        if settings[branch] and path.exists():
            yield from cautions(path)


def caution_shapes(path, radius):
    """Yield cautions about shapes of which many are rejected, or lie beyond the radius and are moved into it.

    Parameters
    ----------
    path : path
        The artifact of the shapes.
    radius : float or str
        The public radius, in radian; a word such as `data` where it is no number.
    """
    # An artifact of an older version is made anew, and then it has its cautions.
    with suppress(ArtifactError), artifacts.reader(path, artifacts.SHAPES) as source:
        ok, table = source["ok"].astype(bool), Path(path).with_name("quality.tsv")
        yield from caution_share(int(len(ok) - ok.sum()), len(ok), str(table))
        distances = landmark_shapes.dist(source["center"], source["shapes"][ok])
        beyond = 0 if isinstance(radius, str) else int(np.sum(distances > radius))
        if beyond > MOST_BEYOND * len(distances):
            yield (
                f"caution: {beyond} of {len(distances)} people lie farther from the center than the radius, "
                f"{radius:g} rad, and are moved onto it, so that the mean says little. Check that their landmarks "
                "have the order and the side of the center's; if they do, name a public center that is more like "
                f"these people: {table}"
            )


def _caution_sizes(path, section):
    """Yield cautions about public bounds of centroid sizes that most people lie outside of, and are clipped to."""
    bounds = {"shapes.size": np.log(section["size"])} if section.get("size") else {}
    for entry in section["releases"]:
        if span := read_entry("shapes", entry, "covariates").get("log_size", {}).get("range"):
            bounds[f"the range of log_size of '{entry['name']}'"] = span
    with suppress(ArtifactError), artifacts.reader(path, artifacts.SHAPES) as source:
        sizes = source["log_sizes"][source["ok"].astype(bool)]
        for setting, (low, high) in bounds.items():
            outside = int(np.sum((sizes < low) | (sizes > high)))
            if outside > MOST_BEYOND * len(sizes):
                yield (
                    f"caution: the centroid sizes of {outside} of {len(sizes)} people lie outside {setting} "
                    f"({np.exp(low):.4g} to {np.exp(high):.4g}) and count as its ends; check that it is in the unit of "
                    "the files, SCALE= included"
                )


def caution_cells(settings, members, results="results"):
    """Yield cautions about cells that are not read, of people who have no other, so that a slip in a sheet is mended.

    They count as the middle of a covariate, and a change that is counted by them as none; a private log lists them by
    id. members : the samples of the faces.
    """
    private, unread_lines = Path(results) / "private", []
    keys = ("ids", "persons", "groups", "covariates", "faults")
    records = {"faces": members, "shapes": shapes.to_samples(*_read_landmark_fields(results, keys))}
    for branch, listed in records.items():
        entries = settings[branch]["releases"] if settings[branch] and listed else []
        unread, cells_seen = defaultdict(dict), defaultdict(set)
        for entry in entries:
            model_covariates = {
                k: about for k, about in read_entry(branch, entry, "covariates").items() if k != "log_size"
            }
            change_ranges = {column: {"range": span} for column, span in entry.get("per", {}).items()}
            samples_counted = samples.select_telling(entry, listed)
            for words, declared in (("the middle", model_covariates), ("no change", change_ranges)):
                for column, ids in _find_unread(declared, samples_counted).items():
                    unread[column, words] |= dict.fromkeys(ids)
                    cells_seen[column, words] |= {sample.id for sample in samples_counted}
        for (column, words), ids in unread.items():
            unread_lines.append(f"{branch}, column '{column}': {', '.join(ids)}")
            yield (
                f"caution: {branch}: {len(ids)} of {len(cells_seen[column, words])} cells of '{column}' are not read "
                f"and count as {words}; correct them in the sheet: {private / UNREAD_CELLS} lists them"
            )
    if unread_lines:
        files.write_text(private / UNREAD_CELLS, "\n".join(unread_lines) + "\n")


def _find_unread(declared, listed):
    """Return {column: ids} of samples whose cell is not read, where none of the person's is, for a caution."""
    unread_ids = {}
    for column, rows in covariates.list_unread(
        declared, [(row, dict(sample.covariates)) for row, sample in enumerate(listed)]
    ).items():
        missing = set(rows)
        read = {sample.person for row, sample in enumerate(listed) if row not in missing}
        if ids := [listed[row].id for row in rows if listed[row].person not in read]:
            unread_ids[column] = ids
    return unread_ids


def _read_landmark_fields(results, fields):
    """Return these fields of the landmarks that a run has read, for cautions about them; empty ones until then."""
    path = Path(results) / "private" / "shapes" / "landmarks.h5"
    if path.exists():
        with suppress(ArtifactError), artifacts.reader(path, artifacts.LANDMARKS) as source:
            return [source[name] for name in fields]
    return [()] * len(fields)


def caution_shared_people(branch, privacy, scans=(), results="results"):
    """Yield cautions about people who stand in another population of the ledger, too, whose costs then add up.

    Parameters
    ----------
    branch : str
        `faces` or `shapes`.
    privacy : mapping
        The settings of that name.
    scans : iterable of tuple
        (person, path) of each scan of faces.
    results : path
        The folder of the results, where landmarks are read from.
    """
    folder, population = Path(privacy["ledger"]), privacy["population"][branch]
    if not (folder / "key").exists():
        return
    key = Ledger(folder).key()
    if branch == "faces":
        marks = shared_people.mark_files(key, scans).values()
    else:
        landmarks, ids, persons = _read_landmark_fields(results, ("landmarks", "ids", "persons"))
        of_record, rows_of = shared_people.mark_records(key, landmarks), sheet.group_by_person(ids, persons, "average")
        marks = [frozenset().union(*(of_record[row] for row in rows)) for rows in rows_of.values()]
    people = shared_people.complete_marks(folder, population, marks)
    for line in shared_people.describe_shared(folder, population, people, privacy["disjoint_from"]):
        yield f"caution: {line}"


def caution_rejections(table):
    """Yield the caution for a quality table with many rejected faces."""
    states = [row["status"] for row in files.read_table(table)]
    yield from caution_share(states.count("rejected"), len(states), str(table))


def caution_alike(table, words):
    """Yield the caution that records under several persons' names show one person, who would then count several times.

    Parameters
    ----------
    table : path
        The table of pairs, one of `alike.tsv`.
    words : str
        What the records are said to be, from `ALIKE`.
    """
    rows = files.read_table(table)
    if rows:
        first, others = rows[0], f", and {len(rows) - 1} more pairs" if rows[1:] else ""
        yield (
            f"caution: {words}, '{first['id']}' and '{first['other']}' ({first['apart']} apart){others}: {table}. "
            "If it is one person, n is too large and the guarantee is for half a person: keep one, or name the person "
            "in the sample sheet"
        )


def caution_public_set(table):
    """Yield the caution for a quality table of public faces of which any was rejected: forecasts rest on the others."""
    rows = files.read_table(table)
    codes, total = [row["code"] for row in rows if row["status"] == "rejected"], len(rows)
    if codes:
        reasons = ", ".join(f"{count} x {code}" for code, count in Counter(codes).most_common())
        yield (
            f"caution: {len(codes)} of {total} faces of the public set were rejected ({len(codes) / total:.0%}: "
            f"{reasons}) and are not used: bounds and forecast rest on the other {total - len(codes)}; look at "
            f"{table}; a template that is more like the public set would accept more of them"
        )


def caution_share(rejected, records, where):
    """Yield the caution for a share of rejected records so large that they pull the mean to the public reference."""
    if records and rejected >= MANY_REJECTED * records:
        yield (
            f"caution: {rejected} of {records} records were rejected ({rejected / records:.0%}) and count as the "
            "public reference, which pulls the mean towards it; repair or replace them before you release: "
            f"{where}"
        )
