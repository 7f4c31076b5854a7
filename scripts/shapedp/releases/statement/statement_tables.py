"""Parts of a statement that list something, by paragraphs: who made it, what was spent, what the verdict rests on."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from shapedp.releases.statement.conditions import machine_checked
from shapedp.releases.statement.statement import find_proofs_of_release

WAYS = {
    "gdp": "Gaussian",
    "zcdp": "zero-concentrated",
    "pure": "pure",
    "mixed": "mixed (the pure releases' epsilon added to that of the Gaussian ones)",
}
PROVED = "What a machine checked"  # a section of the statement
BY_MACHINE = "#what-a-machine-checked"  # its address within the statement
GUIDE_PAGE = "What the guarantee means"  # a page of the software's documentation
LABELS = {
    "by": "Released by",
    "contact": "Contact",
    "purpose": "Purpose",
    "consent": "What the people agreed to",
    "licence": "Licence of the release",
}
REGISTRY_LABELS = {"region": "Region it describes", "sector": "Sector"}
OBJECTS = {
    "settings": "How the settings were chosen",
    "template": "Template, which every face is aligned to",
    "bounds": "Bounds that records are clipped to",
    "center": "Center that every shape is aligned to",
    "radius": "Radius that shapes are clipped to",
    "correspondence": "Faces that taught the registration",
}
POINT_OBJECTS = {"center": "Center that points are measured from", "radius": "Radius that points are clipped to"}
SOURCES = {
    "config": "numbers in the settings",
    "reference_set": "a public reference set",
    "demo": "the built-in demonstration, which contains nobody's data",
    "built_in": "the built-in public model, made by others from scans of real people",
    "formula": "the built-in formula, which contains nobody's data",
    "file": "a public file",
    "none": "not used",
    "private": "the private data, with noise of its own that this release pays for",
    "data": "the private data",
}
EVIDENCE = SOURCES | {  # in a table, whose cells take fewer words
    "demo": "the built-in demonstration",
    "built_in": "the built-in public model",
    "formula": "the built-in formula",
    "private": "the private data, with noise of its own",
    "norm": "clipped in the norm of each curve",
    "joint_norm": "clipped in one norm of all coordinates together",
    "range": "clamped to a range",
    "ball": "moved into the ball",
    "none": "there is none",
    "reference": "as many records as people listed",
    "dropped": "not as many records as people listed",
    "refuse": "each person stands once",
    "average": "averaged within the person",
    "declared": "declared by whoever made the release",
    "repeated": "a person stands more than once",
    "discrete_gaussian": "discrete Gaussian",
    "exact": "exact sampler",
    "mcmc": "Markov chain",
    "proved": "scaled as proved",
    "as_published": "scaled as published",
    "public": "chosen on public numbers",
    "covered": "counted in",
    "not covered": "not counted in",
    "no solver": "nothing is solved for",
    "whatever a record holds": "proved for any record",
    "each_alone": "each scan looked at by itself",
}
GLOSSARY = {
    "Differential privacy": "a way to publish statistics with so much noise that how far one person's record can "
    "show in them has a proved limit.",
    "mu (Gaussian differential privacy)": "how far what is published with your record can be told from what is "
    "published with another in its place: as far as one measurement with standard error 1 tells 0 from mu.",
    "epsilon, delta": "another unit: the odds of any conclusion change by at most the factor e^epsilon, except with "
    "probability delta. Pure means delta = 0.",
    "rho (zero-concentrated)": "a third unit, in which releases add up.",
    "Record": "what one person contributed: a face, or a shape.",
    "n": "the number of records behind the average.",
    "Clipping": "making a record that lies too far from the public reference smaller, so that nobody counts for more.",
    "Sensitivity": "the most that replacing one record can change the statistic before noise.",
    "Ledger": "the private book in which every release about these people is entered before it is made.",
    "Cap": "the most that may ever be spent on these people.",
}


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (columns, ["---"] * len(columns), *rows))


def describe_maker(statement: dict[str, Any]) -> list[str]:
    """Return the statement's paragraphs on who made the release: its date, and what was declared, as given."""
    declared = statement["declared"]
    declares = [f"- Date: {statement['date']}"]
    declares += [f"- {words}: {declared[key] or 'not given'}" for key, words in LABELS.items()]
    declares += [f"- {words}: {declared[key]}" for key, words in REGISTRY_LABELS.items() if key in declared]
    objects = OBJECTS | (POINT_OBJECTS if statement["release"]["branch"] == "points" else {})
    declares += [f"- {objects[key]}: {words}" for key, words in declared["sources"].items()]
    return [
        "## Who made it, and why",
        "Declared by whoever made the release, printed as given; the software cannot check it.",
        "\n".join(declares),
        f"What such a promise is worth, and how to choose its numbers: page “{GUIDE_PAGE}” of the documentation of "
        f"{statement['software']['name']} {statement['software']['version']}. Unusual words are explained at the end.",
    ]


def budget(statement: dict[str, Any]) -> Iterator[str]:
    """Yield the statement's paragraphs on what was spent on these people, as far as the maker's ledger knows it."""
    yield "## What has been spent on these people"
    if is_of_several(statement):
        yield spending_elsewhere(statement)
        yield statement["composition"]
    else:
        yield from _spending_paragraphs(statement)
    if statement["budget"].get("holds") is False:
        whose = "one of these populations" if is_of_several(statement) else "this population"
        yield (
            f"**The totals do not bound what is known about these people:** at least one release of {whose} has "
            "no guarantee. What this statement says of its own release is not touched by that."
        )


def is_of_several(statement: dict[str, Any]) -> bool:
    """Tell whether it was pooled or made by several laboratories: no single ledger counts what these people paid."""
    return "sources" in statement or "laboratories" in statement


def spending_elsewhere(statement: dict[str, Any]) -> str:
    """Return, of a release of several laboratories, who can say what was spent, since no one ledger knows.

    It has the most that the sources' statements say.
    """
    if "sources" not in statement:
        return (
            "Each laboratory's own ledger recorded this release before its part was drawn, and refuses what exceeds "
            "that laboratory's cap. What else was spent on its people, under which cap, is for each laboratory to say: "
            "it is not known here."
        )
    opening = (
        "No ledger holds this release, and pooling spent nothing. The statement of each source says what had been "
        "spent on its people by then, under which cap, and where their ledger holds it."
    )
    budget_fields = statement["budget"]
    if "after" not in budget_fields:
        return f"{opening} Sources that several laboratories made together do not know it."
    if "ledger_head" in budget_fields:
        # Of an earlier statement, which counts the weakest source alone.
        return opening
    return (
        f"{opening} By these, nobody's releases came to more than mu = {budget_fields['before']['mu']:.4g} before "
        f"their source and mu = {budget_fields['after']['mu']:.4g} with it. {_delta_sentence(budget_fields['after'])}"
    )


def _delta_sentence(total):
    """Return a sentence on what all releases come to in epsilon, by which bound, and why that one holds."""
    at_delta = total["at_delta"]
    opening = f"All releases together: epsilon = {at_delta['epsilon']:.4g} at delta = {at_delta['delta']:.0e}, "
    if at_delta["by"] != "planned":
        return (
            f"{opening}by the {WAYS[at_delta['by']]} bound, which is the tightest here. It counts the releases that "
            "were begun so far, not those that are only planned."
        )
    plan = at_delta["plan"]
    amounts = [
        f"{name} = {', '.join(f'{amount:.4g}' for amount in plan[symbol])}"
        for symbol, name in (("mu", "Gaussian ones with mu"), ("epsilon", "pure ones with epsilon"))
        if plan[symbol]
    ]
    outside = {0: "", 1: " One release outside that plan is added."}.get(
        plan["outside"], f" {plan['outside']} releases outside that plan are added."
    )
    return (
        f"{opening}by what all planned releases tell together, made or not: {'; '.join(amounts)}.{outside} That is "
        "allowed because these costs stood in the ledger before any noise was drawn: whichever of the planned releases "
        "are made, in whatever order, and whatever was seen before one was chosen, they tell no more than all of them. "
        f"By the releases that were begun alone, without the plan, it would be {at_delta['unplanned']:.4g}. (For "
        "specialists: the product of the planned privacy-loss distributions, rounded up.)"
    )


def _spending_paragraphs(statement):
    """Yield the statement's paragraphs on what was spent before and with this release, and on how the cap arose."""
    budget_fields = statement["budget"]
    before, after, cap = budget_fields["before"], budget_fields["after"], budget_fields["cap"]
    cap_mu, cap_epsilon = (f"{cap[key]:.4g}" if key in cap else "no cap" for key in ("mu_total", "epsilon"))
    count = before["gaussian"] + before["pure"] + before["unprotected"]
    earlier = {0: "no other", 1: "one other"}.get(count, f"{count} others")
    ledger = f"Before this release, the ledger of the population `{budget_fields['population']}` held {earlier}."
    yield (
        f"{ledger} The "
        "table adds up what each tells about a person; a release that was begun and never shown counts too. mu, rho "
        "and epsilon are three units of one thing: 0 tells nothing about anybody, and a larger number tells more. The "
        "cap is the most that may be spent. It can be raised, which every later statement shows with the reason."
    )
    rows = [
        ("mu, all releases, pure ones converted", f"{before['mu']:.4g}", f"{after['mu']:.4g}", cap_mu),
        ("rho, all releases", f"{before['rho']:.4g}", f"{after['rho']:.4g}", "by mu"),
        ("epsilon, pure releases alone", f"{before['epsilon']:.4g}", f"{after['epsilon']:.4g}", cap_epsilon),
        ("number of releases without guarantee", f"{before['unprotected']}", f"{after['unprotected']}", "no cap"),
    ]
    yield table(["spent, in", "before", "with this release", "cap"], rows)
    if "at_delta" in after:
        yield _delta_sentence(after)
    yield statement["composition"]
    acts = [
        f"- On {act['date']} the cap was raised from {_cap(act['from'])} to {_cap(act['to'])}. "
        f"Reason given: {act['reason']}"
        for act in budget_fields["raised"]
    ]
    acts += [
        f"- On {act['date']} these people were declared to be others than population `{act['population']}`, which has "
        f"the same records. Reason given: {act['reason']}"
        for act in budget_fields["different"]
    ]
    if acts:
        yield "\n".join(acts)
    yield (
        f"This release stands in the ledger under the mark `{budget_fields['ledger_head']}`. The mark tells nothing of "
        "the data. Whoever compares it with the ledger (`shapedp ledger check`) sees whether the ledger was changed or "
        "wound back since."
    )


def _cap(cap):
    """Return a cap in words."""
    return ", ".join(f"{key.removesuffix('_total')} = {value:g}" for key, value in cap.items()) or "no limit"


def conditions(statement: dict[str, Any]) -> list[str]:
    """Return the statement's paragraphs on what its verdict rests on: conditions, how each is known, where proved."""
    # What rests on somebody's word stands last, where it is not overlooked among what was checked.
    ordered = sorted(statement["conditions"], key=lambda condition: condition["known"] == "declared")
    rows, proofs = [], find_proofs_of_release(statement)
    for condition in ordered:
        evidence = ", ".join(EVIDENCE.get(word, word.replace("_", " ")) for word in condition["value"].split(", "))
        if condition["value"].startswith("others than "):  # names of populations follow
            evidence = condition["value"]
        where = condition["source"]
        if numbers := machine_checked(proofs, where):
            where += f"; by machine: [{', '.join(f'({number})' for number in numbers)}]({BY_MACHINE})"
        rows.append(
            (condition["requirement"], "yes" if condition["holds"] else "**no**", condition["known"], evidence, where)
        )
    return [
        "## What the verdict rests on",
        "*Checked* means: the software looked when this release was made. *By construction*: with this method no "
        "record and no setting can make it otherwise; the proof and its test are named, and which of its "
        "inequalities a machine checked. *Declared*: a person says so, and the software cannot know; what was declared "
        "stands last. "
        "None of this depends on what any record holds.",
        table(["condition", "holds", "known how", "evidence", "where"], rows),
    ]
