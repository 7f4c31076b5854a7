"""The shaped release of mean faces: error on scanned faces, and speed, beside the joint mechanism and no data at all.

Lengths are root mean square over the points of the curves, in mm, from the cohort's own mean: noise and bias together.
Cohort and public set share no face; both went through the chain. `matched_joint` has its bounds from the same public
set, about the same reference. `reference_alone` is the public reference, `sampling` the chance in who takes part.
ict_reference : public set of the population; small_reference : the same, 20 faces; shifted_cohort : the cohort's mean
moved away from the reference; demo_reference : public set of the built-in model, registered to the population's
template, and demo_reference_and_template to the built-in one, from which the cohort lies farther than people lie from
each other. Its largest ratio to the error of `matched_joint` is over the n of SWEEP, the cohort's people repeated as
often as n asks. `correspondence` and `prediction` are of faces in correspondence, 23 x 80; `speed` is of made-up
curves, in a process of its own; `mesh` is of the population's template; `face_*` : what a demo scan costs at that
resolution.
"""

import json
import math
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import trimesh

from benchmarks import chained_faces, corresponding_faces, lower_clip, populations, resolution
from shapedp.app.forecast import comparison, predictions
from shapedp.base.settings import read_default
from shapedp.privacy import integer_sums, noise
from shapedp.privacy.curves import bounds
from shapedp.privacy.curves.learned import plan_stages
from shapedp.privacy.learned import face_learning
from shapedp.privacy.learned.face_variation import Variation
from shapedp.privacy.statistic import Rows, Sums
from shapedp.releases import curve_mechanisms
from shapedp.surfaces import curve_mesh

POPULATIONS = ("ict", "demo")
SEEDS = "1 to 4 of people, 0 up of noise"
KERNEL = {"rho": 1.0, "alpha": 1.0, "phi": [0.01, 0.01, 0.005]}
MODES, HARMONICS = (read_default(f"faces.variation.{key}") for key in ("directions", "harmonics"))
GUESSES = {"quantile": 0.95, "assumed_mean_shift": 0.35, "assumed_shift_outside_modes": 1.2}
MU, BUDGETS = 2.9661, {"mu3": 2.9661, "mu1": 1.0, "mu025": 0.25}
COHORT, PUBLIC, SHIFTED, DEMO = 1, 2, 3, 4  # seeds
SHIFT_MM = 2.8  # of the model's vertices: pose, size and registration take up a part, 1.5 mm is left
ANSWERS, SWEPT = 8, 3  # draws of the first stage that an error is averaged over, and in the sweep over n
SWEEP = 20, 30, 40, 63, 120, 300, 1000, 3000, 10_000  # people
SPAN = 0.98  # of the public variance, where noise is compared with the sampling error
COHORTS = 10


@dataclass(frozen=True)
class Size:
    """shape : (J, m) of scanned faces' curves; n : of a cohort; public, small, demo : people in public sets

    many, learned : people of the cohort and of the public set in correspondence; released, fitted : of the speed
    undone : releases with the lower clip, of each of the crowds; scanned : faces whose cost is measured
    """

    shape: tuple
    n: int
    public: int
    small: int
    demo: int
    many: int
    learned: int
    released: int
    fitted: int
    undone: int
    crowds: tuple
    scanned: int


FULL = Size((64, 240), 120, 160, 20, 150, 1000, 400, 1000, 400, 24, lower_clip.PEOPLE, 10)
TINY = Size((6, 24), 2, 10, 10, 10, 40, 20, 20, 20, 1, (64,), 1)


def run(population, size):
    """Rows (case, measure, value, unit)."""
    frame = chained_faces.Frame.of(population, size.shape)
    cohort, public = (frame.people(population, seed, n) for seed, n in ((COHORT, size.n), (PUBLIC, size.public)))
    shifted = frame.people(population, SHIFTED, size.n, shift(populations.FACES[population]()))
    yield from errors("ict_reference", cohort, public, frame)
    yield from errors("small_reference", cohort, public[: size.small], frame)
    yield from errors("shifted_cohort", shifted, public, frame)
    yield from errors("demo_reference", cohort, frame.people("demo", DEMO, size.demo), frame)
    if population != "demo":  # whose template is the built-in one
        built_in = chained_faces.Frame.of("demo", size.shape)
        cohort, public = built_in.people(population, COHORT, size.n), built_in.people("demo", DEMO, size.demo)
        yield from errors("demo_reference_and_template", cohort, public, built_in)
    model = corresponding_faces.of(populations.FACES[population]())
    learned = variation_of(model.draw(size.learned, PUBLIC), model.template())
    yield from correspondence(model, learned, size)
    yield from lower_clip.rows(model, variation_of, shaped_at, size.undone, size.crowds)
    yield from mesh(frame)
    yield from prediction(model, learned, size.n)
    yield from (("speed", measure, *one) for measure, one in in_a_process(size).items())
    yield from resolution.rows(size.scanned)


def shift(model):
    """(k,) weights that move everybody by SHIFT_MM rms, whatever moves the whole face left out."""
    weights = np.random.default_rng(SHIFTED).standard_normal(len(model.modes))
    moved = np.tensordot(weights, model.modes, axes=1)
    moved -= moved.mean(axis=0)
    return SHIFT_MM / np.sqrt(np.mean(np.sum(moved**2, axis=1))) * weights


def reading(people):
    """read_rows for people in memory."""
    return lambda start, stop: people[start:stop]


def variation_of(public, reference):
    """Learned from public people as the workflow learns."""
    found = face_learning.learn(reading(public), len(public), reference, MODES, HARMONICS)
    return Variation(center=reference, **vars(found), **GUESSES, source="bench", public=True)


def joint(public, reference, n):
    """`matched_joint` with its bounds from the same public people."""
    limits = bounds.from_population(reading(public), len(public), reference, 0.95, 1.2, "bench", True)
    budget = {"mu_total": MU}
    return curve_mechanisms.make("matched_joint", reference.shape, n, limits, reference, budget, KERNEL)


def shaped(learned, n):
    """The mechanism at MU."""
    return shaped_at(learned, n, MU)


def shaped_at(learned, n, mu):
    """The mechanism at mu."""
    center, budget = learned.center, {"mu_total": mu}
    return curve_mechanisms.make("shaped", center.shape, n, learned, center, budget, KERNEL)


def errors(case, cohort, public, frame):
    """Noise and bias of one cohort, by both mechanisms, beside no data and chance."""
    found = comparison.Cohort.from_reader(reading(cohort), len(cohort), frame.scale, KERNEL)
    made = shaped(variation_of(public, frame.curves), len(cohort))
    noise_mm, bias_mm = apart(made, cohort, found)
    jointly = joint(public, frame.curves, len(cohort))
    yield case, "error_mm", math.hypot(noise_mm, bias_mm), "mm"
    yield case, "noise_mm", noise_mm, "mm"
    yield case, "bias_mm", bias_mm, "mm"
    matched = apart(jointly, cohort, found)
    yield case, "error_mm_matched_joint", math.hypot(*matched), "mm"
    alone, chance = (row["error_mm"] for row in found.without_noise(frame.curves))
    yield case, "reference_alone_mm", alone, "mm"
    yield case, "sampling_mm", chance, "mm"
    yield case, "modes", made.modes, "count"
    yield case, "harmonics", len(made.axes) - made.modes, "count"
    foretold = {n: math.hypot(matched[0] * len(cohort) / n, matched[1]) for n in SWEEP}
    swept = {n: math.hypot(*apart(shaped(made.variation, n), cohort, found, SWEPT)) for n in SWEEP}
    worst = max(SWEEP, key=lambda n: swept[n] / foretold[n])
    yield case, "worst_ratio_to_matched_joint", swept[worst] / foretold[worst], "1"
    yield case, "worst_ratio_at", worst, "people"
    yield case, "error_mm_at_10000", swept[10_000], "mm"


def apart(made, cohort, found, answers=ANSWERS):
    """(noise, bias) in mm; people are repeated as often as the mechanism's n asks. Where public people are learned from
    both stages are drawn, for what is corrected follows from the noised mean: bias is what errs beyond the noise left.
    """
    everybody, squares, rng = Rows(len(cohort), reading(cohort)), [], np.random.default_rng(0)
    first = made.first_stage()
    opening = first and Sums((first.sums(everybody).values[0] * made.n // len(cohort),))
    for seed in range(answers if made.learns else 1):
        settled = made.with_bound_from((first.noised(opening, noise.SeededNoise(seed)),) if first else ())
        kept = settled.exact_mean(settled.sums(everybody).values[0] * (made.n / len(cohort)))
        if made.learns:
            kept = kept + settled.noise / settled.n * rng.standard_normal(kept.shape)
        shown = settled.decoder_for(kept)
        left, error = shown.noise_left() ** 2, comparison.mean_squared_distance(shown.decode(kept), found.mean)
        squares.append((left, error - left if made.learns else error))
    return tuple(found.scale * np.sqrt(np.maximum(0.0, np.mean(squares, axis=0))))


def mesh(frame):
    """Least angle, and triangles that cut others, of the surface through the template's curves."""
    import pymeshlab  # late: it needs libraries of the system that a bare one lacks

    surface = trimesh.Trimesh(*curve_mesh.mesh(frame.scale * frame.curves, frame.radii), process=False)
    yield "mesh", "triangles", len(surface.faces), "count"
    yield "mesh", "least_angle", float(np.degrees(surface.face_angles.min())), "degree"
    found = pymeshlab.MeshSet()
    found.add_mesh(pymeshlab.Mesh(surface.vertices, surface.faces))
    found.compute_selection_by_self_intersections_per_face()
    yield "mesh", "self_intersections", found.current_mesh().selected_face_number(), "count"


def correspondence(model, learned, size):
    """Noise variance against `matched_joint`, and from how many people on noise lies below the sampling error."""
    public = model.draw(size.learned, PUBLIC)
    ratio = joint(public, model.template(), size.many).noise_size() / shaped(learned, size.many).noise_size()
    yield "correspondence", "ratio_matched_joint_to_shaped", ratio**2, "1"
    for name, mu in BUDGETS.items():
        yield "correspondence", f"crossing_n_{name}", crossing(learned, mu), "people"


def crossing(learned, mu):
    """The least n whose noise lies below the sampling error with SPAN of the public variance released."""
    low, high = 1, predictions.MOST_PEOPLE
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if below(learned, middle, mu) else (middle, high)
    return high


def below(learned, n, mu):
    """Whether the noise for n people lies below the sampling error, with enough of the variance in the span."""
    _, _, chosen = plan_stages(learned, n, mu)
    share = chosen.moments.sum() / (learned.moments.sum() + learned.outside.mean())
    return chosen.noise < learned.spread / n and share >= SPAN


def prediction(model, learned, n):
    """The largest factor between predicted and realised error on COHORTS cohorts of n people."""
    told, worst = predictions.predict(learned, n, MU, model.scale()).error, 1.0
    made = shaped(learned, n)
    for number in range(COHORTS):
        cohort = model.draw(n, 100 + number)
        found = comparison.Cohort.from_reader(reading(cohort), n, model.scale(), KERNEL)
        ratio = math.hypot(*apart(made, cohort, found)) / told
        worst = max(worst, ratio, 1 / ratio)
    yield "prediction", "worst_ratio", worst, "1"


def in_a_process(size):
    """{measure: (value, unit)} of the speed, whose memory is that of a fresh process."""
    given = json.dumps([*size.shape, size.released, size.fitted])
    paths = os.pathsep.join(path for path in sys.path if path)
    done = subprocess.run(
        [sys.executable, __file__, given],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
    )
    return json.loads(done.stdout)


def timed(curves, samples, released, fitted):
    """Processor time of learning from `fitted` made-up people and of a release of `released`; memory of the process."""
    directions = face_learning.harmonic_functions((curves, 3, samples), 20)
    rng = np.random.default_rng(1)
    weights = rng.standard_normal((max(released, fitted), len(directions))).astype(np.float32) / 100

    def read(start, stop):
        return np.tensordot(weights[start:stop], directions, axes=1).astype(float)

    start = time.process_time()
    found = face_learning.learn(read, fitted, np.zeros(directions.shape[1:]), MODES, HARMONICS)
    learned = Variation(center=np.zeros(directions.shape[1:]), **vars(found), **GUESSES, source="bench", public=True)
    middle = time.process_time()
    made = shaped(learned, released)
    source = noise.SecureNoise()
    made, sums = integer_sums.ask_first_stage(made, read, released, source)
    made.draw(sums, source)
    end = time.process_time()
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return {
        "release_s": (end - middle, "s"),
        "learn_s": (middle - start, "s"),
        "memory_mb": (int(status["VmHWM"].split()[0]) / 1024, "MB"),
    }


if __name__ == "__main__":
    print(json.dumps(timed(*json.loads(sys.argv[1]))))
