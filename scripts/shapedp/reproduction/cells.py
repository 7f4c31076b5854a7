"""The cells of a job computed, those of all jobs gathered, and the numbers that claims and figures take from them.

The results are no private data: numpy's generator, seeded, is the right one here.

The papers' statements, and each beside what was measured here: the common shape of the three modules `claims_*`.

What a paper states, and where, stands in papers/*.yaml; `claims_laplace`, `_kng` and `_faces` measure it. Each has one
function `rows(results) -> list[Claim]`, results a `cells.Results` over all simulation artifacts that were made. A
module whose experiments are not among them returns its claims as NOT_TESTABLE, with the reason.
`scripts/tabulate_claims.py` writes all rows to results/simulation/claims.tsv and .md.
"""

import json
import re
from dataclasses import dataclass
from zlib import crc32

import numpy as np
import yaml

from shapedp import artifacts
from shapedp.reproduction import spaces
from shapedp.reproduction.experiments import PAPERS
from shapedp.runs.logs import progress

AGREES = "agrees"
DIFFERS = "differs"
NOT_TOLD = "not told apart"
NOT_TESTABLE = "not testable"
COLUMNS = ("paper", "place", "statement", "published", "measured", "standard_error", "verdict", "why")
SURE = 3  # standard errors either way of a measured number
CHANCE = "not told apart at this scale: set simulation.scale to paper"
TENTH, HUNDREDTH = 0.1, 0.01  # shares of a printed number that count as it: where a text says "about", and elsewhere
RULE = (
    f"One rule of verdicts. A measured number stands with {SURE} standard errors either way. It agrees if all of that "
    "lies within what the paper prints: the range or bound, or the number with half its last digit or a hundredth, a "
    "tenth where the text says 'about' or 'comparable'. It differs if all of it lies outside. Else it is not told "
    "apart, and only more replicates can tell. An order of two mechanisms over several sample sizes differs if it is "
    "the other way beyond chance at one of them. What is exact is within or outside. A statement that a text leaves "
    "open at several scales has a row for each, and counts once."
)


@dataclass(frozen=True)
class Claim:
    """One row, all text but the numbers.

    place : section, figure, table or page; published : the paper's number or words; measured : ours, with its unit
    standard_error : of the measured number, in its unit, None where it is exact or is no number
    key : of the statement, which several rows share; judged : whether the verdict follows from number and error by RULE
    why : for DIFFERS the reason, for NOT_TESTABLE what is missing; else what the reader should know, or nothing
    """

    paper: str
    place: str
    statement: str
    published: str
    measured: str
    standard_error: float | None
    verdict: str
    why: str = ""
    key: str = ""
    judged: bool = False


def verdict(holds):
    """AGREES or DIFFERS."""
    return AGREES if holds else DIFFERS


class Judged(str):
    """A verdict by RULE."""


def judged(value, error, low, high):
    """The verdict on a number with its standard error, of which a paper prints that it lies between low and high."""
    least, most = value - SURE * error, value + SURE * error
    if most < low or least > high:
        return Judged(DIFFERS)
    return Judged(AGREES if low <= least and most <= high else NOT_TOLD)


def near(printed, share=HUNDREDTH):
    """(low, high) of a printed number."""
    return printed - abs(share * printed), printed + abs(share * printed)


def verdict_on_order(ahead, behind, share, error):
    """Is one mechanism better than another, of which a paper says that it always is?

    ahead, behind : sample sizes at which it is better and worse beyond chance; share : noise saved on average
    """
    if behind:
        return Judged(DIFFERS)
    found = judged(share, error, 0.0, np.inf)
    return found if ahead or found == DIFFERS else Judged(NOT_TOLD)


def statements(claims):
    """{(paper, key): verdicts of its rows}; rows as printed and as proved belong to one statement."""
    found = {}
    for one in claims:
        found.setdefault((one.paper, re.sub(r"_(printed|proved)$", "", one.key)), set()).add(one.verdict)
    return found


def claims_table(claims):
    """Tab-separated lines with a header."""
    return "".join("\t".join(_words(cell) for cell in row) + "\n" for row in [COLUMNS, *_rows(claims)])


def claims_page(claims, scale):
    """The same as Markdown, a section a paper, differences first in the count."""
    lines = ["# Claims of the papers and what was measured", "", f"Simulated at scale `{scale}`.", ""]
    kinds, found = (AGREES, DIFFERS, NOT_TOLD, NOT_TESTABLE), statements(claims)
    counts = [f"{sum(one == {kind} for one in found.values())} {kind}" for kind in kinds]
    mixed = sum(len(one) > 1 for one in found.values())
    lines += [
        RULE,
        "",
        f"{len(found)} statements in {len(claims)} rows: {', '.join(counts)}; {mixed} by the scale, or as ",
    ]
    lines[-1] += "printed and as proved, differently."
    lines.append("")
    for paper in dict.fromkeys(one.paper for one in claims):
        lines += [f"## {paper}", "", "| " + " | ".join(_heading(name) for name in COLUMNS[1:]) + " |"]
        lines.append("|" + " --- |" * (len(COLUMNS) - 1))
        chosen = [one for one in claims if one.paper == paper]
        lines += ["| " + " | ".join(_cell(cell) for cell in row[1:]) + " |" for row in _rows(chosen)]
        lines.append("")
    return "\n".join(lines)


def _rows(claims):
    return [tuple(getattr(one, name) for name in COLUMNS) for one in claims]


def _heading(name):
    return name.replace("_", " ")


def _words(cell):
    text = "" if cell is None else f"{cell:.2g}" if isinstance(cell, float) else str(cell)
    return " ".join(text.split())


def _cell(cell):
    return _words(cell).replace("|", "\\|")


@dataclass(frozen=True)
class Stated:
    """The statements of one paper by their keys; texts have {words} that a measurement fills in."""

    paper: str
    statements: dict

    def claim(self, key, measured, error, found, why=None, **words):
        """The Claim: a statement beside what was measured.

        found : whether it holds, or a verdict; why : in place of the file's reason, which takes {words} too
        """
        said = self.statements[key]
        reason = said.get("why", "").format(**words) if why is None else why
        place, statement, published = (said[part].format(**words) for part in ("place", "statement", "published"))
        said_so = found if isinstance(found, str) else verdict(found)
        if said_so == NOT_TOLD:
            reason = CHANCE
        by_rule = isinstance(found, Judged)
        return Claim(self.paper, place, statement, published, measured, error, str(said_so), reason, key, by_rule)

    def not_testable(self, key, why=None):
        """The Claim of a statement that nothing here can test; why : in place of the file's reason."""
        said = self.statements[key]
        return self.claim(key, said.get("measured", ""), None, NOT_TESTABLE, why or said["not_testable"])

    def with_part(self, part):
        """{key: value} of the statements that have an additional part, such as `order`."""
        return {key: said[part] for key, said in self.statements.items() if part in said}


def statements_of(name):
    """The statements of the paper called `name`."""
    return Stated(**yaml.safe_load(PAPERS[name].read_text(encoding="utf-8")))


FINE = 0.01  # relative difference that counts as none
ROUNDED = 0.05  # of a fitted exponent
NAMES = {"S2": "S²", "P2": "P(2)"}
FAMILIES = {"S": "S^d", "P": "P(k)", "CP": "CP^m"}


class Results:
    """Read-only: {(experiment, setting): {method: values (R,)}}; a setting is given by its names and values."""

    def __init__(self, paths):
        parts = {}
        for path in sorted(map(str, paths)):
            for record in artifacts.records(path, artifacts.SIMULATION):
                key = (record["experiment"], record["setting"])
                parts.setdefault(key, {})[record["block"]] = dict(
                    zip(record["methods"], np.asarray(record["values"]), strict=True)
                )
        self._values = {key: _joined(blocks) for key, blocks in parts.items()}

    def __contains__(self, experiment):
        return any(name == experiment for name, _ in self._values)

    def settings(self, experiment, **fixed):
        """The settings of an experiment, as dictionaries, that have these values."""
        found = [json.loads(setting) for name, setting in self._values if name == experiment]
        return [one for one in found if all(one.get(key) == value for key, value in fixed.items())]

    def methods(self, experiment, **setting):
        """{method: values (R,)} of one setting."""
        return self._values[experiment, text(setting)]

    def values(self, experiment, method, **setting):
        """The replicates (R,) of one method."""
        return self.methods(experiment, **setting)[method]

    def series(self, experiment, method, along, power=1, **fixed):
        """x, mean and standard error of value^power, in rising order of the setting `along`."""
        places = sorted(one[along] for one in self.settings(experiment, **fixed))
        rows = [summary(self.values(experiment, method, **fixed, **{along: x}) ** power) for x in places]
        return np.array(places, dtype=float), *np.array(rows).T


def summary(values):
    """Mean and its standard error (nan for a single value)."""
    error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return float(np.mean(values)), float(error)


def saved(values, baseline):
    """1 - mean(values) / mean(baseline), and its standard error for independent samples (delta method)."""
    (a, sa), (b, sb) = summary(values), summary(baseline)
    return 1 - a / b, a / b * np.hypot(sa / a, sb / b)


def text(setting):
    """A setting as the text that is stored and looked up."""
    return json.dumps(setting, sort_keys=True)


def _joined(blocks):
    ordered = [blocks[number] for number in sorted(blocks)]
    return {method: np.concatenate([one[method] for one in ordered]) for method in ordered[0]}


def generator(seed, cell):
    """The cell's own generator: a child of the seed named by experiment and setting, and by the block."""
    name = f"{cell.experiment} {text(dict(cell.setting))}"
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(crc32(name.encode()), cell.block)))


def functions(names, *modules):
    """{name: the function of that name in one of the modules}."""
    return {name: next(getattr(one, name) for one in modules if hasattr(one, name)) for name in names}


def write(path, cells, experiments, seed):
    """Run each cell, experiments[name](replicates=, rng=, **setting) -> {method: values}, and write one record each."""
    with artifacts.writer(path, artifacts.SIMULATION, {"seed": seed}) as out:
        for cell in progress(cells, len(cells), "cells"):
            setting = dict(cell.setting)
            found = experiments[cell.experiment](replicates=cell.replicates, rng=generator(seed, cell), **setting)
            out.write(
                cell.name,
                experiment=cell.experiment,
                setting=text(setting),
                block=cell.block,
                methods=list(found),
                values=np.array(list(found.values()), dtype=float),
            )


def rate(x, mean, error):
    """Slope b of log mean = a + b log x by least squares with weights (mean / error)², and its standard error."""
    weights = (mean / error) ** 2
    u, y = np.log(x), np.log(mean)
    u = u - np.average(u, weights=weights)
    spread = (weights * u**2).sum()
    return float((weights * u * y).sum() / spread), float(spread**-0.5)


def sizes(results, space, experiment="accuracy"):
    """The sample sizes simulated, rising."""
    return sorted(one["n"] for one in results.settings(experiment, space=space))


def share_saved(results, space, ours, theirs, among):
    """1 - (mean of ours / mean of theirs) averaged over the sample sizes `among`, and its standard error."""
    pairs = [saved(*(results.values("accuracy", method, space=space, n=n) for method in (ours, theirs))) for n in among]
    share, error = np.array(pairs).T
    return float(share.mean()), float(np.sqrt((error**2).sum()) / len(error))


def average(results, experiment, method, settings):
    """Mean over settings of the mean of a method, and its standard error."""
    found = np.array([summary(results.values(experiment, method, **setting)) for setting in settings])
    return float(found[:, 0].mean()), float(np.sqrt((found[:, 1] ** 2).sum()) / len(found))


def exponent(results, experiment, method, along, **fixed):
    """Fitted exponent of the mean squared distance over a setting, with its standard error."""
    return rate(*results.series(experiment, method, along, power=2, **fixed))


def dimension_exponent(results, method, family):
    """The same over the real dimension of a family of spaces."""
    order, mean, error = results.series("dimension", method, "order", power=2, family=family)
    return rate(np.array([spaces.family(family, int(one)).manifold.dim for one in order]), mean, error)


def percent(share, error):
    """A share as words, and its standard error in per cent."""
    return f"{100 * share:.1f} %", 100 * error


def wins(results, space, better, worse, among):
    """Sample sizes at which `better` has the smaller error beyond chance, and those at which it has the larger."""
    ahead = behind = 0
    for n in among:
        share, error = saved(*(results.values("accuracy", method, space=space, n=n) for method in (better, worse)))
        ahead += share > SURE * error
        behind += share < -SURE * error
    return ahead, behind


def rates(said, results, method):
    """The claims `rate` and `dimension` of a paper: how errors fall with n and epsilon, and grow with the dimension."""
    for along, experiment, words in (("n", "sample_size", "n^-2"), ("epsilon", "budget", "epsilon^-2")):
        for space, name in NAMES.items():
            slope, error = exponent(results, experiment, method, along, space=space)
            found = judged(slope, error, *near(-2.0, ROUNDED))
            yield said.claim("rate", f"{slope:.3f}", error, found, name=name, words=words)
    for family, name in FAMILIES.items():
        slope, error = dimension_exponent(results, method, family)
        yield said.claim("dimension", f"{slope:.3f}", error, judged(slope, error, -np.inf, 2 + ROUNDED), name=name)
