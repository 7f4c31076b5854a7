"""The statement in plain words, from its JSON alone: for an ethics board, in the order in which its members ask."""

import re
from typing import Any

import numpy as np

from shapedp.base.settings import subjects
from shapedp.privacy.differences import ShapedWithSpread
from shapedp.privacy.recentred import RecentredMean
from shapedp.releases.kinds import KINDS
from shapedp.releases.statement import conditions, guarantees, statement_tables
from shapedp.releases.statement.statement import MODEL, divisor_sentence, find_proofs_of_release
from shapedp.releases.statement.statement_tables import SOURCES, table

SAMPLERS = {
    "discrete_gaussian": "a discrete Gaussian on a grid",
    "exact": "drawn exactly from the mechanism's distribution",
    "mcmc": "a Markov chain, which only approaches the mechanism's distribution",
}
GROUPS = {  # what is promised, by whether membership is public
    "public": "Who belongs to which group is taken to be public and fixed. It is not protected; the records are. A "
    "person is in one group, so releases of other groups of the same division cost them nothing.",
    "private": "Who belongs to which group is protected too. A person who is replaced may leave one group and enter "
    "another, so two groups' releases count. {} Group sizes are public, and declared.",
}
MOVED = {  # why two groups' releases do not add up, by the kind of guarantee, or that they do
    "gdp": "Each tells less of them than of somebody who stays: there, a record is taken out or put in, not exchanged "
    "for another, which moves every sum half as far. So the two together count for no more than the group that costs "
    "most.",
    "pure": "Both count in full.",
}
EXPRESSIONS = {
    "neutral": "- Expressions: what a smile, a grimace or an open mouth adds to a face was taken off, as far as public "
    "people tell it, of each face by itself.",
    "refuse": "- Expressions: a face that an expression moves by more than a public limit counts as the public "
    "reference.",
}
LEFT_OUT = (
    "- Left out: landmarks {} of the files, by `shapes.leave_out`, before anything was computed; numbers of landmarks "
    "in the settings count those that are left."
)
MARKDOWN = re.compile(r"[\\`*<>\[\]&~|]|(?<!\w)_|_(?!\w)")  # what may mean more than itself within a line
NO_UNIT, NOISE = "1", "standard deviations of the noise"


def caption(statement: dict[str, Any]) -> str:
    """Return the line beside a picture of the release: what it shows, how far noise moves it in mm where public."""
    release, rms, per = statement["release"], statement["noise"]["rms_mm"], _per_unit(statement)
    group = f" of group {release['group']['name']}" if release["group"] else ""
    point = "a point" if release["statistic"].startswith("mean") else "a point of the mean"
    moved = "" if rms is None else f", which moves {point} by {rms:.3g} mm{per}, root mean square"
    if moved and counts_unreleased(statement):
        moved = f"; noise, and what is not released, move {point} by {rms:.3g} mm{per}, root mean square"
    words = f"The {release['statistic']}{per} of {release['n']} people{group}, noise included{moved}"
    return subjects.from_statement(statement).in_words(words)


def counts_unreleased(statement: dict[str, Any]) -> bool:
    """Tell whether the size of a release's noise also counts what is not released of people like the public ones."""
    return statement["mechanism"]["name"] == RecentredMean.name


def _per_unit(statement):
    """Return what the lengths of a change are counted per, as in mm per years."""
    return "".join(f" per {divisor['name']}" for divisor in statement.get("settings", {}).get("per", ()))


def escape_markdown(words: str) -> str:
    """Return words of a cell, written so that Markdown shows them as they are."""
    # Names and reasons are a person's words, which must not become a link, a table or HTML.
    return MARKDOWN.sub(r"\\\g<0>", words)


def render(statement: dict[str, Any]) -> str:
    """Return statement.md, the whole statement in words as an ethics board reads it, in Markdown."""
    parts = [
        _write_verdict(statement),
        statement_tables.describe_maker(statement),
        _write_protection_section(statement),
        guarantees.strength_section(statement),
        _describe_laboratories(statement) if "laboratories" in statement else [],
        _describe_sources(statement) if "sources" in statement else [],
        ["## What is not protected", "\n".join(f"- {sentence}" for sentence in statement["not_protected"])],
        statement_tables.budget(statement),
        _write_method_section(statement),
        statement_tables.conditions(statement),
        _quote_machine_proofs(statement),
        ["## Words", "\n".join(f"- **{word}**: {meaning}" for word, meaning in statement_tables.GLOSSARY.items())],
    ]
    words = "\n\n".join(paragraph for part in parts for paragraph in part) + "\n"
    return subjects.from_statement(statement).in_words(words)


def _quote_machine_proofs(statement):
    """Return the section that quotes the inequalities which a machine checked; [] where conditions name none."""
    proofs, sources = find_proofs_of_release(statement), [condition["source"] for condition in statement["conditions"]]
    numbers = {number for source in sources for number in conditions.machine_checked(proofs, source)}
    if not numbers:
        return []
    rows = [
        (f"({number})", escape_markdown(entry["statement"]), escape_markdown(entry.get("given", "nothing")))
        for number, entry in conditions.read_proofs().items()
        if number in numbers
    ]
    return [
        f"## {statement_tables.PROVED}",
        "Coq, a program that accepts a proof only if every step follows, proved these of vectors of any length. The "
        "page docs/proofs.md of the software names each theorem, what it leaves out, and the tests that tie it to the "
        "code.",
        table(["inequality", "what it says", "what it takes as given"], rows),
    ]


def _write_verdict(statement):
    """Return the paragraphs a reader sees first: what was released, and how strong the promise is, or why none."""
    release = statement["release"]
    group = f" of the group {escape_markdown(release['group']['name'])}" if release["group"] else ""
    title = f"# Privacy statement: {release['statistic']}{group} of {release['n']} people listed"
    if statement["formally_private"]:
        label, meaning = guarantees.strength(statement["guarantee"])
        words = f"**Strength: {label}.** At worst, an opponent who knows everything else is {meaning}."
        return [title, "**formally_private: true**", words, statement["summary"]]
    reasons = "\n".join(f"- {reason}" for reason in statement["reasons"])
    return [title, "**formally_private: false**", statement["summary"], reasons]


def _describe_laboratories(statement):
    """Return the section on who made a joint release, and how strong the promise is if some of them conspire."""
    together = statement["laboratories"]
    roster = [(lab["name"], f"{lab['people']}") for lab in together["roster"]]
    faced = [(f"{count}", f"{mu:.4g}") for count, mu in enumerate(together["faced"])]
    overlap = {
        "none": "The laboratories declare that nobody was scanned in two of them.",
        "possible": "Somebody may have been scanned in two of them, and all numbers here are for such a person.",
    }[together["overlap"]]
    return [
        "## Laboratories",
        f"{len(roster)} laboratories made this release together. None of them saw another's scans, curves or sums: "
        "each added its share of the noise to its own sum and masked it, so that only the sum of all parts can be "
        f"read. The strength above is promised as long as at most {together['conspiring']} of them put together "
        "what they know (declared). " + overlap,
        table(["laboratory", "people"], roster),
        table(["laboratories that conspire with whoever looks", "mu that a person of another one faces"], faced),
    ]


CHANGE, ASYMMETRY = (kind.statistic for kind in KINDS if kind.is_difference and kind.branch == "faces")


def describe_pooling(statement: dict[str, Any]) -> tuple[str, str]:
    """Return sentences on how a pooled release was averaged, and whether its sources differ beyond noise and chance."""
    sources, n = statement["sources"], statement["release"]["n"]
    weights = {"people": "in proportion to their people", "precision": "by the inverse of noise and chance"}
    heterogeneity = sources["heterogeneity"]
    q, expected = heterogeneity["q"], heterogeneity["expected"]
    verdict = f"Cochran's Q is {q:.4g}, where {expected:.4g} is expected of sources that are alike."
    if heterogeneity["differ"]:
        verdict = f"**The sources differ** by more than noise and chance in who took part: {verdict}"
    elif heterogeneity["differ"] is not None:
        verdict = f"Nothing says that the sources differ beyond noise and chance: {verdict}"
    records = sum(source["people"] for source in sources["releases"])
    people_words = f"{n} people together" if records == n else f"{records} records in all, of {n} people at least"
    made_of = f"the average of {len(sources['releases'])} releases of {people_words}"
    return f"This release is {made_of}, weighted {weights[sources['weights']]}.", verdict


SHARED = {  # who may be in two sources: what the strength is of, and who says so
    "none": ("the weakest source", "That nobody is in two sources is declared, too"),
    "within_populations": (
        "the weakest population, of all its sources together",
        "That nobody is in two populations is declared, too, and somebody may be in all sources of one",
    ),
    "possible": ("all sources together", "Somebody may be in all of them"),
}


def _describe_sources(statement):
    """Yield the section on what a pooled release was made from, source by source, and whether these differ."""
    made_of, verdict = describe_pooling(statement)
    strength, who_says = SHARED[statement["sources"].get("overlap", "none")]  # which earlier statements lack
    rows = []
    for source in statement["sources"]["releases"]:
        numbers = str(source["people"]), f"{source['mu']:.4g}", f"{source['weight']:.3f}"
        rows.append((source["population"], *numbers, f"`{source['statement'][:16]}`"))
    yield "## Sources"
    yield (
        f"{made_of} Averaging releases spends nothing: each person paid once, for the sources they are in, and"
        f" the strength above is that of {strength}."
    )
    yield (
        "Sources authentic: declared. They are not signed; the digests name the statements that were pooled. "
        f"{who_says}; what somebody in two of them paid adds up."
    )
    yield table(["population", "people", "mu", "weight", "statement (SHA-256)"], rows)
    yield verdict


def _write_protection_section(statement):
    """Yield the statement's section on who is protected, and from what, the first thing that an ethics board asks."""
    release = statement["release"]
    yield "## Who is protected, and from what"
    if not statement["formally_private"]:
        yield (
            "Nobody, formally. Noise was added, but somebody with enough other knowledge may be able to tell what a "
            "person's record holds. Treat this release as you would treat an average without noise."
        )
        return
    unit, brought = guarantees.RECORDS[release["branch"]], "scans" if release["branch"] == "faces" else "records"
    of_two = ""
    if release["statistic"] == CHANGE:
        unit = "change"
        of_two = (
            f" Both {brought} of a person together are that record, so the promise holds for whoever exchanges both."
            f"{divisor_sentence(statement['settings'])}"
        )
    elif release["statistic"] == ASYMMETRY:
        of_two = f" Of several {brought} of a person, at whatever times, the mean is that record."
    yield (
        f"Each of the {release['n']} people listed. One whose {unit} could not be read or used counts as "
        f"{_name_stand_in(statement)}; nothing that is released tells who, or how many. The unit of privacy is "
        f"{statement['unit']}.{of_two}"
    )
    yield (
        f"They are protected from anybody who sees the release and wants to find out what one person's {unit} looks "
        f"like, or whether a {unit} they hold is the one that this person brought. That includes an opponent who knows "
        "every other person's record, has any computer, and combines the release with whatever else is known. Noise "
        f"hides how the release would have come out had the person brought another {unit}. So what "
        "it can tell about them is limited; how strictly stands in the next section."
    )
    yield f"For specialists, the neighbour relation: {statement['neighbours']}."
    if release["group"]:
        yield GROUPS[release["group"]["membership"]].format(MOVED[statement["guarantee"]["kind"]])


def _name_stand_in(statement):
    """Return in words what an unusable record counted as, so that nobody's rejection can be told from the release."""
    if statement["release"]["statistic"] in (CHANGE, ASYMMETRY):
        return "one without any " + statement["release"]["statistic"].removeprefix("mean ")
    if statement["release"]["branch"] == "faces":
        return "the public template" if statement["reference"]["source"] != "none" else "a zero"
    return "a regular polygon" if statement["reference"]["source"] == "private" else "the public center"


def _write_method_section(statement):
    """Return the section on how the release was made: mechanism, sensitivity, noise, bounds."""
    mechanism, noise = statement["mechanism"], statement["noise"]
    sensitivity = mechanism["sensitivity"]
    entropy = "the operating system's entropy" if noise["secure"] else "a seed"
    left_out, expression = (statement["settings"].get(name) for name in ("leave_out", "expression"))
    lines = [
        f"- Method: {mechanism['words']} (`{mechanism['name']}` in the settings).",
        "- Sensitivity, the most by which one replaced person moves the average before noise: "
        f"{sensitivity['formula']}.{_describe_sensitivity(statement)}",
        *(
            f"- Bound `{bound['name']}`: {_format_bound_value(bound)}{_unit(bound)}, "
            f"from {_describe_origin(bound['origin'])}."
            for bound in statement["bounds"]
        ),
        *([LEFT_OUT.format(", ".join(map(str, left_out)))] if left_out else []),
        *([EXPRESSIONS[expression]] if expression else []),
        f"- Template: {_describe_origin(statement['template'])}. "
        f"Reference or center: {_describe_origin(statement['reference'])}.",
        f"- Noise: {SAMPLERS[noise['sampler']]}, from {entropy}. {describe_rounding(statement)}",
        *error_lines(statement),
        f"- Software: {statement['software']['name']} {statement['software']['version']}; settings "
        f"`{statement['settings_digest'][:16]}` (BLAKE2b), listed in `statement.json`.",
    ]
    return ["## How it was made", "\n".join(lines)]


def _describe_sensitivity(statement):
    """Return a sentence on how far one person can move the result, a number to be compared with the noise.

    It is in the unit of its formula where one number enters that.
    """
    sensitivity, n = statement["mechanism"]["sensitivity"], statement["release"]["n"]
    if sensitivity["value"] is None:
        return " Its value is withheld, since it follows from the private data."
    if sensitivity["unit"] != NOISE:
        return f" That is {sensitivity['value']:.4g}{_unit(sensitivity)}."
    whole = [bound["value"] for bound in statement["bounds"] if not isinstance(bound["value"], list)]
    if len(whole) == 1 and sensitivity["formula"].startswith("2 tau/n"):
        size = 2 * whole[0] / sensitivity["inputs"].get("n", n)
        if "sources" in statement:
            return f" With the bound below, 2 tau/n = {size:.4g}; the noise is that of all sources together."
        if _asks_several_means(statement):
            return (
                f" With the bound below, 2 tau/n = {size:.4g}; the bounds of the means follow from it and from answers."
            )
        share = sensitivity["inputs"].get("w", [1.0])[-1]
        if statement["noise"]["widened"] is None:
            spread = size / sensitivity["value"] / share**0.5
            return f" With the bound below, 2 tau/n = {size:.4g}; the noise's standard deviation is {spread:.4g}."
        spread = statement["noise"].get("settled_sd")  # which earlier statements lack
        followed = f"; with the one that followed the noise's standard deviation is {spread:.4g}" if spread else ""
        return f" With the bound below, 2 tau/n = {size:.4g}{followed}."
    return f" In all, that is {sensitivity['value']:.4g} times the noise's standard deviation."


def _unit(quantity):
    """Return the unit of a quantity behind its number; nothing where it has none."""
    return "" if quantity["unit"] == NO_UNIT else f" {quantity['unit']}"


def describe_rounding(statement: dict[str, Any]) -> str:
    """Return in words how far the proof of privacy covers the rounding of numbers in a computer."""
    noise = statement["noise"]
    if noise["sampler"] == "discrete_gaussian":
        exact = "It is drawn without rounding. On whole numbers rho holds exactly"
        if "eta" not in noise:  # of a statement before version 3, when nothing was proved of mu itself
            return f"{exact}."
        return f"{exact}; mu holds up to a factor e^eta on any probability, eta = {noise['eta']:.1e} at most."
    exact = any(condition["holds"] for condition in statement["conditions"] if condition["name"] == "exact_arithmetic")
    if noise["sampler"] == "exact" and exact:
        return "It is drawn without rounding: the very bits that are written have the law that the proof is of."
    grid = f" to a grid of {noise['grid']:.1e}" if noise["grid"] else ""
    return (
        f"Results are rounded{grid}. Exact means in real arithmetic: the rounding is good hygiene and not a proof "
        "against attacks on floating-point numbers."
    )


def _format_bound_value(bound):
    """Return the value of a bound as the statement prints it: a number, a span, or that it is withheld."""
    value = bound["value"]
    if isinstance(value, list):
        return f"{np.min(value):.4g} to {np.max(value):.4g}"
    return "value withheld" if value is None else f"{value:.6g}"


def _describe_origin(origin):
    """Return in words where a public object such as a bound comes from, since one from the data protects nobody."""
    words = SOURCES[origin["source"]]
    if "quantile" in origin:
        margin = origin.get("margin", 1)
        times = "" if margin == 1 else f"{margin:g} times "
        words += f" of {origin['count']} records: {times}the size that {origin['quantile']:.0%} of them stay below"
    return words


def error_lines(statement: dict[str, Any]) -> list[str]:
    """Return lines on how far the release may err: noise, what was asked first, what was put back, unlike cohorts."""
    error = _describe_error_of_model if statement["mechanism"]["name"] == MODEL else _describe_error
    return [*error(statement), *_first_stage_lines(statement), *_correction_lines(statement)]


def _first_stage_lines(statement):
    """Yield what a first stage found of how far people lie, and what asking for their spread spent."""
    widened, inputs = statement["noise"]["widened"], statement["mechanism"]["sensitivity"]["inputs"]
    if widened is not None:
        finding = "No farther and no nearer than public people, as far as that can be told"
        finding = finding if widened == 1 else f"{widened:.4g} times as far as public people"
        if statement["release"]["branch"] == "faces":
            finding += ": the bound, the norm that it is in, and the noise with them, followed"
        else:
            finding += ": the bound " + ("stayed as it was" if widened == 1 else "and the noise with it followed")
        count = len(inputs["w"])
        stages = "both" if count == 2 else f"all {count}"
        yield (
            f"- First stage: {inputs['w'][0]:.2g} of mu² was spent on asking, with noise of its own, how far these "
            f"people lie. {finding}, before anybody was clipped; {stages} stages are in the guarantee."
        )
    if _asks_who_lies_far(statement):
        yield from _lengths_lines(statement["noise"], inputs["w"][-1])
    if _asks_several_means(statement):
        _, first, _, *later = inputs["w"]
        far, later = (later[:-2], later[-2:])
        yield (
            f"- Means: {first:.2g} of mu² was spent on asking for a first mean{_clipped_about(statement)}, "
            f"and {' and '.join(format(share, '.2g') for share in later)} on asking again, each time with people "
            "clipped about what the noised answers before told. The release is what all of them tell together; "
            "all are in the guarantee."
        )
        if far:  # earlier releases were not asked
            yield (
                f"- Far people: {far[0]:.2g} of mu² was spent on asking, with noise of its own, how many people lie "
                "much farther from the first mean than others, and how far. The bound followed; it is in the guarantee."
            )
        yield from _far_people_lines(statement)
    if statement["mechanism"]["name"] == ShapedWithSpread.name:
        squares = inputs["w"][2 if _asks_several_means(statement) else 1]
        yield (
            f"- People's spread: {squares:.2g} of mu² was spent on asking, with noise of its own, how far "
            "people lie about their mean difference. That tells how much of it is chance in who took part, and is in "
            "the guarantee."
        )
    elif _asks_several_means(statement):
        yield (
            f"- People's spread: {inputs['w'][2]:.2g} of mu² was spent on asking, with noise of its own, how far "
            "people lie about the first mean, which the bounds followed. It is in the guarantee."
        )


# Probability from which on a statement says what noised answers tell of how people lie.
TOLD = 0.5


def _lengths_lines(noise, share):
    """Yield what it cost to ask how many people of a model lie far, and what the answers tell."""
    yield (
        f"- Far people: {share:.2g} of mu² was spent on asking, with noise of its own, how many people lie much "
        "farther from the reference than others. What a clip took of how people differ is put back by it; it is in "
        "the guarantee."
    )
    if noise.get("far_share") is not None:
        yield (
            f"- **Some people lie much farther off than others, on one side**: {noise['far_share']:.0%} of them, as "
            "noised answers tell. What the clip took of them is put back into the mean, and what of it is in doubt is "
            "counted in the stated error. Modes are those of the others."
        )
    elif (noise.get("heavy_tails") or 0.0) > TOLD:
        yield (
            "- **Some people lie much farther off than public people would**, as noised answers tell (probability "
            f"{noise['heavy_tails']:.2g}): the standard deviations of modes hold them, which the clip cut short, and "
            "their stated errors count how much of that is in doubt."
        )


def _far_people_lines(statement):
    """Yield a warning that some people change much more than others, where a noised answer tells it."""
    noise = statement["noise"]
    if noise.get("far_share") is not None:
        words = {CHANGE: "change much more", ASYMMETRY: "are much more asymmetric"}
        words = words.get(statement["release"]["statistic"], "lie much farther from the mean")
        yield (
            f"- **Some people {words} than others**: {noise['far_share']:.0%} of them, as a noised answer tells. "
            f"At least {noise['missing_mm']:.2g} mm of the mean may be missing, for a clip takes what such people add. "
            "The bound was raised as far as that pays, and what may be missing is counted in the stated error."
        )


def _clipped_about(statement):
    """Return about what people were clipped at first, in words."""
    of_faces = statement["mechanism"]["name"] == RecentredMean.name
    return ", clipped about the reference" if of_faces else " of the differences, clipped about none"


def _asks_several_means(statement):
    """Tell whether it is of faces, and its mean is asked several times."""
    named = statement["mechanism"]["name"] in (ShapedWithSpread.name, RecentredMean.name)
    return named and statement["release"]["branch"] == "faces"


def _asks_who_lies_far(statement):
    """Tell whether it is of a model that asked, beside its three sums, how many people lie far."""
    shares = statement["mechanism"]["sensitivity"]["inputs"].get("w", ())
    return statement["mechanism"]["name"] == MODEL and len(shares) > OF_MOMENTS


def _correction_lines(statement):
    """Yield what was made of the noised answer, which is no further look at anybody, and what it says of the cohort."""
    noise, differs = statement["noise"], statement["differs_from_public_set"]
    if noise.get("clip_moved") is not None:
        yield from _clip_lines(statement)
    elif noise.get("undone") is not None:
        yield (
            "- Clipped, and corrected: people were clipped to the nearest face within the bound. Where a first stage "
            "told that they lie hardly farther than public people, the bound and the noise were lowered, in a norm "
            "that counts the first axes less. What the clip takes of their mean was put back after the noise, by a "
            f"factor of at most {noise['undone']:.4g} that follows from noised answers and public people: "
            "post-processing, which tells nothing more of anybody."
        )
    least, largest = noise["shrunk"] or (None, None)
    if noise["shrunk"] and statement["release"]["branch"] == "faces":
        yield (
            "- Shrunk towards the mean of the public people after the noise was drawn: of what the noised mean showed "
            f"beside it, a share between {least:.3g} and {largest:.3g} was kept along each released direction, as "
            "large as the noised mean itself makes it likely that these people differ there. This is "
            "post-processing, which tells nothing more of anybody. The stated error is what is left of the noise, what "
            "it hides, and what is not released of people like the public ones; where nothing is seen beside the "
            "noise, the release is the public mean."
        )
    elif noise["shrunk"]:
        yield (
            "- Shrunk towards the public center after the noise was drawn: each released direction was multiplied by a "
            f"factor between {least:.3g} and {largest:.3g} that follows from n, the budget and public numbers alone. "
            "This is post-processing, which tells nothing more of anybody. The release is nearer to the center than "
            "what was drawn, and farther from these people's mean where that lies far from the center."
        )
    if differs and noise.get("clip_moved") is not None:
        yield (
            "- **This cohort differs from the public set** that the noise was shaped by: its released mean lies "
            "farther from that of the public people than noise and chance explain. The guarantee stands. Noise is then "
            "not the whole error: what the clip took of the mean is known only as far as these people differ from each "
            "other as public ones do."
        )
    elif differs:
        yield (
            "- **This cohort differs from the public set** that the noise was shaped by: its released mean lies "
            "farther from that of the public people, or differs more in ways in which public faces hardly do, than "
            "noise and chance explain. The guarantee stands. The error may be larger than is stated: what is not "
            "released of such people, and what of them was drawn towards the public mean, is not in it."
        )
    elif differs is not None:
        yield (
            "- Nothing in the release says that this cohort differs from the public set that the noise was shaped by."
        )


OF_CLIPPED = (
    " {which} are those of clipped people; what the clip may have taken of how people differ is in the "
    "stated errors of modes, as far as they differ as public people do: were some of them much farther off, it took "
    "more."
)
SPREAD_PUT_BACK = (
    " Directions of modes are those of clipped people; what it took of their standard deviations is put back, as far "
    "as noised answers tell how people lie, and what of that is in doubt is in their stated errors."
)
# Shares of mu^2 that a model's three sums have; one more is of asking who lies far.
OF_MOMENTS = 3
EFFECTS_PUT_BACK = (
    " What it took of effects is put back as well, as it takes of public people, and three tenths of that count in "
    "their errors."
)


def _clip_lines(statement):
    """Yield how far clipping people moved the mean of shapes or of a model, and that this was put back."""
    noise, of_model = statement["noise"], statement["mechanism"]["name"] == MODEL
    of_faces = statement["release"]["branch"] == "faces"
    unit = "mm" if of_faces else "radian"
    share = "Half of it"
    if _asks_who_lies_far(statement):
        share, of_clipped = "What of it is in doubt", EFFECTS_PUT_BACK + SPREAD_PUT_BACK
    elif of_faces:
        of_clipped = EFFECTS_PUT_BACK + OF_CLIPPED.format(which="Modes")
    else:
        of_clipped = OF_CLIPPED.format(which="Effects and modes")
    yield (
        f"- Clipped, and corrected: clipping people to the bound moved their mean by about {noise['clip_moved']:.2g} "
        f"{unit}, as the noised answers and public people tell. That was put back after the noise, by a factor of at "
        f"most {noise['undone']:.4g}: post-processing, which tells nothing more of anybody. {share} is "
        "counted in the stated error of the mean, for these people may differ from each other otherwise than public "
        "ones." + (of_clipped if of_model else "")
    )


def _describe_error(statement):
    """Yield how far noise moves a mean, so that a reader knows what to make of it, where that is public."""
    rms, statistic = statement["noise"]["rms_mm"], statement["release"]["statistic"]
    if rms is not None and statistic in (CHANGE, ASYMMETRY):
        yield (
            f"- Error: the noise moves a point of the {statistic} by {rms:.3g} mm{_per_unit(statement)}, root mean "
            "square, on a face of the template's size; at each point, with what chance in who took part adds, as "
            "`noise_covariance` and `sampling_covariance` in the artifact say. Faces are compared at one size, so a "
            "change of size does not show."
        )
    elif rms is not None:
        moved = "the noise moves a point by"
        if counts_unreleased(statement):
            moved = "noise, and what is not released of people like the public ones, move a point by"
        yield (
            f"- Error: {moved} {rms:.3g} mm, root mean square, on a face of the template's size; at "
            "each point as `noise_mm` in the artifact says. A release may look like a face and be that far off. "
            "`noise_draws` are simulated from the public size of the noise around the release by an ordinary "
            "generator: post-processing, which tells nothing more of anybody."
        )
    if statement["release"]["branch"] == "points":
        inputs, guarantee = statement["mechanism"]["sensitivity"]["inputs"], statement["guarantee"]
        if guarantee["kind"] != "none":
            sd = 2 * inputs["r"] / inputs["n"] / guarantee["mu"]
            yield (
                f"- Error: the noise moves the mean by {sd * statement['settings']['basis'] ** 0.5:.3g}, root mean "
                f"square, in distances of the manifold: by {sd:.3g} along each of {statement['settings']['basis']} "
                "directions (`noise_sd` in the artifact). What the ball cuts off of points outside it is not in this."
            )
    yield from _describe_error_of_shape(statement["noise"])


def _describe_error_of_shape(noise):
    """Yield how far a mean of shapes may lie from these people's own, for a reader to judge, where that is known."""
    if noise.get("error_radian") is not None:
        yield (
            f"- Error: the mean is expected to lie {noise['error_radian']:.3g} radian from these people's own mean, "
            "root mean square. That counts what is left of the noise, what the released directions leave out, and "
            "what the clip takes, for people like the public ones or, without a public set, as the prior has them. "
            "A mean that is seen to lie off the public one is taken to do so along directions that are not released, "
            "too. People who differ from the public ones along these alone lie farther off, and nothing released tells "
            "that."
        )


def _describe_error_of_model(statement):
    """Yield how far noise moves a model's mean, as `_describe_error` says it of a mean.

    A page says it for each face that is asked for.
    """
    rms = statement["noise"]["rms_mm"]
    if rms is None:
        yield from _describe_error_of_shape(statement["noise"])
        yield (
            "- Error: that of mean and effects follows from `moment_noise`, that of a mode's standard deviation is "
            "`sd_noise`, noise, chance and the clip together; tables beside this say how large. "
            "Effects on shapes of few people come out shorter than they are: in `effects.csv`, `shown_share` says how "
            "much of one is expected to be shown, and `half_interval` holds what is missing beside noise and chance."
        )
    else:
        yield (
            f"- Error: the noise moves a point of the mean by {rms:.3g} mm, root mean square, on a face of the "
            "template's size; that of effects follows from `moment_noise` and stands on the page, that of a mode's "
            "standard deviation is `sd_noise`, noise, chance and the clip together. Effects are drawn towards nothing "
            "as far as noise is larger than they look, from what was noised alone; `effects_drawn` is as before it. "
            "What the model gives may look like a face and be that far off. Faces drawn from it are of nobody."
        )
