"""The sheet for whoever must say yes to a release: one printed page, from its statement alone.

It says what leaves the house, what cannot be learned and how sure that is, what remains, and who declares what. Then it
answers the questions that bind those who decide, each with the lines of `statement.json` that the answer rests on.
Which rules ask them stands with its sources in docs/guarantee.md. It decides nothing: rules are read by people.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

from shapedp.base.settings import subjects
from shapedp.releases.statement import guarantees, statement_tables
from shapedp.releases.viewer.view import make_document, put_in_words_of_subject

BOARD = "for_the_board.html"
# People behind a number, which output checkers commonly ask for at least.
SMALLEST = 10
NOT_GIVEN = "not given"


@dataclass(frozen=True)
class Question:
    """rule : whose question it is; asks, answer : in words; lines : of the statement that the answer rests on, as
    `quote_line` finds them
    """

    rule: str
    asks: str
    answer: str
    lines: tuple[str, ...]


def list_questions(statement: dict[str, Any]) -> list[Question]:
    """Return what ethics boards, GDPR, HIPAA and output checkers ask, each answered of this release.

    The questions are the same for every release.
    """
    return [
        *_answer_gdpr(statement),
        *_answer_american_rules(statement),
        *_answer_output_checkers(statement),
        *_answer_boards(statement),
    ]


def _answer_gdpr(statement):
    """Yield the questions of the GDPR that a data protection officer must answer, with their answers."""
    n, private = statement["release"]["n"], statement["formally_private"]
    limit = _describe_right_guesses(statement)
    yield Question(
        "GDPR, recital 26",
        "Can a person be singled out, by any means reasonably likely to be used?",
        f"{limit} The limit holds for any means and any other knowledge. Whether that makes the release anonymous is "
        "for the controller to decide.",
        _guarantee_lines(statement, "right_guesses"),
    )
    yield Question(
        "GDPR, recital 26",
        "Can a record that somebody holds be linked to the release?",
        _describe_recognition(statement),
        _guarantee_lines(statement, "hits"),
    )
    yield Question(
        "GDPR, recital 26",
        "Can something be inferred about one person?",
        "What holds of the whole population, yes, of members who took no part as well. Beyond that, no more than the "
        "limit above allows."
        if private
        else "Yes: no limit is proved.",
        ("not_protected.3", "summary"),
    )
    yield Question(
        "GDPR, article 89(1)",
        "Which safeguards see to data minimisation?",
        f"Of {n} records one statistic leaves, with noise. Beside this stands whether records were clipped, spending "
        "was recorded before noise was drawn, and files were compared with a list.",
        ("conditions.records_clipped", "conditions.recorded_first", "conditions.side_paths_closed"),
    )


def _answer_american_rules(statement):
    """Yield the questions of HIPAA and of American funders, with their answers."""
    mechanism, declared = statement["mechanism"], statement["declared"]
    yield Question(
        "HIPAA, 45 CFR 164.514(b)(1)",
        "For an expert determination: how small is the risk, by which method, and is it documented?",
        f"{_describe_right_guesses(statement)} Method: {mechanism['name']}; its conditions, and how each is known, are "
        "documented. "
        " The expert decides whether that is very small.",
        (*_guarantee_lines(statement, "right_guesses")[:1], "conditions.proved_calibration", "mechanism.name"),
    )
    yield Question(
        "HIPAA, 45 CFR 164.514(b)(2)(i)(Q)",
        "Is there a full-face photograph, or a comparable image, of a person?",
        "No. Pictures and meshes show a statistic of all, noise included. It may look like somebody and is nobody.",
        ("release.statistic", "release.n"),
    )
    yield Question(
        "FaceBase and NIH, data access",
        "Is it summary-level, for open access, or individual-level, for controlled access?",
        f"Summary-level: {_name_statistic(statement)}. No record of a person is in it.",
        ("release.statistic", "conditions.side_paths_closed"),
    )
    consent = declared["consent"]
    yield Question(
        "NIH and boards, consent",
        "Did those who took part agree to such a publication?",
        "That is declared; it stands above, as given. The software cannot know it."
        if consent
        else "It is not declared. Ask whoever made the release.",
        ("declared.consent",),
    )


def _answer_output_checkers(statement):
    """Yield the questions of those who check what may leave a safe room, and of the EHDS, with their answers."""
    release, sensitivity = statement["release"], statement["mechanism"]["sensitivity"]
    enough = "more" if release["n"] >= SMALLEST else "FEWER"
    moved = (
        "How far one can move the result is withheld, since it follows from private data"
        if sensitivity["value"] is None
        else f"One record moves the result by {sensitivity['value']:.3g}{_unit(sensitivity)} at most"
    )
    yield Question(
        "EHDS, article 73",
        "Does only non-personal data, in an anonymised statistical format, leave?",
        f"It is {_name_statistic(statement)}, in files that were each compared with a list of what may leave. "
        f"{'The limit on what it tells of one person is proved.' if _is_private(statement) else 'No limit is proved.'} "
        "The health data access body decides.",
        ("formally_private", "conditions.side_paths_closed"),
    )
    yield Question(
        "Output checkers (SACRO), threshold",
        f"Are there at least {SMALLEST} people behind every number?",
        f"{release['n']}: {'as many or ' * (release['n'] == SMALLEST)}{enough} than {SMALLEST}, and noise besides. No "
        "smaller cell is counted: what is told of levels and ages follows from noised sums of all of them.",
        ("release.n", "conditions.fixed_count"),
    )
    yield Question(
        "Output checkers, dominance",
        "Can one person dominate a number?",
        f"{'No' if _holds(statement, 'records_clipped') else 'Yes'}: "
        f"{statement_tables.EVIDENCE[statement['mechanism']['clipping']]}. {moved}.",
        ("conditions.records_clipped", "mechanism.sensitivity.value"),
    )
    yield Question(
        "Output checkers, differencing",
        "What if this is subtracted from, or combined with, other outputs on these people?",
        _describe_total(statement),
        ("composition", *_list_budget_lines(statement)),
    )


def _answer_boards(statement):
    """Yield the questions that any ethics board asks, with their answers."""
    declared_conditions = [condition for condition in statement["conditions"] if condition["known"] == "declared"]
    yield Question(
        "Any board",
        "Whom does the promise cover, as one unit?",
        f"{statement['unit'].capitalize()}. Families and other groups are covered less: k people, k times the number.",
        ("unit", "neighbours", "not_protected.4"),
    )
    yield Question(
        "Any board",
        "Were bounds and settings chosen without looking at these people?",
        f"Bounds: {_yes(_holds(statement, 'public_bounds'))}. Settings: "
        f"{_yes(_holds(statement, 'public_tuning'))}, which is declared"
        f"{'' if statement['declared']['sources'].get('settings') else ', and how is not given'}.",
        ("conditions.public_bounds", "conditions.public_tuning"),
    )
    yield Question(
        "Any board",
        "What must be believed, since no software can check it?",
        f"{len(declared_conditions)} of {len(statement['conditions'])} conditions; they are listed above.",
        tuple(f"conditions.{condition['name']}" for condition in declared_conditions) or ("conditions",),
    )


def _yes(holds):
    """Return yes, or a NO that is not overlooked."""
    return "yes" if holds else "NO"


def _is_private(statement):
    """Return whether a statement holds a guarantee."""
    return statement["formally_private"]


def _holds(statement, name):
    """Return whether the condition of this name holds."""
    return next(condition["holds"] for condition in statement["conditions"] if condition["name"] == name)


def _name_statistic(statement):
    """Return in words what leaves the house, and of how many people."""
    release = statement["release"]
    group = f" of the group {release['group']['name']}" if release["group"] else ""
    return f"one {release['statistic']}{group} of {release['n']} people, noise included"


def _unit(sensitivity):
    """Return the unit of a sensitivity in brackets; nothing where it has none."""
    return "" if sensitivity["unit"] == "1" else f" ({sensitivity['unit']})"


def _describe_right_guesses(statement):
    """Return a sentence on how often an opponent who knows all but one record guesses right, for the ethics board."""
    if not _is_private(statement):
        return "No limit is proved."
    guarantee = statement["guarantee"]
    return (
        f"Who knows all records but one, and must tell which of two that one is, guesses right at most "
        f"{guarantee['right_guesses']:.1%} of the time; a coin gives 50%."
    )


def _describe_recognition(statement):
    """Return the answer, for the ethics board, to whether a record that somebody holds can be linked to the release.

    It is how many of 100 people whose record is at hand are recognised at most.
    """
    if not _is_private(statement):
        return "Nothing proved stands against it."
    return (
        f"Of 100 whose record it is, at most {statement['guarantee']['hits'] * 100:.1f} are recognised if 5 in 100 "
        "wrong alarms are accepted; guessing finds 5."
    )


def _guarantee_lines(statement, number):
    """Return the lines that hold the number of a guarantee, or the reasons why there is none."""
    return (f"guarantee.{number}",) if _is_private(statement) else ("reasons.0", "guarantee.kind")


def _describe_total(statement):
    """Return a sentence for the ethics board on what this release and the others on these people come to together."""
    if statement_tables.is_of_several(statement):
        return statement_tables.spending_elsewhere(statement)
    budget = statement["budget"]
    cap = ", ".join(f"{key.removesuffix('_total')} = {value:g}" for key, value in budget["cap"].items()) or "no cap"
    return (
        f"It adds up by a proved rule. All releases of population {budget['population']} with this one: mu = "
        f"{budget['after']['mu']:.4g}; agreed cap: {cap}. What others published of them is not counted."
    )


def _list_budget_lines(statement):
    """Return which lines of the statement say what was spent, to be quoted beside `_describe_total`."""
    if statement_tables.is_of_several(statement):
        return ("not_protected.6",)
    return "budget.after.mu", "budget.cap", "not_protected.6"


def quote_line(statement: dict[str, Any], line: str) -> str:
    """Return what a line of the statement says, in short, so that the ethics board sees what an answer rests on.

    Parameters
    ----------
    statement : dict
        The statement.
    line : str
        Keys and places from the top, with dots between; a condition goes by its name.

    Returns
    -------
    str
        A number, a word, or the line's whole sentence; of a condition, whether it holds and how that is known.
    """
    content = statement
    for key in line.split("."):
        if isinstance(content, list):
            content = (
                content[int(key)]
                if key.isdigit()
                else next(condition for condition in content if condition["name"] == key)
            )
        else:
            content = content[key]
    match content:
        case {"requirement": _}:
            return f"{_yes(content['holds'])}, {content['known']}"
        case dict():
            return ", ".join(f"{key} = {value:g}" for key, value in content.items()) or "none"
        case list():
            return f"{len(content)} of them"
        case bool():
            return str(content).lower()
        case None:
            return "null"
        case float():
            return f"{content:.4g}"
    return str(content)


# Letters of a quotation; a longer one is named by its place alone.
SHOWN = 40


def render_page(statement: dict[str, Any]) -> str:
    """Return for_the_board.html, the printed sheet, as HTML: the same statement gives the same page."""
    release, private = statement["release"], _is_private(statement)
    group = f" of the group {release['group']['name']}" if release["group"] else ""
    strength, meaning = guarantees.strength(statement["guarantee"]) if private else ("", "")
    verdict = f"Formally private, {strength}: at worst, an opponent who knows all else is {meaning}."
    text = make_document(
        "board.html",
        title=escape(f"For whoever must say yes: {release['statistic']}{group} of {release['n']} people"),
        verdict_class=strength.replace(" ", "-") if private else "fails",
        verdict=escape(verdict if private else "NOT formally private: nobody is promised anything."),
        leaves=escape(
            f"{_name_statistic(statement)[0].upper()}{_name_statistic(statement)[1:]}, the size of that noise, "
            "the settings, and "
            "tables, pictures and meshes that are drawn from these. No scan, no record, no name of a person."
        ),
        learned="\n".join(f"<p>{escape(sentence)}</p>" for sentence in _say_what_can_be_learned(statement)),
        remains=_listed(statement["not_protected"]),
        declared=_listed(_list_declared(statement)),
        rows="\n".join(_render_question(statement, question) for question in list_questions(statement)),
        digest=escape(statement["settings_digest"][:16]),
        date=escape(statement["date"]),
    )
    return put_in_words_of_subject(subjects.from_statement(statement), text)


def _say_what_can_be_learned(statement):
    """Yield sentences for the ethics board on what can be learned of one person, and what cannot."""
    yield statement["summary"]
    if _is_private(statement):
        yield (
            f"Of somebody whose record is at hand: {_describe_recognition(statement)[0].lower()}"
            f"{_describe_recognition(statement)[1:]}"
        )
    else:
        yield " ".join(statement["reasons"])


def _list_declared(statement) -> Iterator[str]:
    """Yield lines that warn an ethics board what only whoever made the release vouches for, and what rests on it."""
    declared = statement["declared"]
    yield from (f"{words}: {declared[key] or NOT_GIVEN}" for key, words in statement_tables.LABELS.items())
    for condition in statement["conditions"]:
        if condition["known"] == "declared":
            yield f"{condition['requirement']} Declared: {_yes(condition['holds'])}."


def _listed(sentences):
    """Return sentences as items of an HTML list."""
    return "\n".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)


def _render_question(statement, question):
    """Return HTML of one question of the sheet, with its answer and the lines of the statement that it rests on."""
    lines = []
    for line in question.lines:
        words = quote_line(statement, line)
        lines.append(f"<code>{escape(line)}</code>" + (f": {escape(words)}" if len(words) <= SHOWN else ""))
    return (
        f'<tr><th scope="row"><span class="rule">{escape(question.rule)}</span> {escape(question.asks)}</th>'
        f"<td>{escape(question.answer)}</td><td>{'; '.join(lines)}</td></tr>"
    )
