"""A plan of mean faces as tables and in words: what each mechanism is worth, and how many people a target takes."""

from shapedp.accuracy import predictions
from shapedp.forecast import comparisons
from shapedp.mechanisms.cost import GAUSSIAN, Cost
from shapedp.releases import guarantees, strengths

PEOPLE = (20, 30, 63, 100, 200, 300, 1000, 3000, 10_000)
BUDGETS = (0.25, 0.5, 1.0, 3.0)
TARGET, ASKED = 0.5, 300  # mm, people


def table(inputs):
    """Lines of a tab-separated table over mechanisms, BUDGETS and PEOPLE; inputs : predictions.Inputs."""
    yield "\t".join([*predictions.COLUMNS, "modes", "harmonics"])
    for name in inputs.names:
        for mu in BUDGETS:
            for n in PEOPLE:
                told = inputs.predict(name, n, mu)
                released = ["" if one is None else str(one) for one in (told.modes, told.harmonics)]
                yield "\t".join([name, *told.row, *released])


def answers(inputs):
    """Lines of a table: how many people TARGET takes at each mu, and what that mu buys with ASKED people."""
    yield "\t".join(
        [
            *("mechanism", "mu", "strength", "right_guesses"),
            *(f"people_for_{TARGET:g}_mm", f"error_mm_with_{ASKED}_people"),
        ]
    )
    for name in inputs.names:
        for mu in BUDGETS:
            told = inputs.predict(name, ASKED, mu)
            people = inputs.people_needed(name, mu, TARGET)
            word, guesses = strength(mu)
            yield f"{name}\t{mu:g}\t{word}\t{guesses:.3f}\t{people or 'never'}\t{told.error:.4g}"


def strength(mu):
    """(our word, share of right guesses between two equally likely people) of mu."""
    stated = guarantees.of_cost(Cost(GAUSSIAN, mu=mu))
    return strengths.of(stated)[0], stated["right_guesses"]


def words(inputs, name, n, mu, target=None):
    """The same as sentences, for one mechanism."""
    told = inputs.predict(name, n, mu)
    yield f"{name}, {n} people, mu = {mu:g} ({strength(mu)[0]}): error {told.error:.3g} mm (rms at a point)"
    if told.bias is None:
        yield "  noise alone; clipping and smoothing add a bias that depends on the data"
    else:
        yield f"  noise {told.noise:.3g} mm, bias {told.bias:.3g} mm if the cohort is like the public set"
    if told.reference is not None:
        yield (f"  beside it: sampling error {told.sampling:.3g} mm; public reference, no data {told.reference:.3g} mm")
    for asked in () if target is None else sorted({*BUDGETS, mu}):
        people = inputs.people_needed(name, asked, target)
        yield f"for {target:g} mm at mu = {asked:g} ({strength(asked)[0]}): {people or 'no number of'} people"
    if inputs.variation is not None:
        yield comparisons.words(inputs.variation, mu, inputs.scale)
