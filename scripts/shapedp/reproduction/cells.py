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
UNDECIDED = "not told apart"
NOT_TESTABLE = "not testable"
COLUMNS = ("paper", "place", "statement", "published", "measured", "standard_error", "verdict", "why")
# A measured number is known to so many standard errors either way.
SURE = 3
CHANCE = "not told apart at this scale: set simulation.scale to paper"
# A printed number is met within these shares of it: where a text says "about", and elsewhere.
TENTH, HUNDREDTH = 0.1, 0.01
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
    key : of the statement, which several rows share
    follows_rule : whether the verdict follows from number and error by RULE
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
    follows_rule: bool = False


class RuleVerdict(str):
    """A verdict by RULE."""


def judge(value, error, low, high):
    """Return the verdict on a paper's number: whether what was measured, with its error, lies from low to high."""
    least, most = value - SURE * error, value + SURE * error
    if most < low or least > high:
        return RuleVerdict(DIFFERS)
    return RuleVerdict(AGREES if low <= least and most <= high else UNDECIDED)


def widen(printed, share=HUNDREDTH):
    """Return (low, high) within which a number counts as the printed one."""
    return printed - abs(share * printed), printed + abs(share * printed)


def judge_order(sizes_won, sizes_lost, share, error):
    """Return the verdict on a paper's statement that one mechanism is always better than another.

    sizes_won, sizes_lost : sample sizes at which it is better and worse beyond chance; share : noise saved on average
    """
    if sizes_lost:
        return RuleVerdict(DIFFERS)
    verdict = judge(share, error, 0.0, np.inf)
    return verdict if sizes_won or verdict == DIFFERS else RuleVerdict(UNDECIDED)


@dataclass(frozen=True)
class PaperStatements:
    """The statements of one paper by their keys; texts have {words} that a measurement fills in."""

    paper: str
    statements: dict

    def claim(self, key, measured, error, finding, why=None, **words):
        """Return a row of the claims' table: a paper's statement beside what was measured, and the verdict.

        finding : whether it holds, or a verdict; why : in place of the file's reason, which takes {words} too
        """
        statement = self.statements[key]
        reason = statement.get("why", "").format(**words) if why is None else why
        place, sentence, published = (statement[part].format(**words) for part in ("place", "statement", "published"))
        verdict = str(finding) if isinstance(finding, str) else AGREES if finding else DIFFERS
        reason = CHANCE if verdict == UNDECIDED else reason
        return Claim(
            paper=self.paper,
            place=place,
            statement=sentence,
            published=published,
            measured=measured,
            standard_error=error,
            verdict=verdict,
            why=reason,
            key=key,
            follows_rule=isinstance(finding, RuleVerdict),
        )

    def not_testable(self, key, why=None):
        """Return the Claim of a statement that nothing here can test; why : in place of the file's reason."""
        statement = self.statements[key]
        return self.claim(key, statement.get("measured", ""), None, NOT_TESTABLE, why or statement["not_testable"])

    def no_bias(self, key, measured, share, error, **words):
        """Return the Claim about a relative difference that should be zero."""
        return self.claim(key, measured, 100 * error, judge(share, error, -FINE, FINE), **words)

    def with_part(self, part):
        """Return {key: value} of the statements that have an additional part, such as `order`."""
        return {key: statement[part] for key, statement in self.statements.items() if part in statement}


def read_statements(name):
    """Return the statements of the paper called `name`."""
    return PaperStatements(**yaml.safe_load(PAPERS[name].read_text(encoding="utf-8")))


def collect_verdicts(claims):
    """Return {(paper, key): verdicts of its rows}, to count how many statements agree; some have several rows.

    Rows as printed and as proved belong to one statement.
    """
    verdicts = {}
    for claim in claims:
        key = claim.paper, re.sub(r"_(printed|proved)$", "", claim.key)
        verdicts.setdefault(key, set()).add(claim.verdict)
    return verdicts


def format_table(claims):
    """Return tab-separated lines with a header."""
    return "".join("\t".join(row) + "\n" for row in [COLUMNS, *map(_format_row, claims)])


def format_page(claims, scale):
    """Return the claims as the page that readers get, in Markdown: how many agree, then a table of each paper.

    Parameters
    ----------
    claims : list of Claim
    scale : str
        At which the experiments were simulated: `quick` or `paper`.

    Returns
    -------
    str
    """
    verdicts = list(collect_verdicts(claims).values())
    frequency = Counter(next(iter(rows)) for rows in verdicts if len(rows) == 1)
    counts = ", ".join(f"{frequency[kind]} {kind}" for kind in (AGREES, DIFFERS, UNDECIDED, NOT_TESTABLE))
    lines = ["# Claims of the papers and what was measured", "", f"Simulated at scale `{scale}`.", "", RULE, ""]
    lines += [
        f"{len(verdicts)} statements in {len(claims)} rows: {counts}; {sum(len(rows) > 1 for rows in verdicts)} by the "
        "scale, or as printed and as proved, differently.",
        "",
    ]
    for paper in dict.fromkeys(claim.paper for claim in claims):
        table = [[name.replace("_", " ") for name in COLUMNS], ["---"] * len(COLUMNS)]
        table += [[cell.replace("|", "\\|") for cell in _format_row(claim)] for claim in claims if claim.paper == paper]
        lines += [f"## {paper}", "", *("| " + " | ".join(row[1:]) + " |" for row in table), ""]
    return "\n".join(lines)


def _format_row(claim):
    """Return the texts of a claim's COLUMNS, each in one line."""
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
            self._values[key] = {method: np.concatenate([block[method] for block in ordered]) for method in ordered[0]}

    def __contains__(self, experiment):
        return any(name == experiment for name, _ in self._values)

    def settings(self, experiment, **fixed):
        """Return the settings of an experiment, as dictionaries, that have these values."""
        decoded = [json.loads(setting) for name, setting in self._values if name == experiment]
        return [candidate for candidate in decoded if all(candidate.get(key) == value for key, value in fixed.items())]

    def methods(self, experiment, **setting):
        """Return {method: values (R,)} of one setting."""
        return self._values[experiment, to_text(setting)]

    def only(self, experiment, **fixed):
        """Return {method: values (R,)} of the first setting that has these values, for experiments that have one."""
        return self.methods(experiment, **self.settings(experiment, **fixed)[0])

    def values(self, experiment, method, **setting):
        """Return the replicates (R,) of one method."""
        return self.methods(experiment, **setting)[method]

    def saved(self, experiment, ours, theirs, **setting):
        """Return `compare_means` of one method with another, in one setting."""
        return compare_means(self.values(experiment, ours, **setting), self.values(experiment, theirs, **setting))

    def series(self, experiment, method, along, power=1, **fixed):
        """Return x, mean and standard error of value^power over the setting `along`, for a figure's line or a rate."""
        places = sorted(setting[along] for setting in self.settings(experiment, **fixed))
        rows = [summarise(self.values(experiment, method, **fixed, **{along: x}) ** power) for x in places]
        return np.array(places, dtype=float), *np.array(rows).T

    def dimension_series(self, method, family):
        """The same of squared distances over the real dimension of a family of spaces."""
        order, mean, error = self.series("dimension", method, "order", power=2, family=family)
        return np.array([spaces.family_space(family, int(number)).manifold.dim for number in order]), mean, error


def summarise(values):
    """Return mean and its standard error (nan for a single value)."""
    error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return float(np.mean(values)), float(error)


def divide(above, below):
    """Return above/below and its standard error, both (mean, error) and independent (delta method)."""
    (a, sa), (b, sb) = above, below
    return a / b, float(a / b * np.hypot(sa / a, sb / b))


def compare_means(values, baseline):
    """Return 1 - mean(values) / mean(baseline), and its standard error for independent samples."""
    share, error = divide(summarise(values), summarise(baseline))
    return 1 - share, error


def to_text(setting):
    """Return a setting as the text that is stored and looked up."""
    return json.dumps(setting, sort_keys=True)


def make_generator(seed, cell):
    """Return the cell's own generator: a child of the seed named by experiment and setting, and by the block."""
    name = f"{cell.experiment} {to_text(dict(cell.setting))}"
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(crc32(name.encode()), cell.block)))


def find_functions(names, *modules):
    """Return {name: the function of that name in one of the modules}."""
    return {name: next(getattr(module, name) for module in modules if hasattr(module, name)) for name in names}


def write(path, cells, experiments, seed):
    """Run a job's experiments and store their values, one record a cell, for claims and figures.

    Parameters
    ----------
    path : path
        The artifact SIMULATION to write.
    cells : list of Cell
    experiments : dict
        {name: function(replicates, rng, **setting) -> {method: values}}.
    seed : int
    """
    with artifacts.writer(path, artifacts.SIMULATION, {"seed": seed}) as out:
        for cell in report_progress(cells, len(cells), "cells"):
            setting = dict(cell.setting)
            measured = experiments[cell.experiment](
                replicates=cell.replicates, rng=make_generator(seed, cell), **setting
            )
            values = {"methods": list(measured), "values": np.array(list(measured.values()), dtype=float)}
            out.write(cell.name, experiment=cell.experiment, setting=to_text(setting), block=cell.block, **values)


def fit_rate(x, mean, error):
    """Return how fast an error falls or grows: the slope b of log mean = a + b log x, and its standard error.

    It is by least squares with weights (mean / error)².
    """
    weights = (mean / error) ** 2
    u, y = np.log(x), np.log(mean)
    u = u - np.average(u, weights=weights)
    spread = (weights * u**2).sum()
    return float((weights * u * y).sum() / spread), float(spread**-0.5)


def list_sizes(results, space, experiment="accuracy"):
    """Return the sample sizes simulated, rising."""
    return sorted(setting["n"] for setting in results.settings(experiment, space=space))


def average_independent(pairs):
    """Return mean of (value, standard error) pairs that are independent, and its standard error."""
    values, errors = np.array(list(pairs)).T
    return float(values.mean()), float(np.sqrt((errors**2).sum()) / len(errors))


def average_saving(results, space, ours, theirs, among):
    """Return 1 - (mean of ours / mean of theirs) averaged over the sample sizes `among`, and its standard error."""
    return average_independent(results.saved("accuracy", ours, theirs, space=space, n=n) for n in among)


def format_share(share, error):
    """Return a share as words, and its standard error in per cent."""
    return f"{100 * share:.1f} %", 100 * error


def count_wins(results, space, better, worse, among):
    """Return at how many sample sizes `better` has the smaller error beyond chance, and at how many the larger."""
    shares = [results.saved("accuracy", better, worse, space=space, n=n) for n in among]
    return sum(share > SURE * error for share, error in shares), sum(share < -SURE * error for share, error in shares)


def claim_rates(statements_of_paper, results, method):
    """Yield the claims' rows on a paper's rates: how errors fall with n and epsilon, and grow with the dimension."""
    for along, experiment, words in (("n", "sample_size", "n^-2"), ("epsilon", "budget", "epsilon^-2")):
        for space, name in NAMES.items():
            slope, error = fit_rate(*results.series(experiment, method, along, power=2, space=space))
            # The paper proves an upper bound: an error that falls faster is within it.
            verdict = judge(slope, error, -np.inf, -2.0 + ROUNDED)
            yield statements_of_paper.claim("rate", f"{slope:.3f}", error, verdict, name=name, words=words)
    for family, name in FAMILIES.items():
        slope, error = fit_rate(*results.dimension_series(method, family))
        yield statements_of_paper.claim(
            "dimension", f"{slope:.3f}", error, judge(slope, error, -np.inf, 2 + ROUNDED), name=name
        )
