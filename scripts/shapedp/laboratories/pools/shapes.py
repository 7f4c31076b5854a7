"""Pooled releases of landmark shapes: a mean or a model, each made of its sources' noised numbers."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from shapedp.base import artifacts
from shapedp.base.errors import RefusedRelease
from shapedp.laboratories.pools.heterogeneity import compare_models, measure_heterogeneity, widen_spread
from shapedp.laboratories.pools.moments import combine_models, combine_people_stated
from shapedp.privacy.integer_sums import Moments
from shapedp.privacy.learned import clips
from shapedp.privacy.manifolds.landmark_shapes import LandmarkShapes
from shapedp.privacy.shapes import contour
from shapedp.privacy.shapes.base import Ball, as_complex, as_real
from shapedp.releases.kinds.mean.release import MeanShape
from shapedp.releases.kinds.model.release import ModelOfShapes
from shapedp.releases.model import covariates
from shapedp.releases.model.at_landmarks import OF_PEOPLE
from shapedp.releases.model.shapes import ShapeModel, as_curve

# Fields of a model of shapes that do not follow from its moments.
OF_CLIP_AND_PUBLIC = tuple(name for name in OF_PEOPLE if name != "coordinate_covariance")


def pool_mean_shape(sources, pooled):
    """Return a pooled mean shape: the artifact's {field: value}, how unlike the sources are, and its noise.

    All follows from the sources alone; the form is that of `pool_mean_face`.
    """
    released = []
    for source in sources:
        with artifacts.reader(source.folder / MeanShape.file, artifacts.RELEASED_SHAPE) as file:
            field_names = ("center", "size", "size_noise", "noise_radius", "noise_covariance")
            released.append({name: file[name] for name in field_names})
    p0, settings = released[0]["center"], sources[0].stated["settings"]
    axes = sources[0].drawn["axes"].astype(float)
    if not np.isfinite(p0).all() or axes.shape != (len(pooled.values), p0.size):
        raise RefusedRelease(
            f"{sources[0].folder}: its axes do not fit its public center; ask its laboratory for the folder again"
        )
    shape = as_complex(LandmarkShapes(p0).shape(pooled.values @ axes))
    if "bandwidth" in settings:
        shape = contour.smooth_locally(shape, settings["bandwidth"])
    size, size_noise = _average_sizes(released, pooled.weights)
    noise, errors = _combine_shape_errors(sources, pooled, axes.reshape(-1, *p0.shape), released)
    fields = {
        "landmarks": as_real(Ball(pooled.records, as_complex(p0), 1.0, 0).on_grid(shape)),
        "center": p0,
        "size": size,
        "size_noise": size_noise,
        "noise_radius": noise,
        "noise_covariance": errors,
    }
    noise_stated = _combine_clips(sources, pooled.weights) | {"error_radian": noise}
    widened = [_read_widened(source) for source in sources]
    precisions = [source.n * source.cost.mu for source in sources]
    spread = widen_spread(sources[0].drawn["spread"], widened, precisions)
    return fields, measure_heterogeneity(sources, spread), noise_stated


def _read_widened(source):
    """Return how many times as far as public specimens a source's lie, by its statement, None where it was not asked.

    A statement that says more than a first stage can tell is refused.
    """
    widened, most = source.stated["noise"].get("widened"), float(clips.SCALES[-1])
    if widened is not None and widened > most:
        raise RefusedRelease(
            f"{source.folder}: states that its specimens lie {widened:.4g} times as far as public ones, and at most "
            f"{most:.4g} can be told; ask its laboratory for the folder again"
        )
    return widened


def _combine_shape_errors(sources, pooled, axes, released):
    """Return the error to state of a pooled mean shape: its expected distance to everybody's, and covariances.

    Covariances are (k, d, d) at each landmark. Noise averages down. The other part of what a source states, what it
    leaves out, does not where it leaves every mean at the same center, and so counts as the sources' average.
    axes : (q, k, d); released : what each source holds
    """

    def covariance(noise):
        """Return (k, d, d), the covariance at each landmark of noise (q,) along the axes."""
        scaled_axes = axes * noise[:, None, None]
        return np.einsum("qkd,qke->kde", scaled_axes, scaled_axes)

    square, errors = float(np.sum(pooled.noise**2)), covariance(pooled.noise)
    for weight, source_fields, source in zip(pooled.weights, released, sources, strict=True):
        noise = source.drawn["noise"]
        square += weight * max(float(source_fields["noise_radius"]) ** 2 - float(np.sum(noise**2)), 0.0)
        errors = errors + weight * (source_fields["noise_covariance"] - covariance(noise))
    return math.sqrt(square), errors


def _combine_clips(sources, weights):
    """Return what a pooled statement says of what clips took, by the sources'; nothing unless all say it.

    Of the average no more is known.
    """
    noises_stated = [source.stated["noise"] for source in sources]
    if any(noise_stated.get("clip_moved") is None for noise_stated in noises_stated):
        return {}
    return {
        "undone": max(noise_stated["undone"] for noise_stated in noises_stated),
        "clip_moved": float(weights @ [noise_stated["clip_moved"] for noise_stated in noises_stated]),
        "unlike": any(source.stated["differs_from_public_set"] for source in sources),
    }


def _average_sizes(released, weights):
    """Return the pooled size of mean shapes, the weighted geometric mean of the sources', and the sd of its noise.

    They are NaN unless all sources have one.
    """
    sizes, noises = (np.array([source_fields[name] for source_fields in released]) for name in ("size", "size_noise"))
    size = np.exp(weights @ np.log(sizes))
    return float(size), float(size * np.linalg.norm(weights * noises / sizes))


def pool_shape_model(sources, pooled):
    """Return a pooled model of shapes: the artifact's {field: value}, how unlike the sources are, and its noise.

    All follows from the sources alone; the form is that of `pool_mean_face`.
    """
    first = sources[0]
    with artifacts.reader(first.folder / ModelOfShapes.file, artifacts.SHAPE_MODEL) as file:
        center, named_axes, beyond = file["reference"], file["axes"], file["beyond"][None]
    settings, sensitivity_inputs = first.stated["settings"], first.stated["mechanism"]["sensitivity"]["inputs"]
    scaled_axes = first.drawn["axes"].astype(float)
    if scaled_axes.ndim != 2 or scaled_axes.shape[1] != center.size:
        raise RefusedRelease(
            f"{first.folder}: its axes do not fit its public center; ask its laboratory for the folder again"
        )
    back = np.linalg.norm(scaled_axes, axis=1)
    axes = as_curve((scaled_axes / back[:, None]).reshape(-1, *center.shape))
    # as much of `shapes.ShapeCoordinates` as its release takes
    shaped = SimpleNamespace(center=as_curve(center), axes=axes, back=back, beyond=beyond, plan=None, variation=None)
    q, mu = len(back), float(settings["budget"]["mu_total"])
    longest = float(np.sqrt(sensitivity_inputs["zeta"] ** 2 - 1))
    moments, spread = (
        Moments(
            n=first.n,
            q=q,
            leading=sensitivity_inputs["modes"],
            tau=sensitivity_inputs["tau"],
            kappa=np.array(sensitivity_inputs["kappa"]),
            mu=mu,
            shares=np.array(sensitivity_inputs["w"]),
            longest=longest,
        ),
        first.drawn["spread"][:q],
    )
    covariates_asked = covariates.from_settings(covariates.read_stated(settings))
    first_model = ShapeModel(first.n, mu, shaped, moments, spread, covariates_asked, settings["modes"])
    model, answer = combine_models(sources, pooled, first_model)
    release = ModelOfShapes(settings, {}, {}, model, None, "", {}, {})
    restored_fields = _restore_clipped(sources, first_model, release, release.fields((answer,)), scaled_axes)
    return (
        restored_fields | {"axes": named_axes},
        compare_models(sources, model),
        _combine_clips(sources, pooled.weights),
    )


def _restore_clipped(sources, first_model, release, fields, scaled_axes):
    """Return a pooled model of shapes' fields, what the clips took of its mean put back as the sources did.

    The sources know public people, by whom they put it back; the mean's noise grows by theirs. first_model : the model
    of the first source; scaled_axes (q, k d) : its axes
    """
    leading = scaled_axes[: fields["coordinates"].shape[1]]
    leading = leading / np.linalg.norm(leading, axis=1, keepdims=True)
    people, mean_shift, parts = sum(source.n for source in sources), 0.0, fields["noise_parts"].copy()
    lengths, stated = [], []
    parts[0, 0] = 0.0
    for source in sources:
        source_model = replace(first_model, n=source.n, moments=replace(first_model.moments, n=source.n))
        source_fields = replace(release, mechanism=source_model).fields(
            (first_model.split_drawn(source.drawn["values"]),)
        )
        with artifacts.reader(source.folder / ModelOfShapes.file, artifacts.SHAPE_MODEL) as file:
            mean_shift = mean_shift + source.n / people * (file["landmarks"] - source_fields["landmarks"])
            parts[0, 0] += (source.n / people) ** 2 * file["noise_parts"][0, 0]
            lengths.append(file["coordinate_noise"])
            stated.append({name: file[name] for name in OF_CLIP_AND_PUBLIC if name in file.kind.fields})
    effects, coordinates = fields["effects"].copy(), fields["coordinates"].copy()
    effects[0] += mean_shift
    coordinates[0] += leading @ mean_shift.ravel()
    return {
        **fields,
        "landmarks": fields["landmarks"] + mean_shift,
        "effects": effects,
        "coordinates": coordinates,
        "noise_parts": parts,
        "coordinate_noise": np.sqrt(np.mean(np.square(lengths), axis=0)),
        **combine_people_stated(sources, stated),
    }
