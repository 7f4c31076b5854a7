"""A statement in forms that reviewers know, from its JSON alone: OpenDP's registry of deployments, NIST SP 800-226.

registry.yaml   an entry of the registry, by its schema (`schemas/deployments.schema.yaml`, with its MIT licence). It is
                left unmade where something that the registry requires was not declared; `missing` says what
nist.md         what the publication asks of a guarantee, each question answered or left to the curator
"""

import math
from functools import cache
from itertools import count
from typing import Any

import jsonschema
import yaml

from shapedp.base.errors import RefusedRelease
from shapedp.base.settings import subjects
from shapedp.privacy.accounting.cost import gdp_epsilon
from shapedp.releases import kinds
from shapedp.releases.statement import statement as statements
from shapedp.releases.statement import statement_tables, statement_text

REGISTRY, NIST = "registry.yaml", "nist.md"
SCHEMA = statements.SCHEMAS / "deployments.schema.yaml"
CURATOR = "For the curator"
REQUIRED = {"by": "who releases", "purpose": "the intended use", "region": "whom or whose laws it describes"}
LEDGERS_OF_SOURCES = {  # what they hold besides, by whether every release in them has a guarantee
    True: "By these, no release of their ledgers lacks a guarantee.",
    False: "By these, at least one release of their ledgers has no guarantee.",
    None: "What else their ledgers hold is for those who keep them to say.",
}
LABEL = "This is post-processing of `statement.json`: it says nothing more of anybody."


def write_forms(statement: dict[str, Any], name: str) -> dict[str, str]:
    """Return {file name: text} of the forms, as reviewers ask for them, that are shown beside a release.

    Parameters
    ----------
    statement : dict
        Of the release.
    name : str
        What it is called.
    """
    texts = {NIST: subjects.from_statement(statement).in_words(write_nist(statement))}
    return texts if list_missing(statement) else texts | {REGISTRY: write_registry(statement, name)}


def list_missing(statement: dict[str, Any]) -> list[str]:
    """Return what was not declared that an entry of the registry needs, to tell the user; [] where it can be made."""
    if not statement["formally_private"]:
        return ["a guarantee"]
    lacking = [key for key in REQUIRED if not statement["declared"].get(key)]
    return [f"privacy.statement.{key} ({REQUIRED[key]})" for key in lacking]


def write_registry(statement: dict[str, Any], name: str) -> str:
    """Return registry.yaml, with which a release can be entered in OpenDP's registry of deployments.

    It meets the registry's schema.
    """
    declared, guarantee = statement["declared"], statement["guarantee"]
    pure, shown = guarantee["kind"] == "pure", subjects.from_statement(statement)
    unit = shown.word if statement["release"]["branch"] == "faces" else "shape"
    bounds = [f"{part['name']} {_origin(part['origin'])}" for part in statement["bounds"]]
    mechanism = statement["mechanism"]
    condition_texts = [f"{part['requirement']} ({part['known']})" for part in statement["conditions"]]
    deployment = {
        "basic": _describe_release(statement, name),
        "dp_variant": {
            "variant_name": "Pure DP" if pure else "Zero-concentrated DP",
            "data_domain": (
                f"n = {statement['release']['n']} records of a {unit} each, any record; clipped to public bounds: "
                f"{', '.join(bounds)}."
            ),
            "unprotected_quantities": "n, the settings, and all public objects that statement.json names.",
        },
        "privacy_loss": {
            "privacy_unit": "One person",
            "privacy_unit_details": f"{statement['unit']}; {statement['neighbours']}.",
            "privacy_parameters": {"epsilon": guarantee["epsilon"]} if pure else {"rho": guarantee["rho"]},
            "privacy_parameters_details": f"{_describe_parameters(statement)} {_meaning(guarantee)}",
        },
        "deployment_model": _describe_trust(statement),
        "accounting": {
            "post_processing": _describe_post_processing(statement),
            "composition": f"{statement['composition']} {_describe_spending(statement)}",
        },
        "implementation": {
            "preprocessing_and_hyperparameter_tuning": (
                f"{_tuning(statement)}. Template {_origin(statement['template'])}; reference "
                f"{_origin(statement['reference'])}."
            ),
            "mechanisms": (
                f"{mechanism['words']} ({mechanism['name']}). Sensitivity: {mechanism['sensitivity']['formula']}. "
                f"Noise: {statement_text.SAMPLERS[statement['noise']['sampler']]}. {_software(statement)}."
            ),
            "justification": (
                f"Conditions that the guarantee rests on, and how each is known: {'; '.join(condition_texts)}"
            ),
        },
        "administrative": {
            "sources": "statement.md and statement.json, beside this file",
            "notes": f"Written by {_software(statement)} from the statement of the release.",
            "registry_authors": [declared["by"]],
        },
    }
    entry = {"url_slug": name.lower().replace("_", "-"), "status": "Draft", "tier": 3, "deployment": deployment}
    # The registry's own schema decides; what it refuses is some declared word, so that is what is to be corrected.
    fault = next(_validator().iter_errors(entry), None)
    if fault is not None:
        where = ".".join(map(str, fault.absolute_path))
        raise RefusedRelease(f"{name}/{REGISTRY}: {where}: {fault.message[:200]}; correct privacy.statement")
    return yaml.safe_dump(entry, sort_keys=False, allow_unicode=True, width=120)


@cache
def _validator():
    """Return the validator of the registry's schema."""
    return jsonschema.Draft202012Validator(yaml.safe_load(SCHEMA.read_text(encoding="utf-8")))


def _software(statement):
    """Return name and version of the program that made a statement."""
    return f"{statement['software']['name']} {statement['software']['version']}"


def _describe_spending(statement):
    """Return a sentence on what all releases of the population come to, for the registry's field on composition."""
    if statement_tables.is_of_several(statement):
        return statement_tables.spending_elsewhere(statement)
    spent = statement["budget"]
    cap = ", ".join(f"{key} {value:g}" for key, value in spent["cap"].items()) or "none"
    return (
        f"All releases about the population {spent['population']} with this one: mu = {spent['after']['mu']:.4g}, "
        f"rho = {spent['after']['rho']:.4g}; cap: {cap}."
    )


def _describe_release(statement, name):
    """Return the registry entry's part that says what was released, by whom and why."""
    declared, release = statement["declared"], statement["release"]
    group = f" of the group {release['group']['name']}" if release["group"] else ""
    is_model = release["statistic"].endswith("model")
    described = f"A {release['statistic']}{group} of {release['n']} people listed. {statement['summary']}"
    basic = {
        "name": name,
        "data_curators": [declared["by"]],
        "description": subjects.from_statement(statement).in_words(described),
        "intended_use": declared["purpose"],
        "data_product_type": "Machine learning model" if is_model else "Summary statistics",
        "data_product_region": declared["region"],
        "publication_date": statement["date"],
    }
    return basic | ({"data_product_sector": declared["sector"]} if declared.get("sector") else {})


def _origin(origin):
    """Return where a public object comes from, in words."""
    return f"from {statement_tables.SOURCES[origin['source']]}"


def _describe_parameters(statement):
    """Return the guarantee's own parameters, and the epsilon at delta = 1/n^2 that reviewers compare by."""
    guarantee, n = statement["guarantee"], statement["release"]["n"]
    if guarantee["kind"] == "pure":
        return f"epsilon = {guarantee['epsilon']:.6g}, delta = 0."
    eta = statement["noise"].get("eta", 0.0)  # which statements before version 3 lack
    # NIST asks for a delta of 1/n^2 at most.
    epsilon = gdp_epsilon(guarantee["mu"], math.exp(-eta) / n**2) + 2 * eta
    slack = f" up to a factor e^{eta:.1e} on any probability" if eta else ""
    return (
        f"Gaussian differential privacy with mu = {guarantee['mu']:.6g}{slack}; rho = {guarantee['rho']:.6g}; "
        f"(epsilon, delta) = ({epsilon:.4g}, {n**-2:.2g}), delta being 1/n^2."
    )


def _meaning(guarantee):
    """Return a sentence on what a guarantee means for two people."""
    return f"Right guesses between two people: at most {guarantee['right_guesses']:.1%}, where a coin gives 50%."


def _describe_trust(statement):
    """Return the registry entry's part that says who sees what: curator, laboratories, readers."""
    laboratories = statement.get("laboratories")
    ledger = "the ledger of who holds their records" if statement_tables.is_of_several(statement) else "the same ledger"
    actors = "The curator sees the records; readers see the release alone, and may know every other record."
    if laboratories:
        names = ", ".join(lab["name"] for lab in laboratories["roster"])
        actors = (
            f"Laboratories {names}: each sees its own records and adds a share of the noise; of the sum nobody sees a "
            f"part. Promised against at most {laboratories['conspiring']} of them that conspire."
        )
    return {
        "model_name": "Federated" if laboratories else "Central",
        "actors": actors,
        "release_type": "One release",
        "release_type_details": f"Further releases about these people enter {ledger} and add up under its cap.",
        "data_source_type": "Static",
        "access_type": "Non-interactive",
    }


def _describe_post_processing(statement):
    """Return a sentence on what was made of the noised numbers, which costs nothing, for the forms' questions on it."""
    noise, steps = statement["noise"], ["pictures, tables and meshes are drawn from the noised numbers"]
    if noise.get("undone") is not None:
        steps.append("what the clip takes of the mean is put back by a factor that follows from the noised mean")
    if noise["shrunk"] is not None:
        besides = ", and from the noised mean" if statement["release"]["branch"] == "faces" else ""
        steps.append(f"directions are shrunk by factors that follow from n, the budget and public numbers{besides}")
    return "; ".join(steps) + "."


def _tuning(statement):
    """Return a sentence on how the settings were chosen."""
    return f"How the settings were chosen: {statement['declared']['sources'].get('settings', 'not declared')}"


def write_nist(statement: dict[str, Any]) -> str:
    """Return nist.md, the answers to what NIST SP 800-226 asks: 24 questions, by the level of its pyramid."""
    parts = [
        "# What NIST SP 800-226 asks of a differential privacy guarantee",
        f"{LABEL} Questions that no program can answer are marked “{CURATOR}”.",
    ]
    numbers = count(1)
    levels = {
        "The guarantee": _answer_on_guarantee,
        "The algorithm": _answer_on_algorithm,
        "Around it": _answer_on_surroundings,
    }
    for level, questions in levels.items():
        answered = questions(statement).items()
        parts += [
            f"## {level}",
            "\n".join(f"{next(numbers)}. **{question}** {answer}" for question, answer in answered),
        ]
    lacking = list_missing(statement)
    entry = f"not made, since it lacks {' and '.join(lacking)}" if lacking else f"`{REGISTRY}`, beside this file"
    return "\n\n".join([*parts, f"Entry for OpenDP's registry of deployments: {entry}."]) + "\n"


def _answer_on_guarantee(statement):
    """Return {question: answer} of nist.md on the guarantee, its parameters and its unit."""
    guarantee, n = statement["guarantee"], statement["release"]["n"]
    if guarantee["kind"] == "none":
        parameters = delta = compared = "There is no guarantee; `statement.md` says why."
    else:
        delta = f"Yes: delta = 1/n² = {n**-2:.2g}, above." if guarantee["kind"] == "gdp" else "Yes: delta = 0."
        parameters = compared = _describe_parameters(statement)
        if "laboratories" in statement:
            faced = [f"{mu:.3g}" for mu in statement["laboratories"]["faced"]]
            parameters += f" Against 0 to {len(faced) - 1} laboratories that conspire mu is {', '.join(faced)}."
        compared += f" {_meaning(guarantee)}"
    if "laboratories" in statement:
        other_releases = (
            "Each laboratory's own ledger adds up its releases under its own cap, and signed the line of this one; "
            "what else it holds is for that laboratory to say."
        )
    elif "sources" in statement:
        private = len(statement["sources"]["releases"])
        other_releases = (
            f"All {private} releases that were pooled are private by their own statements; pooling spent nothing. "
        )
        known = statement["budget"]  # where a line is named, an earlier version had not looked at the sources' ledgers
        other_releases += LEDGERS_OF_SOURCES[None if "ledger_head" in known else known.get("holds")]
    else:
        after = statement["budget"]["after"]
        other_releases = f"In this ledger {after['unprotected']} release(s) have no guarantee; all of it together: "
        other_releases += f"mu = {after['mu']:.4g}."
    clip = statement_tables.EVIDENCE[statement["mechanism"]["clipping"]]
    return {
        "Which epsilon, delta and original parameters?": parameters,
        "Is delta at most 1/n²?": delta,
        "What is the unit of privacy?": f"{statement['unit'].capitalize()}.",
        "Are neighbours bounded or unbounded?": (
            f"Bounded: {statement['neighbours']}. Unbounded neighbours hide n as well and are called safer; here n is "
            "how many people a study lists, which its publication names anyway."
        ),
        "Is one person's contribution bounded?": (
            f"Records: {clip}. Each person has one record.{statements.divisor_sentence(statement['settings'])}"
        ),
        "Can it be compared with other variants?": compared,
        "Is it mixed with releases that are not private?": (
            f"{other_releases} {CURATOR}: releases of these people that no such ledger holds."
        ),
    }


def _answer_on_algorithm(statement):
    """Return {question: answer} of nist.md on the algorithm: noise, proofs, accuracy, bounds."""
    noise, conditions, release = statement["noise"], statement["conditions"], statement["release"]
    record = kinds.find_mean(release["branch"]).record
    sampler = statement_text.SAMPLERS[noise["sampler"]]
    by_construction = [part for part in conditions if part["known"] == "by construction"]
    entropy = "the operating system's entropy" if noise["secure"] else "a seed, which is no protection"
    error = statement_text.error_lines(statement)
    bounds = [f"`{part['name']}` {_origin(part['origin'])}" for part in statement["bounds"]]
    small = f"This release is about a group of n = {release['n']}" if release["group"] else "There are no groups here"
    return {
        "Is the noise drawn by a maintained library?": (
            f"{sampler[0].upper()}{sampler[1:]}, from {entropy}, by {_software(statement)}; its tests compare every "
            "sampler with the law that it claims."
        ),
        "Are there proofs first, and audits beside?": (
            f"{len(by_construction)} of {len(conditions)} conditions hold by construction, each with a proof "
            "and a test that `statement.json` names; `snakemake audit` attacks the mechanisms."
        ),
        "Was it audited by a third party?": f"{CURATOR}.",
        "Is accuracy told as intervals?": " ".join(line.removeprefix("- ") for line in error) or "Withheld.",
        "Do checks of utility stay private?": (
            "Forecasts use public numbers and n alone. Comparisons with the truth stay in `results/private`."
        ),
        "How large are errors of small groups?": (
            f"{small}. The noise on a mean is the same whoever takes part, and falls as 1/n: for a group of half the "
            "people it is twice as large."
        ),
        "Do clipping and shrinkage bias it?": (
            "Whoever lies beyond the bound counts as if on it, which draws the mean towards the public reference. "
            f"Afterwards {_describe_post_processing(statement)}"
        ),
        "Are there values that look odd to people?": (
            f"A release may look like a {record} that it is not, and noise may move a point through another. Nothing "
            "is hidden or redrawn for its looks."
        ),
        "Are bounds taken from elsewhere than the data?": f"{'; '.join(bounds) or 'There are none'}.",
    }


def _answer_on_surroundings(statement):
    """Return {question: answer} of nist.md on what surrounds the algorithm: trust, channels, access."""
    by, sees = statement["declared"]["by"], "It sees all records."
    if "laboratories" in statement:
        most = statement["laboratories"]["conspiring"]
        sees = f"Several laboratories: none sees another's records, and at most {most} others conspire (declared)."
    elif "sources" in statement:
        sees = "Who made each part saw its own records; who pooled them saw releases alone."
    return {
        "Which query model?": "One answer to a question asked once; nobody queries the records.",
        "Who is trusted, and who is the curator?": f"{by or f'{CURATOR}: nobody is declared'}. {sees}",
        "Is floating point accounted for?": statement_text.describe_rounding(statement),
        "Is time a channel?": (
            "How long the computation took is not protected from somebody who watches it run; nothing that is released "
            "holds a time of day."
        ),
        "Are error messages a channel?": (
            "Whether a release exists follows from settings, n and earlier releases. Messages about records stay in "
            "private logs."
        ),
        "Was tuning accounted for?": f"{_tuning(statement)} (declared).",
        "Who may see the raw data, and is it encrypted?": f"{CURATOR}.",
        "How long is raw data kept?": f"{CURATOR}.",
    }
