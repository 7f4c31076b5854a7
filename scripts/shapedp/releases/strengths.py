"""How strong a guarantee is, in plain words: for people who have never heard of differential privacy."""

from math import inf

STRENGTHS = (  # up to this share of right guesses: our word, and what it means for the opponent
    (0.55, "strong", "hardly better than a coin"),
    (0.65, "fair", "a little better than a coin"),
    (0.8, "moderate", "clearly better than a coin, and still often wrong"),
    (0.95, "weak", "usually right"),
    (inf, "very weak", "nearly always right"),
)
SHOWN_DELTAS = (1e-5, 1e-6, 1e-8)


def of(guarantee):
    """(our word, what it means for the opponent) for a guarantee."""
    return next(words for limit, *words in STRENGTHS if guarantee["right_guesses"] <= limit)


def section(statement):
    """Lines of the statement's section on strength."""
    guarantee = statement["guarantee"]
    if guarantee["kind"] == "none":
        return ["## How strongly", "", "Not at all, formally."]
    unit = "face" if statement["release"]["branch"] == "faces" else "shape"
    label, meaning = of(guarantee)
    return [
        "## How strongly",
        "",
        f"We call this **{label}**. Suppose an opponent knows all records but one, and that the missing one is one of "
        "two, equally likely. By tossing a coin they would be right 50% of the time; with this release they are right "
        f"at most **{guarantee['right_guesses']:.1%}** of the time: {meaning}.",
        "",
        f"Or suppose they hold a {unit} and ask of one person after the other whether it is theirs, and that they "
        "accept being wrong about 5 in 100 people whose it is not. Of 100 people whose it is, they then recognise at "
        f"most {guarantee['hits'] * 100:.1f}; guessing would find 5.",
        "",
        "No opponent does better, whatever they know and however they compute. Our words go by right guesses: up to "
        "55% is strong, up to 65% fair, up to 80% moderate, up to 95% weak, and more is very weak.",
        "",
        *_parameters(guarantee),
    ]


def _parameters(guarantee):
    if guarantee["kind"] == "pure":
        return [
            f"For specialists: pure differential privacy, epsilon = {guarantee['epsilon']:.6g}. It implies "
            f"mu = {guarantee['mu']:.4g} (Gaussian) and rho = {guarantee['rho']:.4g} (zero-concentrated).",
        ]
    near = [min(guarantee["epsilon_delta"], key=lambda pair: abs(pair[1] / delta - 1)) for delta in SHOWN_DELTAS]
    return [
        f"For specialists: Gaussian differential privacy, mu = {guarantee['mu']:.6g}; zero-concentrated, "
        f"rho = {guarantee['rho']:.6g}; (epsilon, delta) for instance "
        + ", ".join(f"({epsilon:.4g}, {delta:.0e})" for epsilon, delta in near)
        + ".",
    ]
