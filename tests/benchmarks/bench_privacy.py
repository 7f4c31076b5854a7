"""Attacks on the releases: chosen records at the command and at the library, kills, and what an attacker can tell.

What counts as moved or violated is decided by the tests that the bench calls; here it is counted.
"""

import itertools
import math
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import kernels
from benchmarks import fuzz_strangers, hostile_limits, hostile_runs
from docs import proof_ties, proof_witnesses
from library.laboratories import test_joint, test_pooling
from library.laboratories.test_joint import write_public
from library.ledger import histories, test_planned, test_restoring
from library.privacy import test_any_record
from library.privacy.samplers import test_exact
from library.releases import crashes, nobody_ways, tampering, test_look
from shapedp.audit import adaptive, cases, hostile_files
from shapedp.audit import records as audited_records
from shapedp.ledger import planned, spending
from shapedp.privacy import integer_sums, noise
from shapedp.privacy.accounting.cost import GAUSSIAN, Cost, gdp_epsilon
from shapedp.releases import curve_mechanisms

POPULATIONS = ("demo",)
SEEDS = "1 and 2 of records, 20261121 of files, 57 of answers, 3 of plans"
TARGETS = {
    "proofs proved_share": ">= .9",
    "proofs tied_share": ">= 1",
    "proofs witnesses_share": ">= 1",
    "proofs broken_formula_caught": ">= 1",
    "proofs seconds": "<= 120",
    "totals below_optimistic": "<= 0",
    "totals statements_below_optimistic": "<= 0",
    "adaptive found_over_claimed_worst": "<= 1",
    "adaptive found_over_claimed_least": ">= .9",
    "adaptive entering_over_claimed_worst": "<= 1",
    "statements understated": "<= 0",
    "statements overstated_worst": "<= 1.001",
    "nobody spent": "<= 0",
    "look moved_by_record": "<= 0",
    "strangers files": ">= 10000",
    "strangers escaped": "<= 0",
    "strangers worst_s": "<= 5",
    "limits worst_cpu_s": "<= 30",
    "limits worst_mb": "<= 2000",
    "limits releases_stopped_by_one_record": "<= 0",
    "kernels tests_failed": "<= 0",
    "kernels artifacts_differ": "<= 0",
}
WHOLE_LIBRARY = True


@dataclass(frozen=True)
class Size:
    """records a branch at the command (None: all); cohorts a mechanism at the library; every how many system calls a
    release is killed; cohorts of hostile files; draws of the audit; of the K-norm; divisions into private groups;
    histories of a ledger; files of strangers; ways to use nobody (None: all); pairs of cohorts to look at; loose
    triangles of hostile scans, and those of a dense one; hard limits of the machine; tests to run under each kernel;
    kernels whose demos verify each other; points of each tied formula.
    """

    records: int | None
    cohorts: int
    step: int
    files: int
    gaussian_draws: int
    pure_draws: int
    exact_draws: int
    divisions: int
    histories: int
    strangers: int
    ways: int | None
    looks: int
    loose: tuple[int, ...]
    dense: int
    hard: tuple[str, ...]
    numerical: tuple[str, ...]
    paired: tuple[str, ...]
    points: int
    plans: int = 1_000  # of releases, Gaussian and pure
    kinds: int | None = None  # of releases whose stages are replayed (None: all)
    kernels: int | None = None  # under which the tests run (None: all)


LOOSE, DENSE = (50_000, 2_000_000), 6_000_000  # triangles
FULL = Size(
    None,
    10_000,
    1,
    10_000,
    cases.GAUSSIAN_DRAWS,
    cases.PURE_DRAWS,
    1_000,
    500,
    1_000,
    10_000,
    None,
    200,
    (50_000, 2_000_000),
    6_000_000,
    hostile_runs.LIMITS,
    hostile_limits.NUMERICAL,
    hostile_runs.KERNELS,
    100_000,
)
TINY = Size(
    1,
    3,
    40,
    4,
    500,
    2_000,
    20,
    5,
    5,
    10,
    4,
    5,
    (400,),
    2_000,
    (),
    ("tests/library/privacy/manifolds/test_axes.py",),
    (),
    5,
    3,
    1,
    1,
)


def command_rows(records):
    """Neighbouring cohorts at the release command."""
    rows = list(audited_records.compare_records(records))
    yield "release_command", "pairs", len(rows), "pairs"
    yield "release_command", "verdicts_moved", sum(bool(moved) for *_, moved in rows), "pairs"


def property_rows(cohorts):
    """Generated neighbouring cohorts at every mechanism."""
    shapes = [(test_any_record.check_shapes, (name, modes, cohorts)) for name, modes in test_any_record.SHAPES]
    curves = [(test_any_record.check_curves, (name, cohorts)) for name in curve_mechanisms.MECHANISMS]
    moved = sum(fails(check, *given) for check, given in shapes + curves)
    yield "property", "cohorts", 2 * cohorts * len(shapes + curves), "cohorts"
    yield "property", "verdicts_moved", moved, "mechanisms"


def fails(check, *given):
    """Whether a check of the tests does not hold."""
    try:
        check(*given)
    except Exception as error:
        print(f"{check.__name__}{given}: {error}")
        return True
    return False


def bytes_rows(cohorts):
    """Hostile files of generated cohorts, one fault or two at once, through every step to a release."""
    rows = list(audited_records.compare_files(cohorts))
    moved = [row for row in rows if row[-1]]
    yield "bytes", "cohorts", len(rows), "cohorts"
    yield "bytes", "faults", len(hostile_files.FAULTS), "kinds"
    yield "bytes", "verdicts_moved", len(moved), "cohorts"
    yield "pairs", "verdicts_moved", sum(" and " in row[1] for row in moved), "cohorts"


def pack_rows():
    """Releases that were changed after the ledger recorded them."""
    passed = 0
    for name in tampering.TAMPERINGS:
        with tempfile.TemporaryDirectory() as folder:
            passed += tampering.passed(Path(folder), name)
    yield "pack", "tampered_passed", passed, "releases"


def crash_rows(step):
    """A release killed at its system calls, and what the next call makes of it."""
    points = violations = 0
    with tempfile.TemporaryDirectory() as scratch:
        for torn in (False, True):
            count = 1
            while crashes.crash(folder := Path(scratch) / f"{torn}{count}", count, torn):
                points, count = points + 1, count + step
                violations += fails(crashes.check_recovery, folder)
    yield "crash", "points", points, "kills"
    yield "crash", "violations", violations, "kills"


def audit_rows(size):
    """Every mechanism on its worst pair, and the controls that must be caught."""
    found = list(cases.run_cases(noise.SecureNoise(), size.gaussian_draws, size.pure_draws))
    controls = [one for one in found if one.expected == cases.CAUGHT]
    kept = [one for one in found if one.expected == cases.OK]
    yield "audit", "mechanisms", len(kept), "mechanisms"
    yield "audit", "claims_exceeded", sum(not one.as_expected for one in kept), "mechanisms"
    yield "audit", "controls_caught_share", sum(one.as_expected for one in controls) / len(controls), "1"
    for kind, name in ((cases.EXACT_MU, "exact"), (cases.MU, "drawn")):
        shares = [one.share for one in kept if one.kind == kind]
        yield "audit", f"{name}_mu_share_least", min(shares), "1"
        yield "audit", f"{name}_mu_share_largest", max(shares), "1"


def knorm_rows(draws):
    """At n = 8, epsilon = 2 and one coordinate: outputs in the tail that no bits make from the neighbour's sum; and how
    long a draw of a hundred coordinates takes.
    """
    scale, rng = integer_sums.SENSITIVITY / 2.0, np.random.default_rng(1)
    depths = np.exp(rng.uniform(np.log(1e5), np.log(1e8), draws))
    steps = [round(scale * math.log(depth)) for depth in depths]
    away = [step + side * integer_sums.SENSITIVITY for step in steps for side in (-1, 0, 1)]
    yield "knorm", "impossible_share", sum(not test_exact.comes_to(step, scale) for step in away) / len(away), "1"
    source, sums = noise.SecureNoise(), np.zeros(100, dtype=np.int64)
    start = time.process_time()
    for _ in range(draws):
        source.k_norm_integers(sums, integer_sums.SENSITIVITY, 1.0)
    yield "knorm", "draw_s", (time.process_time() - start) / draws, "s"


def group_rows(divisions):
    """Private groups: whether somebody who moves between them tells more, by the exact sums, than is charged."""
    rng, exceeded = np.random.default_rng(2), 0
    for _ in range(divisions):
        people = rng.normal(size=(20, 5)) * rng.choice([0.1, 1.0, 1e9], (20, 1))
        rows = integer_sums.to_grid(people, 1.0)
        groups, releases = rng.integers(0, 3, 20), [(group, mu) for group in range(3) for mu in rng.uniform(0.1, 2, 2)]
        charges = [
            (Cost(GAUSSIAN, mu=mu), spending.Group(f"g{group}", spending.PRIVATE, "one")) for group, mu in releases
        ]
        for person in range(20):
            into, other = rng.integers(0, 3), integer_sums.to_grid(rng.normal(size=(1, 5)) * 1e3, 1.0)[0]
            told = 0.0
            for group, mu in releases:
                before = rows[person] * (groups[person] == group)
                moved = np.linalg.norm((other * (into == group) - before).astype(float))
                told += (mu * moved / integer_sums.SENSITIVITY) ** 2
            exceeded += math.sqrt(told) > spending.sum_charges(charges).mu * (1 + 1e-12)
    yield "groups", "claim_exceeded", exceeded, "pairs"


def statement_rows(count):
    """What statements promise beside what was drawn from whom: known cases, and generated histories."""
    memory = Path("/dev/shm")  # thousands of releases wait for the disk otherwise
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as scratch:
        folders = [Path(scratch) / str(number) for number in range(len(test_restoring.CASES) + 2)]
        for folder in folders:
            folder.mkdir()
        laboratories, pooled, *houses = folders
        write_public(pooled)
        cases = [
            (test_joint.test_people_who_may_be_in_two_laboratories_pay_twice, (laboratories,)),
            (
                test_pooling.test_who_is_in_two_sources_is_promised_what_both_cost,
                (pooled, test_pooling.grown_cohort(pooled)),
            ),
            *zip(test_restoring.CASES, ((test_restoring.House(folder),) for folder in houses), strict=True),
        ]
        wrong = sum(fails(check, *given) for check, given in cases)
        found = histories.explore(Path(scratch) / "histories", count)
    print(*found.understated, *found.disagreements, sep="\n")
    yield "statements", "cases", len(cases), "cases"
    yield "statements", "histories", count, "histories"
    yield "statements", "compared", found.statements, "statements"
    yield "statements", "understated", wrong + len(found.understated), "statements"
    yield "statements", "overstated_worst", found.worst, "1"
    yield "statements", "composed_otherwise", len(found.disagreements), "statements"


def stranger_rows(count):
    """Studies, letters, sources of a pool and folders that strangers made up, at the commands that read them."""
    with tempfile.TemporaryDirectory() as folder, np.errstate(all="ignore"):
        files, escaped, worst = fuzz_strangers.fuzz(folder, count)
    yield "strangers", "files", files, "files"
    yield "strangers", "escaped", escaped, "files"
    yield "strangers", "worst_s", worst, "s"


def nobody_rows(count):
    """Ways to ask for a release that would use nobody: how many spend."""
    with tempfile.TemporaryDirectory() as folder:
        found = [nobody_ways.spent(name, folder) for name in list(nobody_ways.WAYS)[:count]]
    yield "nobody", "ways", len(found), "ways"
    yield "nobody", "spent", sum(charged for charged, _ in found), "ways"
    yield "nobody", "unsaid", sum(words is None for _, words in found), "ways"


def look_rows(pairs):
    """Pairs of cohorts, one record of which differs: how many of them the look before a release tells apart."""
    with tempfile.TemporaryDirectory() as folder:
        yield "look", "pairs", pairs, "pairs"
        yield "look", "moved_by_record", test_look.moved_by_record(pairs, Path(folder) / "looked.json"), "pairs"


def limit_rows(loose, dense):
    """What hostile files take of a machine; a process that ends otherwise than by a refusal counts as a crash."""
    with tempfile.TemporaryDirectory() as folder:
        found = {}
        for name, kind, path in hostile_limits.corpus(folder, loose, dense):
            found[name, kind] = hostile_limits.taken(kind, path)
            print(name, kind, *found[name, kind])
    yield "limits", "files", len(found), "files"
    yield "limits", "worst_cpu_s", max(seconds for seconds, _, _ in found.values()), "s"
    yield "limits", "worst_mb", max(memory for _, memory, _ in found.values()), "MB"
    yield "limits", "crashed", sum(bool(status) for *_, status in found.values()), "files"


def hard_limit_rows(limits, dense):
    """Releases under hard limits of the machine, one record of which asks for as much as any may."""
    with tempfile.TemporaryDirectory() as folder:
        stopped = hostile_runs.stopped_releases(folder, limits, dense)
    yield "limits", "hard_limits", len(limits), "limits"
    yield "limits", "releases_stopped_by_one_record", stopped, "releases"


def kernel_pair_rows(paired):
    """Demos that one kernel of OpenBLAS made and another verifies."""
    chosen = [kernel for kernel in paired if kernel in kernels.runnable()]
    with tempfile.TemporaryDirectory() as folder:
        count, differ = hostile_runs.differing_artifacts(folder, chosen, hostile_runs.demo())
    yield "kernels", "pairs", count, "pairs"
    yield "kernels", "artifacts_differ", differ, "artifacts"


def kernel_rows(tests, most):
    """Numerical tests under each kernel of OpenBLAS that this processor can run."""
    runnable, failed = hostile_limits.failed_kernels(tests, most)
    yield "kernels", "run", len(runnable), "kernels"
    yield "kernels", "tests_failed", len(failed), "kernels"


def proof_rows(points):
    """The fixed list of proofs: how much of it Coq proved, how much is tied to the code, and what the ties see."""
    prove = proof_ties.load_prove()
    entries, start = prove.statements(), time.perf_counter()
    if shutil.which("coqc"):
        prove.checked()
        yield "proofs", "seconds", time.perf_counter() - start, "s"
    proved = [entry for entry in entries if "theorems" in entry]
    tied = [entry for entry in proved if any("test_proofs.py" in test for test in entry["tied"])]
    missed, formulas = proof_ties.misses_smaller(), sum(map(len, proof_ties.FORMULAS.values()))
    reached = [witness() >= 1 - 1e-6 for witness in proof_witnesses.WITNESSES.values()]
    yield "proofs", "proved_share", len(proved) / len(entries), "1"
    yield "proofs", "tied_share", len(tied) / len(proved), "1"
    yield "proofs", "witnesses_share", sum(reached) / sum(entry["tight"] for entry in entries), "1"
    yield "proofs", "broken_formula_caught", 1 - len(missed) / formulas, "1"
    apart = sum(len(proof_ties.apart(tie, np.random.default_rng(1), points)) for tie in proof_ties.TIES)
    yield "proofs", "tied_points_apart", apart, "points"


def total_rows(plans):
    """What statements and plans give of releases of both kinds, beside what their privacy loss comes to at least."""
    rng = np.random.default_rng(3)
    found = [tuple(test_planned.random_plan(rng)) for _ in range(plans)]
    tight, delta = [planned.planned_epsilon(costs, test_planned.DELTA) for costs in found], test_planned.DELTA
    by_mu = [gdp_epsilon(spending.sum_charges((cost, None) for cost in costs).mu, delta) for costs in found]
    stated = [test_planned.stated(costs) for costs in found]
    yield "totals", "plans", plans, "plans"
    yield "totals", "below_optimistic", sum(map(test_planned.below_least, found)), "plans"
    histories = [test_planned.random_history(rng) for _ in range(plans)]
    below = sum(test_planned.statement_below_least(*history) for history in histories)
    yield "totals", "statements_below_optimistic", below, "statements"
    yield "totals", "stated_over_mu_mean", float(np.mean(np.divide(stated, by_mu))), "1"
    yield "totals", "planned_over_mu_mean", float(np.mean(np.divide(np.minimum(stated, tight), by_mu))), "1"


def adaptive_rows(kinds):
    """All stages of each kind of release with answers that an adversary chose: distance found over mu claimed."""
    shares, entering = {}, []
    for name, made, *given in itertools.islice(adaptive.list_kinds(), kinds):
        shares[name] = adaptive.find_largest_distance(made, *given) / made.cost().mu
        if adaptive.can_take_private_groups(made):
            entering.append(adaptive.find_largest_distance(made, *given, is_entering=True) / (made.cost().mu / 2))
        yield "adaptive", f"found_over_claimed: {name}", shares[name], "1"
    yield "adaptive", "found_over_claimed_worst", max(shares.values()), "1"
    yield "adaptive", "found_over_claimed_least", min(shares.values()), "1"
    yield "adaptive", "entering_over_claimed_worst", max(entering), "1"


PARTS = {
    "commands": lambda size: command_rows(size.records),
    "properties": lambda size: property_rows(size.cohorts),
    "crashes": lambda size: crash_rows(size.step),
    "bytes": lambda size: bytes_rows(size.files),
    "packs": lambda size: pack_rows(),
    "audit": lambda size: audit_rows(size),
    "knorm": lambda size: knorm_rows(size.exact_draws),
    "groups": lambda size: group_rows(size.divisions),
    "statements": lambda size: statement_rows(size.histories),
    "strangers": lambda size: stranger_rows(size.strangers),
    "nobody": lambda size: nobody_rows(size.ways),
    "look": lambda size: look_rows(size.looks),
    "limits": lambda size: limit_rows(size.loose, size.dense),
    "hard_limits": lambda size: hard_limit_rows(size.hard, size.dense),
    "kernels": lambda size: kernel_rows(size.numerical, size.kernels),
    "kernel_pairs": lambda size: kernel_pair_rows(size.paired),
    "proofs": lambda size: proof_rows(size.points),
    "totals": lambda size: total_rows(size.plans),
    "adaptive": lambda size: adaptive_rows(size.kinds),
}


def run(_, size):
    """Yield the rows of each part in turn."""
    for part in PARTS.values():
        yield from part(size)
