"""Several laboratories: five of forty people, faces in correspondence, beside one place that has all of them.

`masked error_ratio` is the error of the joint release (one may conspire) over that of one laboratory with everybody,
and `one_lab error_ratio` that of a laboratory alone; errors are against the population's mean, which only simulated
people have. `colluders` compares what c conspirators see of a person's worst pair with the table of the statement:
d' = |move|/sd of the noise that they do not know, over mu_c.
"""

import math
import shutil
import time
from dataclasses import dataclass, replace
from functools import partial
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks import corresponding_faces, model_people, populations
from library.laboratories import five_labs, test_joint, test_rounds
from library.releases import crashes
from shapedp.base.errors import ShapedpError
from shapedp.base.settings import read_default
from shapedp.laboratories import joint, rounds, study
from shapedp.laboratories.pools.faces import combine_parts
from shapedp.laboratories.pools.sources import Pooled
from shapedp.privacy import noise
from shapedp.privacy.statistic import Rows
from shapedp.releases import curve_mechanisms

POPULATIONS = ("ict", "demo")
SEEDS = "0 up of noise, 100 up of people"
LABS, CONSPIRING, MU = 5, 1, 1.0


@dataclass(frozen=True)
class Size:
    """public, people : of the public set, and of each laboratory; axes, harmonics : learned; runs : releases of each
    sort, with other people each time; numbers : of a statistic whose letters are timed; step : every how manieth system
    call is a kill; mask_bytes : that are tested for being uniform
    """

    public: int
    people: int
    axes: int
    harmonics: int
    runs: int
    numbers: int
    step: int
    mask_bytes: int


FULL = Size(120, 40, 100, 200, 30, 10_000, 1, 10_000_000)
TINY = Size(12, 4, 4, 3, 1, 100, 100, 100_000)


def run(population, size):
    """Rows (case, measure, value, unit)."""
    faces = corresponding_faces.of(populations.FACES[population]())
    plan, template = model_people.plan(faces), faces.template()
    variation = model_people.learned(plan.draw(size.public, 1)[0], template, size.axes, size.harmonics)
    truth = faces.true_mean(200, 9)
    yield from errors(plan, variation, template, truth, size, faces.scale())
    yield from colluders(plan.draw(2 * size.people, 5)[0], variation, template, size)
    yield from letters(size.numbers)
    yield from attacks()
    yield from kills(size.step)
    yield from masks_are_uniform(size.mask_bytes)


def made_for(variation, template, n, mu, planned_for=None):
    """`shaped` for n people."""
    asked = template.shape, n, variation, template, {"mu_total": mu}, read_default("faces.kernel"), planned_for
    return curve_mechanisms.make("shaped", *asked)


def pooled_as(made, parts, variation, source):
    """The average of what each laboratory drew by itself, as `shapedp pool` makes it."""
    drawn = [answers_of(made, one, source) for one in parts]
    settled = [made.with_bound_from(answers[:-1]) for answers in drawn]
    weights = np.full(len(parts), 1 / len(parts))
    values = [one.lengths_along * answers[-1] for one, answers in zip(settled, drawn, strict=True)]
    noise = np.sqrt(
        sum((w * one.lengths_along * one.noise / one.n) ** 2 for w, one in zip(weights, settled, strict=True))
    )
    average = Pooled(made.n * len(parts), weights, weights @ np.array(values), noise)
    mechanism = combine_parts(settled, average, variation)
    u = average.values / mechanism.lengths_along
    return mechanism.decoder_for(u).decode(u)


def answers_of(made, curves, source):
    """The noised answers of all stages about some people."""
    people, answers = Rows.of(curves), ()
    while (statistic := made.stage(answers)) is not None:
        answers = (*answers, statistic.noised(statistic.sums(people), source))
    return answers


def errors(plan, variation, template, truth, size, scale):
    """rms mm from the population's mean: one laboratory, all together by masked sums, all in one place, pooled."""
    squares = {"one_lab": [], "pooled": [], "masked": [], "one_place": [], "sampling": []}
    everybody = LABS * size.people
    world = study.find_mu_to_world(MU, LABS, CONSPIRING)
    small = made_for(variation, template, size.people, MU)
    for seed in range(size.runs):
        curves = plan.draw(everybody, 100 + seed)[0]
        source = noise.SeededNoise(seed)
        parts = [curves[at : at + size.people] for at in range(0, everybody, size.people)]
        alone = [released(small, one, source) for one in parts]
        found = {
            "one_lab": alone[0],
            "pooled": pooled_as(made_for(variation, template, size.people, MU, everybody), parts, variation, source),
            "masked": released(made_for(variation, template, everybody, world), curves, source),
            "one_place": released(made_for(variation, template, everybody, MU), curves, source),
            "sampling": curves.mean(axis=0),
        }
        for name, one in found.items():
            squares[name].append(np.mean(np.sum((one - truth) ** 2, axis=1)))
    rms = {name: scale * math.sqrt(np.mean(one)) for name, one in squares.items()}
    for name, value in rms.items():
        yield name, "error_mm", value, "mm"
    for name in ("one_lab", "pooled", "masked"):
        yield name, "error_ratio", rms[name] / rms["one_place"], "x"
    part, whole = (
        made_for(variation, template, size.people, MU, everybody),
        made_for(variation, template, everybody, MU),
    )
    drawn = [float(np.linalg.norm(one.lengths_along * one.noise / one.n)) for one in (part, whole)]
    yield "pooled", "noise_ratio", drawn[0] / math.sqrt(LABS) / drawn[1] / math.sqrt(LABS), "x"


def released(made, curves, source):
    """The released curves of some people."""
    *before, drawn = answers_of(made, curves, source)
    return made.with_bound_from(tuple(before)).decoder_for(drawn).decode(drawn)


def colluders(curves, variation, template, size):
    """Bits of the sums, and d' of the worst pair over mu_c for every number of conspirators."""
    everybody = LABS * size.people
    made = replace(made_for(variation, template, everybody, study.find_mu_to_world(MU, LABS, CONSPIRING)), first=0.0)
    parts = [curves[at : at + size.people] for at in range(0, len(curves), size.people)]
    whole = made.sums(Rows.of(curves)).values[0]
    yield "sums", "equal_bits", float((sum(made.sums(Rows.of(one)).values[0] for one in parts) == whole).all()), "1"
    first, second = (made.sums(Rows.of(one[None])).values[0] for one in made.worst_pair())
    share = rounds.ShareOfNoise(noise.SecureNoise(), LABS)
    made.noised(made.sums(rounds.NOBODY), share)
    move, sd = np.linalg.norm((first - second).astype(float)), share.scales[0]
    table = study.list_mu_faced(made.mu, LABS)
    seen = [move / (sd * math.sqrt(LABS - c)) / table[c] for c in range(LABS)]
    yield "colluders", "least_d_to_mu", min(seen), "1"
    yield "colluders", "most_d_to_mu", max(seen), "1"


def letters(numbers):
    """Seconds and bytes of one laboratory's letters, and whether the sum without noise is exact through them."""
    with TemporaryDirectory() as name:
        folder = five_labs.Path(name)
        _, this = five_labs.make(folder)
        statistic = five_labs.WholeSums()
        statistic = replace(statistic, width=numbers)
        rows = np.ones((1, numbers), dtype=np.int64)
        began, total = time.process_time(), 0
        for lab in five_labs.LABS:
            sums = statistic.sums(Rows.of(rows))
            sender = five_labs.sender(this, lab, folder / "keys")
            content = sender.signed_part(sender.masked_part(statistic, sums, five_labs.NoNoise()), test_rounds.LEDGER)
            path = this.folder / this.name / f"part-{lab}.npz"
            path.write_bytes(content)
            total += len(content) + (this.folder / this.name / f"hello-{lab}.json").stat().st_size
        yield "lab", "seconds_per_lab", (time.process_time() - began) / LABS, "s"
        yield "lab", "kilobytes_per_lab", total / LABS / 1000, "kB"
        yield "letters", "sum_is_exact", float((rounds.compute_answer(this, statistic) == LABS).all()), "1"


def kills(step):
    """Join, contribute and combine killed at every system call; how often something was answered twice, or lost."""
    points = violations = 0
    with TemporaryDirectory() as name:
        scratch = five_labs.Path(name)
        for act in (joined, contributed, combined):
            ready = scratch / f"{act.__name__}_ready"
            ready.mkdir()
            prepared(ready, act)
            for torn in (False, True):
                count, died = 1, True
                while died:
                    folder = scratch / "killed"
                    shutil.copytree(ready, folder)
                    died = crashes.exit_code(crashes.in_child(partial(dying, folder, act, count, torn))) != 0
                    violations += died and not holds(folder, act)
                    points, count = points + died, count + step
                    shutil.rmtree(folder)
    yield "kills", "kills", points, "system calls"
    yield "kills", "kills_violations", violations, "states"


def prepared(folder, act):
    """Three laboratories just before the act."""
    labs = test_joint.Labs(folder)
    if act is combined:
        labs.all_stages()
    elif act is contributed:
        labs.hello(labs.round())


def again(folder):
    """The three laboratories of a copied folder."""
    labs = object.__new__(test_joint.Labs)
    labs.folder, labs.letters = folder, folder / "letters"
    labs.study = test_joint.study.load(folder / "study")
    return labs


def dying(folder, act, count, torn):
    """The act, in a process that dies at its system call `count`."""
    labs = again(folder)
    crashes.die_at(count, torn)
    act(labs)


def joined(labs):
    """A laboratory says hello."""
    labs.hello(labs.round(), ("graz",))


def contributed(labs):
    """It sends its part."""
    labs.contribute(labs.round(), "graz")


def combined(labs):
    """It combines all parts."""
    joint.combine(labs.round(), labs.output)


def shown(labs, act):
    """{name: bytes} of what the act shows to others."""
    if act is combined:
        return {one.name: one.read_bytes() for one in labs.output.glob("*")} if labs.output.is_dir() else {}
    this = labs.round()
    path = this.hello_path("graz") if act is joined else this.part_path("graz")
    return {path.name: path.read_bytes()} if path.exists() else {}


def holds(folder, act):
    """Whether the same command goes on after a kill: nothing answered twice, nothing lost, nothing spent unrecorded."""
    labs = again(folder)
    before = shown(labs, act)
    try:
        act(labs)
        after = shown(labs, act)
        act(labs)
        rows = labs.ledger("graz").list_releases("graz")
        whole = bool(after) and (not before or before == after) and shown(labs, act) == after
        if act is joined:
            return (
                whole and not rows and rounds.locate_round_key(folder / "graz" / "keys", labs.round(), "graz").exists()
            )
        if act is contributed:
            return whole and sum(row["status"] == "released" for row in rows) == 1 and len(rows) <= 2
        joint.check(labs.round(), "graz", labs.ledger("graz"), "graz", labs.output)
        return whole
    except Exception:  # a promise that is broken, or a file that cannot be read any more
        return False


def masks_are_uniform(count):
    """Chi-square of the bytes of all parts but one, of laboratories that send zeros, in sd from what is expected; and
    how often whoever sees these guesses whether one of them sent zeros or large numbers.
    """
    with TemporaryDirectory() as name:
        folder = five_labs.Path(name)
        _, this = five_labs.make(folder)
        statistic = replace(five_labs.WholeSums(), width=count // 8)
        sums = statistic.sums(Rows.of(np.zeros((1, count // 8), dtype=np.int64)))
        senders = [five_labs.sender(this, lab, folder / "keys") for lab in five_labs.LABS[:-1]]
        parts = [one.masked_part(statistic, sums, five_labs.NoNoise()) for one in senders]
        part = rounds.sum_unmasked(parts).view(np.uint64)
        counts = np.bincount(part.view(np.uint8), minlength=256)
        expected = counts.sum() / 256
        yield "masks", "chi_square_sd", (np.sum((counts - expected) ** 2 / expected) - 255) / math.sqrt(510), "sd"
        yield "masks", "distinguisher_wins", distinguished(part), "1"


WORDS = 8  # integers of a game


def distinguished(part):
    """Share of games won by whoever guesses from the sum of all parts but one whether a laboratory sent 0 or 2^61."""
    words = part[: len(part) // WORDS * WORDS].reshape(-1, WORDS)
    sent = np.random.default_rng(0).integers(0, 2, len(words)).astype(bool)
    seen = words + np.where(sent, np.uint64(1 << 61), np.uint64(0))[:, None]
    return float(np.mean((seen.view(np.int64).mean(axis=1, dtype=float) > 0) == sent))


def attacks():
    """Share of edited, replayed, swapped, missing and foreign letters that are refused in words that name them."""
    with TemporaryDirectory() as name:
        ready = five_labs.Path(name) / "ready"
        ready.mkdir()
        _, this = five_labs.make(ready)
        for lab in five_labs.LABS:
            part = five_labs.part_of(this, lab, ready / "keys")
            this.part_path(lab).write_bytes(
                five_labs.sender(this, lab, ready / "keys").signed_part(part, test_rounds.LEDGER)
            )
        refused = 0
        for attack in test_rounds.ATTACKS:
            folder = five_labs.Path(name) / "attacked"
            shutil.copytree(ready, folder)
            attacked = replace(this, folder=folder / this.folder.relative_to(ready))
            attack(attacked)
            try:
                rounds.compute_answer(attacked, five_labs.WholeSums())
            except ShapedpError as told:
                refused += "laborator" in str(told) and str(attacked.folder) in str(told)
            shutil.rmtree(folder)
    yield "attacks", "attacks", len(test_rounds.ATTACKS), "1"
    yield "attacks", "attacks_refused_share", refused / len(test_rounds.ATTACKS), "1"
