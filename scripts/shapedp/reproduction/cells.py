"""The cells of a job computed, their results gathered, and the papers' statements beside what was measured.

The results are no private data: numpy's generator, seeded, is the right one here.

What a paper states, and where, stands in papers/*.yaml; `claims_laplace`, `_kng` and `_faces` measure it. Each has one
function `rows(results) -> list[Claim]`, results a `Results` over all simulation artifacts that were made. A module
whose experiments are not among them returns its claims as NOT_TESTABLE, with the reason.
`scripts/tabulate_claims.py` writes all rows to results/simulation/claims.tsv and .md.
"""

import json
import re
from collections import Counter
from dataclasses import astuple, dataclass
from zlib import crc32

import numpy as np
import yaml

from shapedp.base import artifacts
from shapedp.base.runs.logs import report_progress
from shapedp.reproduction import spaces
from shapedp.reproduction.experiments import PAPERS

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
FINE = 0.01  # relative difference that counts as none
ROUNDED = 0.05  # of a fitted exponent
NAMES = {"S2": "S²", "P2": "P(2)"}
FAMILIES = {"S": "S^d", "P": "P(k)", "CP": "CP^m"}


@dataclass(frozen=True)
class Claim:
    """One row, all text but the numbers; its first fields are COLUMNS.

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
        texts = (said[part].format(**words) for part in ("place", "statement", "published"))
        verdict = str(found) if isinstance(found, str) else AGREES if found else DIFFERS
        reason = CHANCE if verdict == NOT_TOLD else reason
        return Claim(self.paper, *texts, measured, error, verdict, reason, key, isinstance(found, Judged))

    def not_testable(self, key, why=None):
        """The Claim of a statement that nothing here can test; why : in place of the file's reason."""
        said = self.statements[key]
        return self.claim(key, said.get("measured", ""), None, NOT_TESTABLE, why or said["not_testable"])

    def no_bias(self, key, measured, share, error, **words):
        """The Claim about a relative difference that should be zero."""
        return self.claim(key, measured, 100 * error, judged(share, error, -FINE, FINE), **words)

    def with_part(self, part):
        """{key: value} of the statements that have an additional part, such as `order`."""
        return {key: said[part] for key, said in self.statements.items() if part in said}


def statements_of(name):
    """The statements of the paper called `name`."""
    return Stated(**yaml.safe_load(PAPERS[name].read_text(encoding="utf-8")))


def statements(claims):
    """{(paper, key): verdicts of its rows}; rows as printed and as proved belong to one statement."""
    found = {}
    for claim in claims:
        key = claim.paper, re.sub(r"_(printed|proved)$", "", claim.key)
        found.setdefault(key, set()).add(claim.verdict)
    return found


def claims_table(claims):
    """Tab-separated lines with a header."""
    return "".join("\t".join(row) + "\n" for row in [COLUMNS, *map(_cells, claims)])


def claims_page(claims, scale):
    """The same as Markdown, a section a paper, differences first in the count."""
    verdicts = list(statements(claims).values())
    counted = Counter(next(iter(one)) for one in verdicts if len(one) == 1)
    counts = ", ".join(f"{counted[kind]} {kind}" for kind in (AGREES, DIFFERS, NOT_TOLD, NOT_TESTABLE))
    lines = ["# Claims of the papers and what was measured", "", f"Simulated at scale `{scale}`.", "", RULE, ""]
    lines += [
        f"{len(verdicts)} statements in {len(claims)} rows: {counts}; {sum(len(one) > 1 for one in verdicts)} by the "
        "scale, or as printed and as proved, differently.",
        "",
    ]
    for paper in dict.fromkeys(claim.paper for claim in claims):
        table = [[name.replace("_", " ") for name in COLUMNS], ["---"] * len(COLUMNS)]
        table += [[cell.replace("|", "\\|") for cell in _cells(claim)] for claim in claims if claim.paper == paper]
        lines += [f"## {paper}", "", *("| " + " | ".join(row[1:]) + " |" for row in table), ""]
    return "\n".join(lines)


def _cells(claim):
    """The texts of a claim's COLUMNS, each in one line."""
    cells = ("" if cell is None else f"{cell:.2g}" if isinstance(cell, float) else str(cell) for cell in astuple(claim))
    return [" ".join(text.split()) for text in cells][: len(COLUMNS)]


class Results:
    """Read-only: {(experiment, setting): {method: values (R,)}}; a setting is given by its names and values."""

    def __init__(self, paths):
        blocks = {}
        for path in sorted(map(str, paths)):
            for record in artifacts.records(path, artifacts.SIMULATION):
                values = dict(zip(record["methods"], np.asarray(record["values"]), strict=True))
                blocks.setdefault((record["experiment"], record["setting"]), {})[record["block"]] = values
        self._values = {}
        for key, numbered in blocks.items():
            ordered = [numbered[number] for number in sorted(numbered)]
            self._values[key] = {method: np.concatenate([one[method] for one in ordered]) for method in ordered[0]}

    def __contains__(self, experiment):
        return any(name == experiment for name, _ in self._values)

    def settings(self, experiment, **fixed):
        """The settings of an experiment, as dictionaries, that have these values."""
        found = [json.loads(setting) for name, setting in self._values if name == experiment]
        return [one for one in found if all(one.get(key) == value for key, value in fixed.items())]

    def methods(self, experiment, **setting):
        """{method: values (R,)} of one setting."""
        return self._values[experiment, text(setting)]

    def only(self, experiment, **fixed):
        """{method: values (R,)} of the first setting that has these values, for experiments that have one."""
        return self.methods(experiment, **self.settings(experiment, **fixed)[0])

    def values(self, experiment, method, **setting):
        """The replicates (R,) of one method."""
        return self.methods(experiment, **setting)[method]

    def saved(self, experiment, ours, theirs, **setting):
        """The `saved` of one method beside another, in one setting."""
        return saved(self.values(experiment, ours, **setting), self.values(experiment, theirs, **setting))

    def series(self, experiment, method, along, power=1, **fixed):
        """x, mean and standard error of value^power, in rising order of the setting `along`."""
        places = sorted(one[along] for one in self.settings(experiment, **fixed))
        rows = [summary(self.values(experiment, method, **fixed, **{along: x}) ** power) for x in places]
        return np.array(places, dtype=float), *np.array(rows).T

    def dimension_series(self, method, family):
        """The same of squared distances over the real dimension of a family of spaces."""
        order, mean, error = self.series("dimension", method, "order", power=2, family=family)
        return np.array([spaces.family(family, int(one)).manifold.dim for one in order]), mean, error


def summary(values):
    """Mean and its standard error (nan for a single value)."""
    error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return float(np.mean(values)), float(error)


def ratio(above, below):
    """above/below and its standard error, both (mean, error) and independent (delta method)."""
    (a, sa), (b, sb) = above, below
    return a / b, float(a / b * np.hypot(sa / a, sb / b))


def saved(values, baseline):
    """1 - mean(values) / mean(baseline), and its standard error for independent samples."""
    share, error = ratio(summary(values), summary(baseline))
    return 1 - share, error


def text(setting):
    """A setting as the text that is stored and looked up."""
    return json.dumps(setting, sort_keys=True)


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
        for cell in report_progress(cells, len(cells), "cells"):
            setting = dict(cell.setting)
            found = experiments[cell.experiment](replicates=cell.replicates, rng=generator(seed, cell), **setting)
            values = {"methods": list(found), "values": np.array(list(found.values()), dtype=float)}
            out.write(cell.name, experiment=cell.experiment, setting=text(setting), block=cell.block, **values)


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


def average(pairs):
    """Mean of (value, standard error) pairs that are independent, and its standard error."""
    values, errors = np.array(list(pairs)).T
    return float(values.mean()), float(np.sqrt((errors**2).sum()) / len(errors))


def share_saved(results, space, ours, theirs, among):
    """1 - (mean of ours / mean of theirs) averaged over the sample sizes `among`, and its standard error."""
    return average(results.saved("accuracy", ours, theirs, space=space, n=n) for n in among)


def percent(share, error):
    """A share as words, and its standard error in per cent."""
    return f"{100 * share:.1f} %", 100 * error


def wins(results, space, better, worse, among):
    """Sample sizes at which `better` has the smaller error beyond chance, and those at which it has the larger."""
    shares = [results.saved("accuracy", better, worse, space=space, n=n) for n in among]
    return sum(share > SURE * error for share, error in shares), sum(share < -SURE * error for share, error in shares)


def rates(said, results, method):
    """The claims `rate` and `dimension` of a paper: how errors fall with n and epsilon, and grow with the dimension."""
    for along, experiment, words in (("n", "sample_size", "n^-2"), ("epsilon", "budget", "epsilon^-2")):
        for space, name in NAMES.items():
            slope, error = rate(*results.series(experiment, method, along, power=2, space=space))
            found = judged(slope, error, -np.inf, -2.0 + ROUNDED)  # an upper bound: faster is within it
            yield said.claim("rate", f"{slope:.3f}", error, found, name=name, words=words)
    for family, name in FAMILIES.items():
        slope, error = rate(*results.dimension_series(method, family))
        yield said.claim("dimension", f"{slope:.3f}", error, judged(slope, error, -np.inf, 2 + ROUNDED), name=name)
