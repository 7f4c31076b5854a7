"""Pooled releases of faces: a mean, a mean difference, a model, each made of its sources' noised numbers.

Each is corrected and shrunk as one release of all people: docs/mathematics.md, (13.4).
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from shapedp.base.errors import RefusedRelease
from shapedp.laboratories.pools.heterogeneity import compare_asked_again, compare_models, measure_heterogeneity
from shapedp.laboratories.pools.moments import combine_models
from shapedp.laboratories.pools.sources import Pooled, rebuild_part, refuse_other_files, refuse_other_noise
from shapedp.landmarks import public_objects
from shapedp.privacy.curves.learned import Shaped
from shapedp.privacy.learned import face_variation
from shapedp.privacy.recentred import RecentredMean
from shapedp.releases import cohorts
from shapedp.releases.kinds.change.release import MeanDifference
from shapedp.releases.kinds.mean.release import MeanFace
from shapedp.releases.kinds.model.release import ModelOfFaces
from shapedp.releases.model import covariates
from shapedp.releases.model.model_mechanism import FaceModel
from shapedp.releases.protocol import DRAWN_FILE


def pool_mean_face(sources, pooled, public_files):
    """Return a pooled mean face: the artifact's {field: value}, how unlike the sources are, and its noise.

    The last is as statements say it. The mean is corrected and shrunk as one of all people. public_files : refused
    unless the sources name them
    """
    if sources[0].stated["mechanism"]["name"] == RecentredMean.name:
        return _pool_recentred_mean(sources, pooled, public_files)
    template, limits = (
        cohorts.read_template(public_files.template),
        public_objects.read_variation(public_files.variation)[0],
    )
    parts = [
        part_mechanism.with_bound_from(answers)
        for part_mechanism, answers in (rebuild_part(source, limits) for source in sources)
    ]
    axes = parts[0].plan.axes
    refuse_other_files(sources, template, limits, axes, public_files)
    refuse_other_noise(
        sources, [part_mechanism.lengths_along * part_mechanism.noise / part_mechanism.n for part_mechanism in parts]
    )
    mechanism = combine_parts(parts, pooled, limits)
    answer = pooled.values / mechanism.lengths_along
    fields = _make_release(MeanFace, sources, mechanism, template, limits).fields((answer,))
    heterogeneity = measure_heterogeneity(sources, limits.variances[axes], limits.axes(axes), limits.held_out[:, axes])
    return fields, heterogeneity, _describe_noise(mechanism.decoder_for(answer), answer, template)


def _pool_recentred_mean(sources, pooled, public_files):
    """Return the fields, likeness and noise of the pooled mean of mean faces that were asked several times.

    They are as of `pool_mean_face`. The mean is the average of what the answers of each source told, drawn to the
    public mean as one of all people.
    """
    template, limits = (
        cohorts.read_template(public_files.template),
        public_objects.read_variation(public_files.variation)[0],
    )
    parts, spreads = _decode_by_answers(sources, limits, template, public_files)
    noises, scales = (
        np.array([part_mechanism.whole_mean[2] for part_mechanism in parts]),
        [part_mechanism.earlier_means.scale for part_mechanism in parts],
    )
    noise, scale = np.linalg.norm(pooled.weights[:, None] * noises, axis=0), float(pooled.weights @ scales)
    part_mechanism = replace(
        parts[0],
        n=pooled.records,
        largest_undo_factor=max(part_mechanism.largest_undo_factor for part_mechanism in parts),
        heavy=float(pooled.weights @ [part_mechanism.heavy for part_mechanism in parts]),
    )
    decoder, answer = (
        part_mechanism.shrink_to_public(pooled.values, pooled.noise, noise, scale),
        np.zeros(part_mechanism.width),
    )
    fields = _make_release(MeanFace, sources, decoder, template, limits).fields((answer,))
    noise_stated = _describe_noise(decoder, answer, template)
    heterogeneity = compare_asked_again(
        sources, limits, parts, spread=float(pooled.weights @ spreads[:, 0]), is_unlike=bool(noise_stated["unlike"])
    )
    return fields, heterogeneity, noise_stated


def _decode_by_answers(sources, limits, template, public_files):
    """Return what decodes each source, made anew from the answers that the source kept, and how far its people lie.

    That is (mechanisms, (L, 2) people's variance about their mean and its noise, as `ShapedWithSpread.spread` has it).
    Refuse a source whose answers do not lead to what it says it drew.
    """
    parts = [rebuild_part(source, limits) for source in sources]
    refuse_other_files(sources, template, limits, parts[0][0].plan.axes, public_files)
    decoders = [
        part_mechanism.with_bound_from(answers[:-1]).decoder_for(answers[-1]) for part_mechanism, answers in parts
    ]
    refuse_other_noise(sources, [part_mechanism.mean_along[1] for part_mechanism in decoders])
    for source, part_mechanism in zip(sources, decoders, strict=True):
        if not np.allclose(part_mechanism.mean_along[0], source.drawn["values"], rtol=1e-6, atol=1e-9):
            raise RefusedRelease(
                f"{source.folder / DRAWN_FILE}: holds a mean that does not follow from its answers, as one that an "
                "earlier version drew does not; ask its laboratory for the folder again, or pool with that version"
            )
    return decoders, np.array([part_mechanism.spread(answers) for part_mechanism, answers in parts])


def pool_difference(sources, pooled, public_files):
    """Return the fields, likeness and noise of the pooled mean of people's differences.

    They are as of `pool_mean_face`. The mean is the average of what the answers of each source told, with nothing to
    be corrected any more. People's spread is that about the sources' own means, and of these about the average.
    """
    template, limits = (
        cohorts.read_template(public_files.template),
        public_objects.read_variation(public_files.variation)[0],
    )
    weights = pooled.weights
    decoders, measured_spreads = _decode_by_answers(sources, limits, template, public_files)
    undone = max(part_mechanism.largest_undo_factor for part_mechanism in decoders)
    pooled_fields = {
        "n": pooled.records,
        "mean_shift": pooled.values,
        "errors": pooled.noise,
        "largest_undo_factor": undone,
    }
    # the clip of the whole is none of one source's, which its own answers raised
    plan = rebuild_part(sources[0], limits)[0].plan
    decoder, (spreads, spread_errors) = replace(decoders[0], plan=plan, **pooled_fields), measured_spreads.T
    deviations = np.array([source.drawn["values"] for source in sources]) - pooled.values
    noise = np.array([source.drawn["noise"] for source in sources])
    by_noise = (1 - 2 * weights[:, None]) * noise**2 + pooled.noise**2
    between = max(float(weights @ np.sum(deviations**2 - by_noise, axis=1)), 0.0)
    answer = np.zeros(decoder.width)
    release = _make_release(MeanDifference, sources, decoder, template, limits)
    fields = release.to_fields(
        decoder, answer, float(weights @ spreads) + between, float(np.linalg.norm(weights * spread_errors))
    )
    heterogeneity = compare_asked_again(
        sources,
        limits,
        decoders,
        spread=float(weights @ spreads),
        spread_error=float(np.linalg.norm(weights * spread_errors)),
    )
    return fields, heterogeneity, _describe_noise(decoder, answer, template)


def _make_release(kind, sources, mechanism, template, limits):
    """Return a release of the pooled mechanism, by which the pooled file's fields are written as any other's."""
    settings = sources[0].stated["settings"]
    section = {key: settings[key] for key in ("variation", "curves", "persons")} | {"bounds": {}}
    return kind({"name": "", **settings}, section, {}, mechanism, template, limits, {}, template.origin, {})


def _describe_noise(decoder, answer, template):
    """Return what the statement of a pooled mean says of its noise, and of what was put back and shrunk."""
    return {
        "rms_mm": float(template.scale) * decoder.noise_size(),
        "undone": decoder.largest_undo_factor,
        "shrunk": decoder.shrink_shares,
        "tau": float(decoder.plan.tau),
        "unlike": decoder.differs_from_public_set(answer),
    }


def combine_parts(parts: Sequence[Shaped], pooled: Pooled, limits) -> Shaped:
    """Return the mechanism of the pooled mean, by which the average is corrected and shrunk as one of all people.

    It has the axes of the parts and the noise of the average. Parts whose first stages answered otherwise measure axes
    by other powers: the average is taken for one of their mean power, clipped to their mean share of the public
    quantile there, and its noise is what it is along each axis. What their first stages told is the average of their
    answers.

    Parameters
    ----------
    parts : sequence of Shaped
        The mechanisms of the sources, with their first stages' answers.
    pooled : Pooled
        The average of what was drawn.
    limits : Variation
        How public people vary.
    """
    first_part, weights, first_answers = (
        parts[0],
        pooled.weights,
        [part_mechanism.spread_answer for part_mechanism in parts],
    )
    if None not in first_answers:
        answer, sd = (
            weights @ [spread_answer.answer for spread_answer in first_answers],
            np.linalg.norm(weights * [spread_answer.sd for spread_answer in first_answers]),
        )
        first_part = replace(first_part, spread_answer=replace(first_answers[0], answer=float(answer), sd=float(sd)))
    elif first_part.spread_answer is not None:
        first_part = replace(first_part, spread_answer=None)
    power = float(weights @ [part_mechanism.plan.power for part_mechanism in parts])
    shares = [
        part_mechanism.plan.tau / face_variation.public_bound(limits, part_mechanism.plan) for part_mechanism in parts
    ]
    clip = replace(first_part.plan, power=power)
    clip = replace(clip, tau=float(weights @ shares) * face_variation.public_bound(limits, clip))
    # Of u, along each axis.
    noise = pooled.noise / clip.scales
    plan = face_variation.refilter(limits, clip, pooled.records, float(np.mean(noise)) ** 2)
    part_mechanism = first_part.clipped_to(plan)
    return replace(
        part_mechanism,
        n=pooled.records,
        noise=pooled.records * noise * part_mechanism.bound / plan.tau,
        bound_scale=None,
        at_full_bound=None,
    )


def pool_face_model(sources, pooled, public_files):
    """Return a pooled model of faces: the artifact's {field: value}, how unlike the sources are, and its noise.

    The sources' sums add up; the form is that of `pool_mean_face`.
    """
    template, limits = (
        cohorts.read_template(public_files.template),
        public_objects.read_variation(public_files.variation)[0],
    )
    settings = sources[0].stated["settings"]
    mu, covariates_asked = (
        float(settings["budget"]["mu_total"]),
        covariates.from_settings(covariates.read_stated(settings)),
    )
    first = FaceModel.from_variation(
        limits, sources[0].n, mu, covariates_asked, settings["modes"], settings.get("planned_for")
    )
    axes = first.shaped.plan.axes
    refuse_other_files(sources, template, limits, axes, public_files)
    model, answer = combine_models(sources, pooled, first)
    heterogeneity = compare_models(sources, model, limits.axes(axes), limits.held_out[:, axes])
    release = ModelOfFaces(settings, {}, {}, model, template, limits, {}, template.origin, {})
    scale, noise_stated = float(template.scale), model.tells(answer)
    noise = {**noise_stated, "rms_mm": scale * model.errs(answer), "clip_moved": scale * noise_stated["clip_moved"]}
    return release.fields((answer,)), heterogeneity, noise
