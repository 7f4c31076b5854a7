"""A statement of a paper beside what was measured here; the common shape of claims_laplace, _kng and _faces.

What a paper states, and where, stands in papers/*.yaml; these modules measure it. Each has one function
`rows(results) -> list[Claim]`, results a `results.Results` over all simulation artifacts that were made. A module whose
experiments are not among them returns its claims as NOT_TESTABLE, with the reason. `scripts/tabulate_claims.py` writes
all rows to results/simulation/claims.tsv and .md.
"""

from dataclasses import dataclass

AGREES = "agrees"
DIFFERS = "differs"
NOT_TESTABLE = "not testable"
COLUMNS = ("paper", "place", "statement", "published", "measured", "standard_error", "verdict", "why")


@dataclass(frozen=True)
class Claim:
    """One row, all text but the numbers.

    place : section, figure, table or page; published : the paper's number or words; measured : ours, with its unit
    standard_error : of the measured number, in its unit, None where it is exact or is no number
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


def verdict(holds):
    """AGREES or DIFFERS."""
    return AGREES if holds else DIFFERS


def verdict_on_order(ahead, behind, share, error, sure):
    """Is one mechanism better than another, of which a paper says that it always is?

    ahead, behind : sample sizes at which it is better and worse beyond chance; share : noise saved on average
    """
    if behind or share < -sure * error:
        return DIFFERS
    return AGREES if ahead and share > sure * error else NOT_TESTABLE


def verdict_on_zero(difference, error, sure, fine):
    """Is a difference zero? Beyond `sure` standard errors it is not; it is if they are finer than `fine`."""
    if abs(difference) > sure * error:
        return DIFFERS
    return AGREES if error < fine else NOT_TESTABLE


def table(claims):
    """Tab-separated lines with a header."""
    return "".join("\t".join(_words(cell) for cell in row) + "\n" for row in [COLUMNS, *_rows(claims)])


def page(claims, scale):
    """The same as Markdown, a section a paper, differences first in the count."""
    lines = ["# Claims of the papers and what was measured", "", f"Simulated at scale `{scale}`.", ""]
    counts = {kind: sum(one.verdict == kind for one in claims) for kind in (AGREES, DIFFERS, NOT_TESTABLE)}
    lines += [f"{len(claims)} statements: " + ", ".join(f"{count} {kind}" for kind, count in counts.items()) + ".", ""]
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
