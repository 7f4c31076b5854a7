"""The statement in plain words, from its JSON alone: for an ethics board, in the order in which one asks."""

from shapedp.releases import statement_errors, statement_tables, strengths

SOURCES = {
    "config": "numbers in the settings",
    "reference_set": "a public reference set",
    "demo": "the built-in model, which contains nobody's data",
    "file": "a public file",
    "none": "not used",
    "private": "the private data, with noise of its own that this release pays for",
    "data": "the private data",
}
SAMPLERS = {
    "discrete_gaussian": "a discrete Gaussian on a grid",
    "exact": "drawn exactly from the mechanism's distribution",
    "mcmc": "a Markov chain, which only approaches the mechanism's distribution",
}
NO_UNIT, NOISE = "1", "standard deviations of the noise"


def render(statement):
    """statement.md, Markdown."""
    parts = [
        _verdict(statement),
        statement_tables.made_by(statement),
        _who(statement),
        strengths.section(statement),
        _not_protected(statement),
        statement_tables.budget(statement),
        _how(statement),
        statement_tables.conditions(statement),
        statement_tables.glossary(),
    ]
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _verdict(statement):
    release = statement["release"]
    group = f" of the group {release['group']['name']}" if release["group"] else ""
    title = f"# Privacy statement: {release['statistic']}{group} of {release['n']} people"
    if statement["formally_private"]:
        label, meaning = strengths.of(statement["guarantee"])
        words = f"**Strength: {label}.** At worst, an opponent who knows everything else is {meaning}."
        return [title, "", "**formally_private: true**", "", words, "", statement["summary"]]
    return [
        title,
        "",
        "**formally_private: false**",
        "",
        statement["summary"],
        "",
        *(f"- {reason}" for reason in statement["reasons"]),
    ]


def _who(statement):
    unit = "face" if statement["release"]["branch"] == "faces" else "shape"
    if not statement["formally_private"]:
        return [
            "## Who is protected, and from what",
            "",
            "Nobody, formally. Noise was added, but somebody with enough other knowledge may be able to tell what a "
            "person's record holds. Treat this release as you would treat an average without noise.",
        ]
    lines = [
        "## Who is protected, and from what",
        "",
        f"Each of the {statement['release']['n']} people whose {unit} went into the average. The unit of privacy is "
        f"{statement['unit']}.",
        "",
        f"They are protected from anybody who sees the release and wants to find out what one person's {unit} looks "
        f"like, or whether a {unit} they hold is the one that this person brought. That includes an opponent who knows "
        "every other person's record, has any computer, and combines the release with whatever else is known. Noise "
        f"hides how the release would have come out had the person brought another {unit}. So what "
        "it can tell about them is limited; how strictly stands in the next section.",
        "",
        f"For specialists, the neighbour relation: {statement['neighbours']}.",
    ]
    return lines + _group(statement["release"]["group"])


def _group(group):
    if not group:
        return []
    if group["membership"] == "public":
        words = (
            "Who belongs to which group is taken to be public and fixed. It is not protected; the records are. A "
            "person is in one group, so releases of other groups of the same division cost them nothing."
        )
    else:
        words = (
            "Who belongs to which group is protected too. A person who is replaced may leave one group and enter "
            "another, so two groups' releases count. Each tells less of them than of somebody who stays: there, a "
            "record is taken out or put in, not exchanged for another, which moves the sum half as far. So the two "
            "together count for no more than the group that costs most. Group sizes are public, and declared."
        )
    return ["", words]


def _not_protected(statement):
    return ["## What is not protected", "", *(f"- {one}" for one in statement["not_protected"])]


def _how(statement):
    mechanism, noise = statement["mechanism"], statement["noise"]
    sensitivity = mechanism["sensitivity"]
    entropy = "the operating system's entropy" if noise["secure"] else "a seed"
    return [
        "## How it was made",
        "",
        f"- Method: {mechanism['words']} (`{mechanism['name']}` in the settings).",
        "- Sensitivity, the most by which one replaced person moves the average before noise: "
        f"{sensitivity['formula']}.{_size(statement)}",
        *(
            f"- Bound `{bound['name']}`: {_bound_value(bound)}{_unit(bound)}, from {_origin(bound['origin'])}."
            for bound in statement["bounds"]
        ),
        f"- Template: {_origin(statement['template'])}. Reference or center: {_origin(statement['reference'])}.",
        f"- Noise: {SAMPLERS[noise['sampler']]}, from {entropy}. {_numeric(noise)}",
        *statement_errors.lines(statement),
        f"- Software: {statement['software']['name']} {statement['software']['version']}; settings "
        f"`{statement['settings_digest'][:16]}` (BLAKE2b), listed in `statement.json`.",
    ]


def _size(statement):
    """How large the sensitivity is, in the unit of its formula where one number enters that, and beside the noise."""
    sensitivity, n = statement["mechanism"]["sensitivity"], statement["release"]["n"]
    if sensitivity["value"] is None:
        return " Its value is withheld, since it follows from the private data."
    if sensitivity["unit"] != NOISE:
        return f" That is {sensitivity['value']:.4g}{_unit(sensitivity)}."
    whole = [bound["value"] for bound in statement["bounds"] if not isinstance(bound["value"], list)]
    if len(whole) == 1 and sensitivity["formula"].startswith("2 tau/n"):
        size = 2 * whole[0] / n
        spread = _spread(statement, size)
        return f" With the bound below, 2 tau/n = {size:.4g}; the noise's standard deviation is {spread}."
    return f" All curves together, that is {sensitivity['value']:.4g} times the noise's standard deviation."


def _spread(statement, size):
    """The standard deviation of the noise on a mean that one person moves by `size`, in figures."""
    sensitivity, widened = statement["mechanism"]["sensitivity"], statement["noise"]["widened"]
    share = sensitivity["inputs"].get("w", [1.0])[-1]
    return f"{size * (widened or 1.0) / sensitivity['value'] / share**0.5:.4g}"


def _unit(quantity):
    return "" if quantity["unit"] == NO_UNIT else f" {quantity['unit']}"


def _numeric(noise):
    if noise["sampler"] == "discrete_gaussian":
        return (
            "On that grid rho holds exactly; mu holds up to the discretisation, a relative "
            f"{noise['discretisation']:.1e} at most."
        )
    grid = f" to a grid of {noise['grid']:.1e}" if noise["grid"] else ""
    return (
        f"Results are rounded{grid}. Exact means in real arithmetic: the rounding is good hygiene and not a proof "
        "against attacks on floating-point numbers."
    )


def _bound_value(bound):
    value = bound["value"]
    if value is None:
        return "value withheld"
    if isinstance(value, list):
        numbers = sorted(_flat(value))
        return f"{numbers[0]:.4g} to {numbers[-1]:.4g}"
    return f"{value:.6g}"


def _flat(value):
    return [number for one in value for number in _flat(one)] if isinstance(value, list) else [value]


def _origin(origin):
    words = SOURCES[origin["source"]]
    if "quantile" in origin:
        words += (
            f" of {origin['count']} records: {_times(origin.get('margin', 1))}the size that {origin['quantile']:.0%} "
            "of them stay below"
        )
    return words


def _times(factor):
    return "" if factor == 1 else f"{factor:g} times "
