"""Histories of one population: what its statements promise against a count of what was drawn from whom.

Each history is a chain of random acts: releases of everybody and of groups, Gaussian and pure, parts of studies whose
people may overlap, runs that are killed, releases whose folders go, backups that are put back, ledgers that are lost,
and in the end pools of what was released. The count knows what each draw moved of each person's record, and nothing of
ledgers: it adds up, person by person, the worst that any exchange of that person's record can tell.
"""

import itertools
import json
import math
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from library.releases import examples
from shapedp.app.forecast import budgets
from shapedp.base.errors import RefusedRelease
from shapedp.laboratories import joint, pooling, study
from shapedp.laboratories.pools.promise import combine_guarantees
from shapedp.laboratories.pools.sources import Source
from shapedp.ledger import ledger_folder, restoring, spending
from shapedp.ledger.spending import Group
from shapedp.privacy.accounting.cost import GAUSSIAN, PURE, Cost
from shapedp.releases import allow_list

PEOPLE, PARTS = 6, "abc"
PARTITIONS = {"sheet": "public", "clinic": "private"}
FOUND = 1e-9  # relative; sums of squares in another order


@dataclass
class Draw:
    """What was drawn from this population at once.

    moved : (partition, part) whose sum it is, or None of everybody's; times : how often somebody's record is in it
    """

    cost: float  # mu, of one record that is replaced; of a pure release its epsilon
    pure: bool = False
    moved: tuple[str, str] | None = None
    times: int = 1

    def told(self, places):
        """mu that a person's exchange can tell; places : {partition: (part before, part after)} of that person."""
        share = 1.0
        if self.moved is not None:
            partition, part = self.moved
            before, after = places[partition]
            # who stays replaces a record of the sum, who enters or leaves moves it half as far
            share = 0.0 if part not in (before, after) else 1.0 if before == after or self.pure else 0.5
        return (_gaussian(self.cost) if self.pure else self.cost * self.times) * share


def _gaussian(epsilon):
    """mu whose trade-off curve lies below that of epsilon-DP: by the normal quantile of the standard library."""
    from statistics import NormalDist

    return -2 * NormalDist().inv_cdf(1 / (1 + math.exp(epsilon)))


def drawn_from_worst(draws):
    """mu of all draws together for the person, and the exchange of their record, from whom they tell most."""
    moves = {
        name: [(a, b) for a in PARTS for b in PARTS if a == b or membership == "private"]
        for name, membership in PARTITIONS.items()
    }
    return max(
        math.sqrt(sum(draw.told(dict(zip(moves, places, strict=True))) ** 2 for draw in draws))
        for places in itertools.product(*moves.values())
    )


@dataclass
class Findings:
    """What histories found."""

    understated: list[str] = field(default_factory=list)
    worst: float = 1.0  # stated over drawn, where nothing is unknown
    disagreements: list[str] = field(default_factory=list)
    statements: int = 0

    def compare(self, name, stated, true, known):
        """Note a stated mu beside the true one; known : whether nothing that the statement needs was lost."""
        self.statements += 1
        if stated < true * (1 - FOUND):
            self.understated.append(f"{name}: stated {stated:.6g}, drawn {true:.6g}")
        if known and true:
            self.worst = max(self.worst, stated / true)


class History:
    """One population's acts in a folder."""

    def __init__(self, folder, seed, findings):
        self.folder, self.seed, self.findings = Path(folder), seed, findings
        self.rng = np.random.default_rng(seed)
        self.ledger = ledger_folder.Ledger(self.folder / "ledger")
        self.release_root = self.folder / "results" / "release"
        (self.folder / "results" / "private").mkdir(parents=True)
        self.draws: list[Draw] = []
        self.own: dict[str, Draw] = {}  # of each release that is shown
        self.known, self.groups_drawn = True, False

    def run(self, acts):
        """Do so many acts, then pool what there is."""
        choices = (
            self.everybody,
            self.group,
            self.part,
            self.killed,
            self.hide,
            self.back_up,
            self.wind_back,
            self.lose,
        )
        likely = np.array([5, 4, 2, 1, 1, 2, 1.5, 1.0])
        for number in range(acts):
            choices[self.rng.choice(len(choices), p=likely / likely.sum())](f"r{number}")
        self.everybody("last")
        self.pool()

    def _amount(self):
        return float(self.rng.choice([0.1, 0.3, 0.5, 1.0]) * self.rng.uniform(0.9, 1.1))

    def everybody(self, name):
        if self.rng.random() < 0.2:
            self._release(name, Draw(self._amount(), pure=True))
        else:
            self._release(name, Draw(self._amount()))

    def group(self, name):
        partition, part = str(self.rng.choice(list(PARTITIONS))), str(self.rng.choice(list(PARTS)))
        self._release(name, Draw(self._amount(), pure=bool(self.rng.random() < 0.15), moved=(partition, part)))
        self.groups_drawn = True

    def _release(self, name, draw):
        cost = Cost(PURE, epsilon=draw.cost) if draw.pure else Cost(GAUSSIAN, mu=draw.cost)
        group = None
        if draw.moved is not None:
            partition, part = draw.moved
            group = Group(part, PARTITIONS[partition], partition)
        asked = examples.request(name=name, inputs_digest=name, cost=cost, group=group)
        source, output = examples.Draw(), examples.output(self.folder, name)
        for _ in range(2):  # once more after what the ledger lacks was entered
            try:
                examples.publish(self.ledger, asked, examples.stated(), source, output)
                break
            except RefusedRelease as error:
                if source.calls or "shapedp ledger restore" not in str(error):
                    raise
                self.restore()
        self.draws += [draw] * source.calls
        self.own[name] = draw
        self._look(name)

    def _look(self, name):
        """Compare what the newest statement and everybody who composes say with what was drawn."""
        stated = json.loads((examples.output(self.folder, name) / "statement.json").read_text())
        places = f"seed {self.seed}, {name}"
        after = stated["budget"]["after"]
        self.findings.compare(f"{places} itself", stated["guarantee"]["mu"], drawn_from_worst([self.own[name]]), False)
        self.findings.compare(places, after["mu"], drawn_from_worst(self.draws), self.known)
        privacy = {"population": {"faces": "people"}, "cap": {"faces": {}}, "ledger": str(self.ledger.folder)}
        budget = budgets.read_budget("faces", privacy)
        told = {
            "statement": after["mu"],
            "ledger": self.ledger.sum_spent("people").mu,
            "ledger show": self.ledger.list_releases("people")[-1]["total_mu"],
            "forecast": budget.spent.mu,
            "status": float(budgets.describe_spent(budget).split()[2]),
        }
        if not all(math.isclose(mu, after["mu"], rel_tol=1e-3 if who == "status" else 0) for who, mu in told.items()):
            self.findings.disagreements.append(f"{places}: {told}")

    def part(self, name):
        """A part of a study, charged as `contributing` does."""
        labs, mu = int(self.rng.integers(2, 5)), self._amount()
        overlap = str(self.rng.choice(["none", "possible"]))
        release = {"name": "mean", "mechanism": "shaped", "budget": {"mu_total": mu}}
        agreed = study.Study(
            self.folder, {"conspiring": int(self.rng.integers(0, labs)), "overlap": overlap, "release": release}
        )
        world = study.find_mu_to_world(mu, labs, agreed.conspiring)
        charged = study.list_mu_faced(world, labs)[agreed.conspiring] * agreed.records_a_person
        with self.ledger.open_book("people") as book:
            try:
                restoring.refuse_if_behind(book, self.release_root)
            except RefusedRelease:
                behind = True
            else:
                behind = False
        if behind:
            self.restore()
        with self.ledger.open_book("people") as book:
            line = {"branch": "study", "name": name, "records": "", "settings": {}, "reproduction": False, "inputs": ""}
            book.reserve(name, Cost(GAUSSIAN, mu=charged), spending.UNCAPPED, None, **line)
            restoring.write_receipt(book, self.release_root)
        draw = Draw(mu, times=2 if overlap == "possible" else 1)
        self.draws.append(draw)
        true = drawn_from_worst([draw])
        self.findings.compare(f"seed {self.seed}, study {name}", joint.price_promised(agreed).mu, true, True)

    def killed(self, name):
        """A run that is killed after its line is written: nobody knows if it drew."""
        asked = examples.request(name=name, inputs_digest=name, cost=Cost(GAUSSIAN, mu=self._amount()))

        class Killed(Exception):
            pass

        def die():
            raise Killed

        try:
            examples.publish(self.ledger, asked, examples.stated(), die, examples.output(self.folder, name))
        except Killed:
            self.known = False
        except RefusedRelease:
            self.restore()

    def hide(self, name):
        """The folder of a release is moved away."""
        if names := list(self.own):
            shutil.rmtree(examples.output(self.folder, str(self.rng.choice(names))), ignore_errors=True)

    def back_up(self, name):
        if self.ledger.folder.exists():
            shutil.rmtree(self.folder / "backup", ignore_errors=True)
            shutil.copytree(self.ledger.folder, self.folder / "backup")

    def wind_back(self, name):
        if (self.folder / "backup").exists():
            self._lost()
            shutil.copytree(self.folder / "backup", self.ledger.folder)

    def lose(self, name):
        self._lost()

    def _lost(self):
        shutil.rmtree(self.ledger.folder, ignore_errors=True)
        # who was in which group, and a pure release that no statement shows, is lost with it
        self.known = self.known and not self.groups_drawn and not any(draw.pure for draw in self.draws)

    def restore(self):
        """As `shapedp ledger restore` does."""
        found = restoring.select_heads(restoring.read_published(self.release_root), "people")
        stated = {path: allow_list.check_statement(path.parent) for path in found}
        with self.ledger.open_book("people") as book:
            restoring.restore(book, stated, restoring.read_receipt(self.release_root, "people"))

    def pool(self):
        """Pools of two to four releases of everybody, of this population and of another of the same or other people."""
        shown = [
            name
            for name, draw in self.own.items()
            if draw.moved is None and not draw.pure and examples.output(self.folder, name).exists()
        ]
        if len(shown) < 2:
            return
        count = int(self.rng.integers(2, min(len(shown), 4) + 1))
        names = [str(one) for one in self.rng.choice(shown, count, replace=False)]
        overlap = str(self.rng.choice([pooling.ANYBODY, pooling.ONE_POPULATION, pooling.NOBODY]))
        sources = []
        for number, name in enumerate(names):
            folder = examples.output(self.folder, name)
            stated = json.loads((folder / "statement.json").read_text())
            if overlap == pooling.NOBODY:  # then they are of other people, and may name one population all the same
                stated["budget"]["population"] = f"people{number % 2}"
            sources.append(Source(folder, stated, {}, {}))
        cost, promised = combine_guarantees(sources, overlap)
        draws = [self.own[name] for name in names]
        true = max(draw.cost for draw in draws) if overlap == pooling.NOBODY else drawn_from_worst(draws)
        self.findings.compare(f"seed {self.seed}, pool of {names}, {overlap}", promised["mu"], true, True)
        assert cost.mu == promised["mu"]


def explore(folder, histories, acts=7, first=0):
    """The Findings of so many histories."""
    findings = Findings()
    for seed in range(first, first + histories):
        place = Path(folder) / str(seed)
        History(place, seed, findings).run(acts)
        shutil.rmtree(place)
    return findings
