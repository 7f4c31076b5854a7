"""What a release of a mean face is worth before it is made, from public numbers alone.

Noise depends on the mechanism, n, mu, the bounds and the kernel, never on people; bias, chance and the public
reference's own distance are as large as they would be if the cohort were like the public set that was learned from.
"""

import itertools
import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from shapedp.base import artifacts
from shapedp.base.errors import ConfigError, RefusedRelease
from shapedp.landmarks import public_objects
from shapedp.privacy import worth
from shapedp.privacy.accounting.cost import GAUSSIAN, Cost
from shapedp.privacy.curves import bounds as bounds_of
from shapedp.privacy.curves.base import CurveSettings
from shapedp.privacy.curves.learned import Shaped, first_budget, plan_stages, split_mu_by_stage
from shapedp.privacy.learned import clips, face_variation, mean_forecasts
from shapedp.privacy.recentred import RecentredMean, is_asked_again
from shapedp.releases import curve_mechanisms
from shapedp.releases.forecasting import find_least
from shapedp.releases.model import released_model
from shapedp.releases.model.model_mechanism import FaceModel
from shapedp.releases.statement import guarantees

# People that settings are compared with.
PLANNED = 300
PUBLIC = "template.h5", "faces/bounds/reference_set_template.h5", "reference/variation.h5"  # kept under private/
# People that are looked through.
MOST_PEOPLE = 1 << 20
# Where a mu is looked for, and how near it is found: the answer has three digits.
LEAST_MU, MOST_MU, CLOSE_MU = 0.01, 100.0, 1.005
COLUMNS = (
    *("mechanism", "n", "mu", "noise_mm", "bias_mm", "error_mm", "sampling_error_mm", "public_reference_mm"),
    *("modes", "harmonics", "bias_unlike_mm", "public_reference_unlike_mm"),
)


def noise_constant(name, shape, bounds, reference, kernel_settings):
    """Return K, from which the noise of any n and mu follows: it is K/(n mu), root mean square at a point.

    The budget is split in the best public way.
    """
    # Noise is K/(n mu), so that one mechanism, of two people at mu = 1, tells it for all.
    mechanism = curve_mechanisms.make(name, shape, 2, bounds, reference, {"mu_total": 1.0}, kernel_settings)
    return 2 * math.sqrt(float(np.mean(mechanism.variances().sum(axis=1))))


def predict_noise(k, n, mu):
    """Return the root mean square distance that noise moves a point, K/(n mu), in the unit of k."""
    refuse_nonpositive(n=n, mu=mu)
    return k / (n * mu)


def predict_error(k, n, mu, spread=0.0):
    """Return how far a released mean would err from the population's, root mean square: noise and sampling of n people.

    Parameters
    ----------
    k : float
        As `noise_constant` returns it.
    n : int
        People.
    mu : float
        Of Gaussian differential privacy.
    spread : float
        Root mean square distance of a person's point from the population's mean, in the unit of k. It is public, for
        instance that of a reference set; 0 asks about the noise alone.
    """
    return math.hypot(predict_noise(k, n, mu), spread / math.sqrt(n))


def people_needed(k, mu, target, spread=0.0):
    """Return how many people a mean takes for an error of at most `target`, by `predict_error`: the least n >= 2.

    1/n solves (k/mu)^2 u^2 + spread^2 u = target^2.

    Parameters
    ----------
    k, mu, spread : float
        As `predict_error` takes them.
    target : float
        In the unit of k.
    """
    refuse_nonpositive(mu=mu, target=target)
    half = spread**2 / 2
    return max(2, math.ceil((half + math.hypot(half, k * target / mu)) / target**2))


def refuse_nonpositive(**values):
    """Refuse numbers of a plan that are not positive, by their names."""
    for name, value in values.items():
        if not (math.isfinite(value) and value > 0):
            raise ConfigError(f"plan: {name} must be a positive number, found {value}")


def compare_settings(shape, tau, kernel_settings):
    """Return how the noise changes with each setting: (setting, value, K) with one setting changed at a time.

    K is as of `noise_constant`, of the joint mechanism with bounds from numbers.

    Parameters
    ----------
    shape : tuple
        (J, 3, m) of the curves that are asked for.
    tau : (3,) array
        Bounds on x, y, z, in root-area units.
    kernel_settings : mapping
        The settings `faces.kernel`.
    """
    (count, *rest), changes = shape, []
    for curves in (count // 2, count, 2 * count):
        changes.append(("curves", f"{curves}", (curves, *rest), tau, kernel_settings))
    for factor in (0.1, 1.0, 10.0):
        phi = [factor * number for number in kernel_settings["phi"]]
        changes.append(("phi", ", ".join(f"{number:g}" for number in phi), shape, tau, {**kernel_settings, "phi": phi}))
    for factor in (0.5, 1.0, 2.0):
        scaled = factor * np.asarray(tau)
        changes.append(("tau", ", ".join(f"{number:.3g}" for number in scaled), shape, scaled, kernel_settings))
    return [
        (setting, value, noise_constant("matched_joint", sizes, bounds_of.from_numbers(limits, sizes[0]), None, kernel))
        for setting, value, sizes, limits, kernel in changes
    ]


@dataclass(frozen=True)
class Prediction:
    """noise, bias, error (both together), sampling and reference (the public one, no data) in mm; modes and harmonics
    released. bias, sampling and reference hold if the cohort is like the public set; None where none is known, and
    bias where it depends on the data: then the error is the noise alone.
    """

    noise: float
    bias: float | None = None
    sampling: float | None = None
    reference: float | None = None
    modes: int | None = None
    harmonics: int | None = None
    # Bias, and how far the reference lies, for a cohort that differs from the public set as the settings assume.
    unlike: float | None = None
    reference_unlike: float | None = None

    @property
    def error(self):
        """Noise and bias together."""
        return math.hypot(self.noise, self.bias or 0.0)


@dataclass(frozen=True)
class Inputs:
    """shape (J, 3, m) of the curves; scale : mm of the unit, of the template; limits : bounds.Bounds; kernel : its
    settings; variation : what was learned of a public set, or None.
    """

    shape: tuple
    scale: float
    limits: object
    kernel: dict
    variation: object = None

    @property
    def names(self):
        """Return the names of the mechanisms that a plan can foretell from these inputs, the default first."""
        ranged = self.limits.lower is not None
        left_out = {"pointwise_literal"} if ranged else set(curve_mechanisms.POINTWISE)
        learned = [] if self.variation is None else [Shaped.name]
        return [*learned, *(name for name in curve_mechanisms.NAMES if name not in left_out)]

    def predict(self, name, n, mu):
        """Return the Prediction of a mean face of n people at mu, by the mechanism of this name."""
        refuse_nonpositive(n=n, mu=mu)
        if name not in self.names:
            raise ConfigError(f"plan: mechanism `{name}` has no forecast here; take one of {', '.join(self.names)}")
        if name == Shaped.name:
            return predict(self.variation, n, mu, self.scale)
        noise = predict_noise(self._strengths[name], n, mu)
        sampling, reference, reference_unlike = _predict_without_noise(self.variation, n, self.scale)
        return Prediction(noise, sampling=sampling, reference=reference, reference_unlike=reference_unlike)

    def worth(self, name, n, mu):
        """Return whether a release would be worth making: (verdict of `privacy.worth`, least people for it or None)."""
        if self.variation is None:
            return worth.OPEN, None
        if name == Shaped.name:
            worth_at = lambda n: make_shaped(self.variation, n, mu).worth()  # noqa: E731
            return worth_at(n).verdict, worth.find_least_people(worth_at)
        return worth.judge_noise_alone(
            (self.predict(name, n, mu).noise / self.scale) ** 2, self.variation, n
        ).verdict, None

    def people_needed(self, name, mu, target):
        """Return the least n >= 2 whose mean errs by `target` mm at most at mu, or None where no number is enough."""
        refuse_nonpositive(mu=mu, target=target)
        enough = lambda n: self.predict(name, n, mu).error <= target  # noqa: E731
        return find_least(1, MOST_PEOPLE, enough)

    @cached_property
    def _strengths(self):
        """{mechanism: its noise in mm times n and mu}, of those with bounds."""
        names = (name for name in self.names if name != Shaped.name)
        return {name: self.scale * noise_constant(name, self.shape, self.limits, None, self.kernel) for name in names}


def load(template_path, bounds_path, variation_path, kernel, tau):
    """Return the Inputs of a forecast, read from the public artifacts of a run.

    Parameters
    ----------
    template_path : path
        The template's artifact.
    bounds_path : path or None
        Bounds of the public reference set; None where the bounds are the numbers `tau`.
    variation_path : path or None
        What was learned of that set.
    kernel : mapping
        The settings `faces.kernel`.
    tau : (3,) sequence of float, or None
        Bounds on x, y, z, in root-area units.
    """
    with artifacts.reader(template_path, artifacts.TEMPLATE) as source:
        shape, scale = source.shape("curves"), float(source["scale"])
    limits = public_objects.read_bounds(bounds_path)[0] if bounds_path else bounds_of.from_numbers(tau, shape[0])
    return Inputs(
        shape, scale, limits, kernel, public_objects.read_variation(variation_path)[0] if variation_path else None
    )


def load_learned(results, kernel):
    """Return the Inputs that a run under `results` made, for `shapedp plan`; None where it did not make them."""
    template, bounds, variation = (results / "private" / name for name in PUBLIC)
    if not all(path.is_file() for path in (template, bounds, variation)):
        return None
    return load(template, bounds, variation, kernel, None)


def predict(variation, n, mu, scale, labs=1):
    """Return the Prediction of a mean face by `shaped`, for n people at mu, or for laboratories that pool.

    Parameters
    ----------
    variation : Variation
        How public people vary.
    n : int
        People.
    mu : float
        Of Gaussian differential privacy.
    scale : float
        mm of the unit.
    labs : int
        Where they are the people of several laboratories: for the average of as many releases, each planned for all n.
    """
    shaped = make_shaped(variation, n, mu) if labs == 1 else None
    if isinstance(shaped, RecentredMean):
        return _assemble_prediction(variation, shaped.plan, n, scale, *shaped.forecast_errors())
    _, _, plan = plan_stages(variation, n, mu)
    _, rest = split_mu_by_stage(n // labs, mu)
    # Variance of the noise on the mean of u.
    unit = (2 * plan.tau / (n // labs * rest)) ** 2 / labs
    clip = clips.replan(variation, plan, n, 1.0) if first_budget(n, mu) else plan
    return _assemble_prediction(
        variation,
        clip,
        n,
        scale,
        *mean_forecasts.forecast_squares(variation, clip, n, unit * (clip.tau / plan.tau) ** 2),
    )


def make_shaped(variation, n, mu):
    """Return the mechanism `shaped` of n people at mu just as a release makes it, for a forecast of that very one."""
    law = RecentredMean if is_asked_again(n, mu, None) else Shaped
    return law.from_settings(
        CurveSettings(variation.center.shape, n, variation, variation.center, {"mu_total": mu}, {})
    )


def _assemble_prediction(variation, plan, n, scale, noise, bias):
    """Return the Prediction, in mm, of a release along these axes, from the squares of its noise and its bias."""
    modes = int((plan.axes < len(variation.modes)).sum())
    sampling, reference, reference_unlike = _predict_without_noise(variation, n, scale)
    released = replace(plan, filters=np.ones_like(plan.weights))
    likely, unlikely = (face_variation.forecast_bias(variation, released, n, unlike) for unlike in (False, True))
    return Prediction(
        noise=scale * math.sqrt(noise),
        bias=scale * math.sqrt(bias),
        sampling=sampling,
        reference=reference,
        modes=modes,
        harmonics=len(plan.axes) - modes,
        unlike=scale * math.sqrt(bias + unlikely - likely),
        reference_unlike=reference_unlike,
    )


def _predict_without_noise(variation, n, scale):
    """Return what a release is compared with: (sampling, reference, reference of a cohort unlike the public set) in mm.

    They are the error of the mean by chance in who takes part, and how far the public reference lies from the mean.
    None each without a variation.
    """
    if variation is None:
        return None, None, None
    pulls = (variation.pull(n, unlike) for unlike in (False, True))
    reference = (scale * math.sqrt(float(inside.sum()) + outside) for inside, outside in pulls)
    return scale * math.sqrt(variation.spread / n), *reference


PEOPLE = (20, 30, 63, 100, 200, 300, 1000, 3000, 10_000)
BUDGETS = (0.25, 0.5, 1.0, 3.0)
# What the tables' answers are for: an error in mm at a point, and a number of people.
TARGET, PLANNED_PEOPLE = 0.5, 300
# Where the number of people is begun with, how often and how nearly it is searched for: the noise depends on it.
FIRST_PEOPLE, STEPS, CLOSE_PEOPLE = 1000, 8, 0.01


def format_table(inputs):
    """Yield the lines of `snakemake plan`'s table for programs, over mechanisms, BUDGETS and PEOPLE."""
    yield "\t".join(COLUMNS)
    for name, mu, n in itertools.product(inputs.names, BUDGETS, PEOPLE):
        prediction = inputs.predict(name, n, mu)
        lengths = (prediction.noise, prediction.bias, prediction.error, prediction.sampling, prediction.reference)
        cells = [name, str(n), f"{mu:g}", *("" if number is None else f"{number:.4g}" for number in lengths)]
        unlike_lengths = (
            "" if number is None else f"{number:.4g}" for number in (prediction.unlike, prediction.reference_unlike)
        )
        yield "\t".join(
            [
                *cells,
                *("" if number is None else str(number) for number in (prediction.modes, prediction.harmonics)),
                *unlike_lengths,
            ]
        )


def format_answers(inputs):
    """Yield a plan's table for people: how many TARGET takes at each mu, what that buys with PLANNED_PEOPLE."""
    headings = f"people_for_{TARGET:g}_mm", f"error_mm_with_{PLANNED_PEOPLE}_people"
    yield "\t".join(["mechanism", "mu", "strength", "right_guesses", *headings])
    for name, mu in itertools.product(inputs.names, BUDGETS):
        error, people = inputs.predict(name, PLANNED_PEOPLE, mu).error, inputs.people_needed(name, mu, TARGET)
        word, guesses = describe_strength(mu)
        yield f"{name}\t{mu:g}\t{word}\t{guesses:.3f}\t{people or 'never'}\t{error:.4g}"


def describe_target(inputs, n):
    """Yield sentences of the forecast on how TARGET is reached: by which mu with n people, or with how many people.

    It is by the default mechanism.

    Parameters
    ----------
    inputs : Inputs
        Public numbers.
    n : int
        People.
    """
    name = inputs.names[0]
    refuse_nonpositive(n=n)
    enough = lambda mu: inputs.predict(name, n, mu).error <= TARGET  # noqa: E731
    middle = lambda low, high: math.sqrt(low * high)  # noqa: E731
    is_close = lambda low, high: high / low <= CLOSE_MU  # noqa: E731
    mu = find_least(LEAST_MU, MOST_MU, enough, middle, is_close)
    reached = f"mu = {mu:.3g} ({describe_strength(mu)[0]})" if mu else "no mu"
    people = ", ".join(
        f"{inputs.people_needed(name, mu_asked, TARGET) or 'never'} at mu = {mu_asked:g}" for mu_asked in BUDGETS
    )
    yield f"An error of {TARGET:g} mm by `{name}`: {reached} with these {n} people; people it takes: {people}."


def describe_strength(mu):
    """Return (our word, share of right guesses between two equally likely people) of mu."""
    guarantee = guarantees.describe_cost(Cost(GAUSSIAN, mu=mu))
    return guarantees.strength(guarantee)[0], guarantee["right_guesses"]


def describe_prediction(inputs, name, n, mu, target=None):
    """Yield what `shapedp plan` prints of one mechanism: its error, and what else would change it.

    target : mm, for which people are counted at several mu
    """
    prediction = inputs.predict(name, n, mu)
    yield (
        f"{name}, {n} people, mu = {mu:g} ({describe_strength(mu)[0]}): error {prediction.error:.3g} mm (rms at a "
        "point)"
    )
    if prediction.bias is None:
        yield "  noise alone; clipping and smoothing add a bias that depends on the data"
    else:
        yield (
            f"  noise {prediction.noise:.3g} mm, bias {prediction.bias:.3g} mm if the cohort is like the public set, "
            f"{prediction.unlike:.3g} if it differs by as much as the settings assume"
        )
    if prediction.reference is not None:
        yield (
            f"  besides: sampling error {prediction.sampling:.3g} mm; public reference, no data "
            f"{prediction.reference:.3g} or {prediction.reference_unlike:.3g} mm"
        )
    for mu_tried in () if target is None else sorted({*BUDGETS, mu}):
        people = inputs.people_needed(name, mu_tried, target)
        yield (
            f"for {target:g} mm at mu = {mu_tried:g} ({describe_strength(mu_tried)[0]}): {people or 'no number of'} "
            "people"
        )
    if inputs.variation is not None:
        try:
            prediction = released_model.words(count_people_for_groups(inputs.variation, mu, inputs.scale))
            yield f"two groups, a face_model of each at mu = {mu:g}: {prediction}"
        except RefusedRelease as refused:
            yield f"two groups: {refused}"


def count_people_for_groups(variation, mu, scale):
    """Return how many people each of two groups needs so that a difference between them is seen, for a plan to say.

    It is a shift of `released_model.SHIFT` mm over SHARE of the face, and of each group a model is released at mu;
    scale : mm of the unit.
    """
    n = FIRST_PEOPLE
    # Noise depends on n, which is the answer: so n is looked for again with the noise of the n before.
    for _ in range(STEPS):
        previous, fields = n, [scale**2 * field for field in FaceModel.from_variation(variation, n, mu).foretold()]
        n = released_model.people_needed([fields, fields], [n, n], released_model.SHIFT, released_model.SHARE)
        if abs(n - previous) <= CLOSE_PEOPLE * n:
            break
    return n
