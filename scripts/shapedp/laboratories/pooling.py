"""Releases of several laboratories, or of several years, become one: post-processing, which costs nobody anything.

Each release keeps what was drawn, with noise of known size, before anything was corrected or shrunk. Those that name
the same template, public people and axes are averaged, and then corrected and shrunk as one release of all people with
noise of that size: docs/mathematics.md, (13.4). Means of faces and shapes are such averages, and so are changes and
asymmetries of faces, of what all their answers told together; the three sums of a model add up as they are. Whether
sources are alike is told beside their noise by Cochran's Q, (13.5).

Who is in two sources pays for both, so that the pooled release promises what all sources together do, unless whoever
pools declares that nobody is: then it promises what the weakest of them does. What a ledger knows of it is told to its
operator alone and decides nothing, since its marks are of records: a pooled release would tell of them.

Statements of sources are not signed. That a folder is what its laboratory released is declared, and the pooled
statement says so; the digests in it name what was pooled.
"""

import hashlib
import json
import math
from collections import defaultdict
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, fields, replace
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from shapedp.base import artifacts
from shapedp.base.errors import ArtifactError, ConfigError, RefusedRelease
from shapedp.base.settings import checks, read_default
from shapedp.base.storage import files, foreign
from shapedp.landmarks import public_objects
from shapedp.ledger import shared_people, spending
from shapedp.ledger.restoring import STATEMENT
from shapedp.ledger.spending import Total
from shapedp.privacy.accounting.cost import GAUSSIAN, Cost
from shapedp.privacy.curves import base
from shapedp.privacy.curves.learned import LEVEL, Shaped, degrees_of_freedom
from shapedp.privacy.differences import ShapedWithSpread
from shapedp.privacy.integer_sums import Moments
from shapedp.privacy.learned import face_variation
from shapedp.privacy.manifolds import marks
from shapedp.privacy.manifolds.landmark_shapes import LandmarkShapes
from shapedp.privacy.recentred import RecentredMean
from shapedp.privacy.shapes import contour
from shapedp.privacy.shapes.base import Ball, as_complex, as_real
from shapedp.releases import allow_list, cohorts, kinds, publishing
from shapedp.releases.faces import older_digest, public_mark
from shapedp.releases.kinds.change.release import MeanDifference
from shapedp.releases.kinds.mean.release import MeanFace, MeanShape
from shapedp.releases.kinds.model.release import ModelOfFaces, ModelOfShapes
from shapedp.releases.model import covariates
from shapedp.releases.model.model_mechanism import FaceModel
from shapedp.releases.model.shapes import ShapeModel, as_curve
from shapedp.releases.protocol import DRAWN_FILE, artifact_bytes
from shapedp.releases.statement import conditions, guarantees, statement

TOTALS = tuple(field.name for field in fields(Total))
BY_PEOPLE, BY_PRECISION = "people", "precision"
HETEROGENEITY = "heterogeneity.h5"
# What each pooled release was made from, kept so that it is made again before it is packed.
RECORDS = Path("private/pooled")
# Who may be in two sources.
ANYBODY, ONE_POPULATION, NOBODY = "possible", "within_populations", "none"
# Fields of a model of shapes that do not follow from its moments.
OF_CLIP_AND_PUBLIC = ("kept_by_clip", "public_people", "public_at_size")
LEDGER_CONDITIONS = (statement.WITHIN_CAP, "populations_apart")
WEAKEST = (conditions.DECLARED, conditions.CHECKED, conditions.BY_CONSTRUCTION)


@dataclass(frozen=True)
class Source:
    """A release that is pooled."""

    folder: Path
    stated: dict[str, Any]  # its checked statement
    drawn: dict[str, Any]  # the fields of what was drawn
    digests: dict[str, str]  # SHA-256 of both files

    @property
    def n(self) -> int:
        """Return how many people it is of."""
        return self.stated["release"]["n"]

    @property
    def cost(self) -> Cost:
        """Return what it costs each of them, by its statement."""
        guarantee = self.stated["guarantee"]
        return Cost(GAUSSIAN, mu=guarantee["mu"], rho=guarantee["rho"])


@dataclass(frozen=True)
class Pooled:
    """The average of what was drawn."""

    # Of all sources; who is in two of them has two.
    records: int
    weights: NDArray[np.float64]  # (L,)
    values: NDArray[np.float64]  # (k,)
    noise: NDArray[np.float64]  # (k,) on each value


@dataclass(frozen=True)
class PublicFiles:
    """The public files that releases of faces name by their digest."""

    template: Path
    variation: Path


@dataclass(frozen=True)
class PoolingPlan:
    """What a pooled release is made from, kept beside it in private, so that it is made again before it is packed."""

    releases: tuple[str, ...]  # folders
    # the public files behind releases of faces
    template: str | None
    variation: str | None
    weights: str  # BY_PEOPLE or BY_PRECISION
    name: str  # of the pooled release
    overlap: str = ANYBODY  # who may be in two sources
    people: int | None = None  # in all sources together, as declared; None for what follows from those of each

    def pool(self) -> dict[str, bytes]:
        """Return the pooled release that this plan asks for, {file: bytes}; made anew to check one, too."""
        return pool(
            folders=[Path(release) for release in self.releases],
            template=self.template,
            variation=self.variation,
            weights=self.weights,
            name=self.name,
            overlap=self.overlap,
            people=self.people,
        )

    def write(self, path: Path) -> None:
        """Write what was pooled, and how, with whole paths, so that the pooled release can be checked later."""
        template, variation = (
            str(Path(path_named).resolve()) if path_named else None for path_named in (self.template, self.variation)
        )
        releases = [str(Path(path_named).resolve()) for path_named in self.releases]
        absolute_paths = {"releases": releases, "template": template, "variation": variation}
        files.write_text(path, json.dumps(asdict(self) | absolute_paths, indent=2) + "\n")


def check_pooled(record: Path, folder: Path) -> None:
    """Refuse a pooled folder that is not, byte for byte, what its sources give.

    Parameters
    ----------
    record : path
        What it was made from, as `PoolingPlan.write` keeps it.
    folder : path
        The pooled release.
    """
    plan_fields = json.loads(record.read_text(encoding="utf-8"))
    pooled = PoolingPlan(**{**plan_fields, "releases": tuple(plan_fields["releases"])}).pool()
    if (path := publishing.find_difference(pooled, folder)) is not None:
        raise RefusedRelease(
            f"{path}: differs from what its sources give; move the folder away and run `shapedp pool` again"
        )


def describe_pooled(folder: Path) -> list[str]:
    """Return what was pooled and what follows, in words for the operator: people, noise, likeness, what it costs."""
    statement_read = json.loads((folder / STATEMENT).read_text(encoding="utf-8"))
    stated_sources, people_count = statement_read["sources"], statement_read["release"]["n"]
    heterogeneity = stated_sources["heterogeneity"]
    alike_words = {
        True: "they differ beyond noise and chance",
        False: "nothing says that they differ",
        None: "not tested",
    }
    noise = statement_read["noise"]["rms_mm"]
    return [
        f"{folder}: {len(stated_sources['releases'])} releases of {people_count} people pooled; nothing was spent",
        *([] if noise is None else [f"noise {noise:.3g} mm, root mean square at a point"]),
        f"whether they are alike: {alike_words[heterogeneity['differ']]} (Q {heterogeneity['q']:.4g}, "
        f"{heterogeneity['expected']:.4g} expected)",
        "sources authentic: declared; "
        f"{OVERLAP_WORDS[stated_sources['overlap']].format(mu=statement_read['guarantee']['mu'])}",
    ]


# Who may be in two sources: what that means for the pooled release.
OVERLAP_WORDS = {
    ANYBODY: "somebody may be in all of them, so that what they cost adds up: mu = {mu:.4g}. If nobody is, declare it: "
    "--disjoint",
    ONE_POPULATION: "that nobody is in two populations: declared; what sources of one population cost adds up: "
    "mu = {mu:.4g}",
    NOBODY: "that nobody is in two of them: declared",
}


def describe_shared(ledger: Path, pooling_plan: PoolingPlan) -> list[str]:
    """Return lines for the operator about people whom this laboratory's ledger knows under two of the sources.

    Parameters
    ----------
    ledger : path
        The folder of the laboratory's ledgers.
    pooling_plan : PoolingPlan
        What is pooled.
    """
    budgets = {
        release: json.loads((Path(release) / STATEMENT).read_text(encoding="utf-8"))["budget"]
        for release in pooling_plan.releases
    }
    rosters = {
        release: shared_people.read_roster(ledger, population=budget["population"], head=budget.get("ledger_head", ""))
        for release, budget in budgets.items()
    }
    known_rosters = {release: people for release, people in rosters.items() if people is not None}
    lines = [
        f"{shared_people.count_in_both(known_rosters[release], known_rosters[other_release])} people are in both "
        f"{release} and {other_release}"
        for release, other_release in combinations(known_rosters, 2)
        if shared_people.count_in_both(known_rosters[release], known_rosters[other_release])
    ]
    if lines and pooling_plan.overlap == ANYBODY:
        lines.append("they paid for both sources, and the pooled statement counts both")
    elif lines:
        lines.append(
            "they paid for both sources, and what you declared of the sources says that nobody is: pool again without "
            "it, unless you know better"
        )
    lines += [
        f"this laboratory's ledger does not tell who is in {release}"
        for release in pooling_plan.releases
        if release not in known_rosters
    ]
    if len(known_rosters) > 1:
        people_count = shared_people.count_people(known_rosters.values())
        if not lines:
            lines.append("this laboratory's ledger knows nobody who is in two of the sources")
        sources_words = (
            "the sources"
            if len(known_rosters) == len(pooling_plan.releases)
            else f"the {len(known_rosters)} sources it knows"
        )
        lines.append(f"{sources_words} are of {people_count} people together, by its marks of their records")
    return lines


def read_source(folder: Path) -> Source:
    """Return a release's folder as a Source to pool, checked as far as it tells of itself.

    Refuse it if it could not be pooled with any other.
    """
    with foreign.refuse_strange(folder, allow_list.AGAIN):
        return _read_source(Path(folder))


def _read_source(folder):
    """Return a release's folder as a Source to pool, or refuse it: `read_source`, which says what errors mean."""
    for name in (STATEMENT, publishing.WORDS):
        if not (folder / name).is_file() or (folder / name).is_symlink():
            raise ArtifactError(f"{folder}: holds no {name}; give the folder of a release")
    stated = allow_list.check_statement(folder)
    if not stated["formally_private"]:
        raise RefusedRelease(f"{folder}: is not formally private, and nothing that is pooled with it would be")
    if "sources" in stated:
        raise RefusedRelease(f"{folder}: is pooled already; give the releases that it was pooled from")
    if not (folder / DRAWN_FILE).is_file():
        raise RefusedRelease(
            f"{folder}: holds no {DRAWN_FILE}: its mechanism cannot be pooled, or an older shapedp made it; "
            "means of faces and shapes by `shaped`, their models, and changes and asymmetries of faces can be "
            "pooled"
        )
    allow_list.check_artifact(folder / DRAWN_FILE, stated)
    with artifacts.reader(folder / DRAWN_FILE, artifacts.DRAWN) as source:
        drawn = {name: source[name] for name in artifacts.DRAWN.fields}
    finite = all(np.isfinite(drawn[name]).all() for name in ("values", "noise", "asked_first", "axes"))
    sized = drawn["values"].shape == drawn["noise"].shape == drawn["spread"].shape
    if not (finite and sized and (drawn["noise"] >= 0).all()):
        raise RefusedRelease(
            f"{folder / DRAWN_FILE}: holds numbers that no release can hold; ask its laboratory for the folder again"
        )
    digests = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in (STATEMENT, DRAWN_FILE)}
    return Source(folder, stated, drawn, digests)


# Bytes that are made again before packing must not follow from the number of threads.
@threadpool_limits.wrap(limits=1)
def pool(
    folders: Sequence[Path],
    template: Path | None,
    variation: Path | None,
    weights: str,
    name: str,
    overlap: str = ANYBODY,
    people: int | None = None,
) -> dict[str, bytes]:
    """Return {file: bytes} of one release made of several, at no cost to anybody; it depends on them alone.

    Parameters
    ----------
    folders : sequence of path
        The sources.
    template, variation : path
        The public files behind releases of faces.
    weights : str
        BY_PEOPLE or BY_PRECISION.
    name : str
        Of the pooled release.
    overlap : str
        Who may be in two sources, as whoever pools declares: ANYBODY, ONE_POPULATION or NOBODY.
    people : int
        How many the sources have together, as declared; None for the least that follows from those of each.
    """
    checks.check_name(name, "the name of what is pooled")
    # Sorted, so that nothing depends on the order in which sources are named.
    sources = sorted((read_source(folder) for folder in folders), key=lambda source: source.digests[STATEMENT])
    _refuse_unlike(sources)
    pooled = average_sources(sources, weights)
    first = sources[0]
    kind = next(file_name for file_name in KINDS if (first.folder / file_name).is_file())
    if kind in SHAPE_FILES:
        fields, (differ, q, degrees, ratio), noise = KINDS[kind](sources, pooled)
    elif template is None or variation is None:
        raise ConfigError("releases of faces are pooled with the template and the variation they name: give --study")
    else:
        public_files = PublicFiles(Path(template), Path(variation))
        fields, (differ, q, degrees, ratio), noise = KINDS[kind](sources, pooled, public_files)
    drawn = {key: value for key, value in first.drawn.items() if key != "settings"}
    drawn |= {"values": pooled.values, "noise": pooled.noise, "asked_first": np.zeros(0)}
    heterogeneity = {"ratio": ratio, "q": q, "degrees": degrees, "weights": pooled.weights}
    contents = {kind: fields, DRAWN_FILE: drawn, HETEROGENEITY: heterogeneity}
    pooling_stated = {
        "weights": weights,
        "heterogeneity": {"q": q, "expected": degrees, "differ": differ},
        "overlap": overlap,
    }
    people_count = _count_people(sources, overlap, people)
    try:
        built_statement = _build_statement(sources, pooled, people_count, name, noise, pooling_stated)
    except RefusedRelease as error:
        folders_named = ", ".join(str(source.folder) for source in sources)
        raise RefusedRelease(f"{folders_named}: what they give together cannot be stated: {error}") from error
    return {
        **{key: artifact_bytes(key, values, first.stated["settings"]) for key, values in contents.items()},
        **publishing.statement_files(built_statement),
    }


def average_sources(sources: Sequence[Source], weights: str) -> Pooled:
    """Return the weighted average of the sources' noised numbers, of which a pooled mean is made."""
    people = np.array([source.n for source in sources], dtype=float)
    if weights == BY_PEOPLE:
        shares = people / people.sum()
    elif np.isnan(sources[0].drawn["spread"]).any():
        raise ConfigError("sums of models add up as they are: pool them with the weights `people`")
    else:
        variances = [
            (source_drawn.drawn["noise"] ** 2 + source_drawn.drawn["spread"] / source_drawn.n).sum()
            for source_drawn in sources
        ]
        precision = 1 / np.array(variances)
        shares = precision / precision.sum()
    values = sum(share * source.drawn["values"] for share, source in zip(shares, sources, strict=True))
    noise = np.sqrt(sum((w * source.drawn["noise"]) ** 2 for w, source in zip(shares, sources, strict=True)))
    return Pooled(int(people.sum()), shares, values, noise)


def _refuse_unlike(sources):
    """Refuse sources that cannot be pooled: not of one kind and setting, or not of everybody."""
    if len(sources) < 2:
        raise ConfigError("pool: give at least two releases")
    first, drawn = sources[0], {}
    for source in sources:
        earlier = drawn.setdefault(source.digests[DRAWN_FILE], source)
        if earlier is not source:
            raise RefusedRelease(f"{source.folder}: is the same release as {earlier.folder}; give each release once")
        first_settings, other_settings = first.stated["settings"], source.stated["settings"]
        differing = sorted(
            key
            for key in first_settings.keys() | other_settings.keys()
            if first_settings.get(key) != other_settings.get(key)
        )
        if differing:
            raise RefusedRelease(
                f"{source.folder}: has another `{differing[0]}` in its settings than {first.folder}; release with the "
                "settings of one study plan"
            )
        if not _is_same_public(first, source):
            raise RefusedRelease(
                f"{source.folder}: names another template, public set or axes than {first.folder}, by their digest; "
                "release with the files of one study plan and the same `planned_for`"
            )
    if first.stated["release"]["group"] is not None:
        raise RefusedRelease(f"{first.folder}: is a release of a group; only releases of everybody can be pooled")


def _is_same_public(first, source):
    """Return whether two sources rest on the same public objects, without which their numbers cannot be averaged.

    One of an older version names them by a hash: of faces the files then tell, of shapes the axes, which lie about
    their center alone.
    """
    public_name, other_name = first.drawn["public"], source.drawn["public"]
    if marks.is_mark(public_name.tobytes()) == marks.is_mark(other_name.tobytes()):
        return marks.are_alike(public_name, other_name)
    axes, other_axes = first.drawn["axes"], source.drawn["axes"]
    return axes.shape == other_axes.shape and np.allclose(axes, other_axes, rtol=0, atol=marks.ALIKE)


def _refuse_other_files(sources, template, limits, axes, public_files):
    """Refuse public files, a template or a variation, that are not those that the sources were made with."""
    public_names = public_mark(template, limits, axes), older_digest(template, limits, axes)
    for source in sources:
        if not any(marks.are_alike(source.drawn["public"], public_name) for public_name in public_names):
            raise RefusedRelease(
                f"{public_files.template}, {public_files.variation}: are not the template and the variation that "
                f"{source.folder} names, by their digest; take those of the study plan"
            )


def rebuild_part(source: Source, limits: face_variation.Variation) -> tuple[Shaped, tuple[NDArray, ...]]:
    """Return a source's mechanism, made anew from its statement, and its noised answers, to pool by.

    It is as before its stages. The source is a mean face or difference. The answers that its settings ask for must be
    exactly those it holds.
    """
    settings, answers, answers_left = source.stated["settings"], (), source.drawn["asked_first"]
    classes_by_name = {RecentredMean.name: RecentredMean, Shaped.name: Shaped}
    is_difference = kinds.find_entry("faces", settings).is_difference
    mechanism_class = ShapedWithSpread if is_difference else classes_by_name[settings["mechanism"]]
    mechanism = mechanism_class.from_settings(
        base.CurveSettings(
            shape=limits.center.shape,
            n=source.n,
            bounds=limits,
            reference=limits.center,
            budget=settings["budget"],
            kernel=read_default("faces.kernel"),
            planned_for=settings.get("planned_for"),
        )
    )
    while (stage := mechanism.stage(answers)) is not None and len(answers_left) >= stage.width:
        answers, answers_left = (*answers, answers_left[: stage.width]), answers_left[stage.width :]
    is_whole = stage is None if issubclass(mechanism_class, ShapedWithSpread) else isinstance(stage, Shaped)
    if len(answers_left) or not is_whole:
        raise RefusedRelease(
            f"{source.folder / DRAWN_FILE}: does not fit its settings: an older shapedp drew it in another way, "
            "or it was changed since; pool releases of one version"
        )
    return mechanism, answers


def _refuse_other_noise(sources, noises):
    """Refuse a source whose noise is not what its settings ask for, since its statement would be untrue."""
    for source, noise in zip(sources, noises, strict=True):
        drawn = source.drawn["noise"]
        if drawn.shape != noise.shape or not np.allclose(noise, drawn, rtol=1e-6):
            raise RefusedRelease(
                f"{source.folder / DRAWN_FILE}: has other noise than its settings ask for; ask its laboratory for "
                "the folder again"
            )


def _pool_mean_face(sources, pooled, public_files):
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
    _refuse_other_files(sources, template, limits, axes, public_files)
    _refuse_other_noise(
        sources, [part_mechanism.lengths_along * part_mechanism.noise / part_mechanism.n for part_mechanism in parts]
    )
    mechanism = combine_parts(parts, pooled, limits)
    answer = pooled.values / mechanism.lengths_along
    fields = _make_release(MeanFace, sources, mechanism, template, limits).fields((answer,))
    heterogeneity = _measure_heterogeneity(sources, limits.variances[axes], limits.axes(axes), limits.held_out[:, axes])
    return fields, heterogeneity, _describe_noise(mechanism.decoder_for(answer), answer, template)


def _pool_recentred_mean(sources, pooled, public_files):
    """Return the fields, likeness and noise of the pooled mean of mean faces that were asked several times.

    They are as of `_pool_mean_face`. The mean is the average of what the answers of each source told, drawn to the
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
    )
    decoder, answer = (
        part_mechanism.shrink_to_public(pooled.values, pooled.noise, noise, scale),
        np.zeros(part_mechanism.width),
    )
    fields = _make_release(MeanFace, sources, decoder, template, limits).fields((answer,))
    noise_stated = _describe_noise(decoder, answer, template)
    heterogeneity = _compare_asked_again(
        sources, limits, parts, spread=float(pooled.weights @ spreads[:, 0]), is_unlike=bool(noise_stated["unlike"])
    )
    return fields, heterogeneity, noise_stated


def _decode_by_answers(sources, limits, template, public_files):
    """Return what decodes each source, made anew from the answers that the source kept, and how far its people lie.

    That is (mechanisms, (L, 2) people's variance about their mean and its noise, as `ShapedWithSpread.spread` has it).
    Refuse a source whose answers do not lead to what it says it drew.
    """
    parts = [rebuild_part(source, limits) for source in sources]
    _refuse_other_files(sources, template, limits, parts[0][0].plan.axes, public_files)
    decoders = [
        part_mechanism.with_bound_from(answers[:-1]).decoder_for(answers[-1]) for part_mechanism, answers in parts
    ]
    _refuse_other_noise(sources, [part_mechanism.mean_along[1] for part_mechanism in decoders])
    for source, part_mechanism in zip(sources, decoders, strict=True):
        if not np.allclose(part_mechanism.mean_along[0], source.drawn["values"], rtol=1e-6, atol=1e-9):
            raise RefusedRelease(
                f"{source.folder / DRAWN_FILE}: holds a mean that does not follow from its answers, as one that an "
                "earlier version drew does not; ask its laboratory for the folder again, or pool with that version"
            )
    return decoders, np.array([part_mechanism.spread(answers) for part_mechanism, answers in parts])


def _pool_difference(sources, pooled, public_files):
    """Return the fields, likeness and noise of the pooled mean of changes or asymmetries.

    They are as of `_pool_mean_face`. The mean is the average of what the answers of each source told, with nothing to
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
    heterogeneity = _compare_asked_again(
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


def _pool_face_model(sources, pooled, public_files):
    """Return a pooled model of faces: the artifact's {field: value}, how unlike the sources are, and its noise.

    The sources' sums add up; the form is that of `_pool_mean_face`.
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
    _refuse_other_files(sources, template, limits, axes, public_files)
    model, answer = _combine_models(sources, pooled, first)
    heterogeneity = _compare_models(sources, model, limits.axes(axes), limits.held_out[:, axes])
    release = ModelOfFaces(settings, {}, {}, model, template, limits, {}, template.origin, {})
    scale, noise_stated = float(template.scale), model.tells(answer)
    noise = {**noise_stated, "rms_mm": scale * model.errs(answer), "clip_moved": scale * noise_stated["clip_moved"]}
    return release.fields((answer,)), heterogeneity, noise


def _pool_shape_model(sources, pooled):
    """Return a pooled model of shapes: the artifact's {field: value}, how unlike the sources are, and its noise.

    All follows from the sources alone; the form is that of `_pool_mean_face`.
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
    model, answer = _combine_models(sources, pooled, first_model)
    release = ModelOfShapes(settings, {}, {}, model, None, "", {}, {})
    restored_fields = _restore_clipped(sources, first_model, release, release.fields((answer,)), scaled_axes)
    return (
        restored_fields | {"axes": named_axes},
        _compare_models(sources, model),
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
            (_split_moments(source.drawn["values"], first_model.moments),)
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
        **_combine_of_people(sources, stated),
    }


def _combine_of_people(sources, stated):
    """Return what a pooled model of shapes says of how people and public people vary, for its tables of distances.

    What the clips leave is that of all people; public people are those of the first source, alike in all. stated :
    each source's, none of an older file, and then the pooled model has not more than its moments tell
    """
    if not all(stated):
        return {}
    people = [source.n for source in sources]
    return stated[0] | {"kept_by_clip": np.average([one["kept_by_clip"] for one in stated], weights=people)}


def _combine_models(sources, pooled, first):
    """Return (the model of all people, its noised moments): a pooled model is one of everybody.

    The sources' moments add up. first : the model of the first source
    """
    moments = first.moments
    z, q, leading = 1 + moments.p, moments.q, moments.leading
    sizes = z * q, z * z, leading**2
    noise = np.repeat(np.where(np.isfinite(moments.noise), moments.noise, 0.0), sizes)
    for source in sources:
        if source.drawn["noise"].shape != noise.shape or not np.allclose(source.drawn["noise"], noise, rtol=1e-6):
            raise RefusedRelease(
                f"{source.folder / DRAWN_FILE}: has other noise than {sources[0].folder}: a model splits its "
                "budget by n, so release each with the same `planned_for`, as a study plan does"
            )
    # Variances of the sources' noise add up: as if one release had been drawn at this mu.
    mu = first.mu / np.sqrt(len(sources))
    model = replace(first, n=pooled.records, mu=mu, moments=replace(moments, n=pooled.records, mu=mu))
    return model, _split_moments(sum(source.drawn["values"] for source in sources), moments)


def _split_moments(values, moments):
    """Return the three sums of a model's source as arrays, which its file holds one after the other."""
    z, q, leading = 1 + moments.p, moments.q, moments.leading
    m1, m2, m3 = np.split(values, np.cumsum([z * q, z * z]))
    return m1.reshape(z, q), m2.reshape(z, z), m3.reshape(leading, leading)


def _compare_models(sources, model, axes=None, public=None):
    """Return how unlike the sources of a model are: the first row of the first sum is of everybody's coordinates."""
    back, people = model.shaped.back, np.array([model_source.n for model_source in sources], dtype=float)
    return _measure_heterogeneity(sources, model.variances * back**2, axes, public, along=back / people[:, None])


def _pool_mean_shape(sources, pooled):
    """Return a pooled mean shape: the artifact's {field: value}, how unlike the sources are, and its noise.

    All follows from the sources alone; the form is that of `_pool_mean_face`.
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
    widened = [source.stated["noise"].get("widened") for source in sources]
    precisions = [source.n * source.cost.mu for source in sources]
    spread = widen_spread(sources[0].drawn["spread"], widened, precisions)
    return fields, _measure_heterogeneity(sources, spread), noise_stated


# The precision n mu at which noise hides half of how much farther specimens' squares lie: what a first stage tells is
# drawn to 1 by one standard deviation of its noise.
HALF_HIDDEN = 70.0


def widen_spread(
    spread: NDArray[np.float64], widened: Sequence[float | None], precisions: Sequence[float]
) -> NDArray[np.float64]:
    """Return people's variances along the axes of mean shapes, by which their means vary by chance, as sources told.

    They are the public people's, times how much farther the sources' own lie, and never less.

    Parameters
    ----------
    spread : (k,) float
        Public people's variances.
    widened : sequence of float or None
        How many times as far as public people each source's lie, None where that was not asked.
    precisions : sequence of float
        The people of each source times its mu: the fewer, the more of what is wider is hidden.
    """
    beyond = [
        ((scale or 1.0) ** 2 - 1) * (1 + HALF_HIDDEN / precision)
        for scale, precision in zip(widened, precisions, strict=True)
    ]
    return spread * (1 + max(0.0, float(np.mean(beyond))))


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


# By what share squared errors that are stated of a mean that is asked several times may be wrong: as people lie farther
# about it than public ones; where some are told to lie much farther; where it is seen to lie off the public mean.
DOUBT_WIDER, DOUBT_FAR, DOUBT_UNLIKE = 0.2, 0.2, 0.1
# Standard deviations of its noise by which people's spread may seem smaller than it is. Where it does, their clips are
# put back too little, as of people who lie nearer, and their errors are stated too small.
WIDER_SDS = 1.5


def _compare_asked_again(sources, limits, decoders, spread, spread_error=0.0, is_unlike=False, level=LEVEL):
    """Return what `_measure_heterogeneity` does, of means that were asked several times.

    Whose people differ more than public ones vary more by chance, too, and what is stated of them is known less well.

    decoders : what decodes each source; spread, spread_error : people's variance about their mean, by all sources, and
    the sd of its noise where what is stated rests on it; is_unlike : whether their mean is seen to differ from the
    public one; level : of false alarms
    """
    axes = decoders[0].plan.axes
    public = limits.variances[axes]
    wider, widest = (max(1.0, square / float(public.sum())) for square in (spread, spread + WIDER_SDS * spread_error))
    far = float(np.mean([decoder.earlier_means.far_people.is_told for decoder in decoders]))
    return _measure_heterogeneity(
        sources,
        wider * public,
        limits.axes(axes),
        limits.held_out[:, axes],
        doubt=math.hypot(DOUBT_WIDER * (widest - 1), DOUBT_FAR * far, DOUBT_UNLIKE * is_unlike),
        level=level,
    )


def _measure_heterogeneity(sources, spread, axes=None, public=None, along=1.0, doubt=0.0, level=LEVEL):
    """Return whether the sources differ beyond noise and chance, by their means along k axes, for the statement.

    It is (whether they do, Q, what it is expected to be, its ratio at each point).

    spread (k,) : the public variance of a person along these; axes (k, J, 3, m), public (p, k) : of faces, and public
    people along them; along (L, k) : how far one of each value that was drawn leads; doubt : the share by which the
    sources' squared errors may be stated wrong; level : of false alarms
    """
    k = len(spread)
    values, noise = (
        along * np.array([source_pooled.drawn[name][:k] for source_pooled in sources]) for name in ("values", "noise")
    )
    chance = spread / np.array([source_pooled.n for source_pooled in sources], dtype=float)[:, None]
    variances = noise**2 + chance
    q = float(np.sum(_square_deviations(values, variances) / variances))
    degrees = float((len(values) - 1) * values.shape[1])
    if axes is None:
        return bool(q > scipy.special.chdtri(degrees, level)), q, degrees, np.zeros((0, 0))
    share = chance.mean(axis=0) / variances.mean(axis=0)
    free = (len(values) - 1) * degrees_of_freedom(public, np.sqrt(share))
    values_at = np.tensordot(values, axes, axes=1)
    spread_at = np.einsum("lk,kjcm->ljm", variances, np.square(axes, dtype=float))
    ratio = np.sum(_square_deviations(values_at, spread_at[:, :, None, :]).sum(axis=2) / spread_at, axis=0) / (
        len(values) - 1
    )
    # of all variance, what may be wrong is as known as a chi-square of so many degrees
    unsure = doubt * (1 - float(chance.mean(axis=0).sum() / variances.mean(axis=0).sum()))
    exact = scipy.special.chdtri(free, level) / free
    most = scipy.special.fdtri(free, 2 / unsure**2, 1 - level) if unsure > 0 else exact
    return bool(q / degrees > most), q, degrees, ratio


def _square_deviations(values, variances):
    """Return (values - their mean weighted by 1/variances)^2, sources along the first axis."""
    weights = 1 / variances
    return (values - np.sum(weights * values, axis=0) / np.sum(weights, axis=0)) ** 2


KINDS = {
    MeanFace.file: _pool_mean_face,
    MeanDifference.file: _pool_difference,
    ModelOfFaces.file: _pool_face_model,
    MeanShape.file: _pool_mean_shape,
    ModelOfShapes.file: _pool_shape_model,
}
SHAPE_FILES = (MeanShape.file, ModelOfShapes.file)


def _group_sources(sources, overlap) -> list[list[Source]]:
    """Return the sources in groups by who may be in several: people may be in two of one group, never in two groups."""
    if overlap == NOBODY:
        return [[source] for source in sources]
    if overlap == ANYBODY:
        return [list(sources)]
    groups = defaultdict(list)
    for source in sources:
        groups[source.stated["budget"]["population"]].append(source)
    return list(groups.values())


def _count_people(sources, overlap, people) -> int:
    """Return how many people the sources have together: as declared, or the least that there can be."""
    least = sum(max(source.n for source in group) for group in _group_sources(sources, overlap))
    most = sum(source.n for source in sources)
    if people is not None and not least <= people <= most:
        raise ConfigError(
            f"--people {people}: by their statements and what you declare of them, the sources have between "
            f"{least} and {most} people together; give a number in that range"
        )
    return least if people is None else people


def _combine_guarantees(sources, overlap) -> tuple[Cost, dict[str, Any]]:
    """Return a pooled release's guarantee to a person who is in as many sources as may be: (cost, as stated)."""
    guarantees_stated = []
    for group in _group_sources(sources, overlap):
        if len(group) == 1:
            guarantee = group[0].stated["guarantee"]
            guarantees_stated.append((group[0].cost, guarantee))
            continue
        total = spending.sum_charges((source.cost, None) for source in group)
        eta = sum(source.stated["noise"]["eta"] for source in group)
        cost = Cost(GAUSSIAN, mu=total.mu, rho=total.rho, eta=eta or None)
        guarantees_stated.append((cost, guarantees.describe_cost(cost)))
    return max(guarantees_stated, key=lambda cost_and_guarantee: cost_and_guarantee[0].mu)


def _build_statement(sources, pooled, people, name, noise, pooling_stated):
    """Return the pooled release's statement: the sources' with all people, the noise and the promise together."""
    built_statement = deepcopy(sources[0].stated)
    cost, guarantee_stated = _combine_guarantees(sources, pooling_stated["overlap"])
    kind = built_statement["settings"].get("kind")
    _, record = statement.describe_statistic(
        built_statement["release"]["branch"], built_statement["mechanism"]["name"], kind
    )
    built_statement.pop("laboratories", None)
    built_statement["release"]["n"] = people
    built_statement["mechanism"]["sensitivity"]["inputs"]["n"] = pooled.records
    built_statement["noise"] |= {
        "eta": cost.eta or max(source.stated["noise"]["eta"] for source in sources),
        "rms_mm": noise.get("rms_mm"),
        **dict.fromkeys(("widened", "settled_sd")),
        "undone": noise.get("undone"),
        "clip_moved": noise.get("clip_moved"),
        "error_radian": noise.get("error_radian"),
        **{key: _find_largest(sources, key) for key in ("far_share", "missing_mm")},
        **({"shrunk": list(noise["shrunk"])} if noise.get("shrunk") else {}),
    }
    if noise.get("tau") is not None:
        built_statement["bounds"][0]["value"] = noise["tau"]
    is_same_declared = all(source.stated["declared"] == built_statement["declared"] for source in sources)
    return statement.check(
        {
            **built_statement,
            "summary": statement.summary(cost, record, 0),
            "date": max(source.stated["date"] for source in sources),
            "declared": built_statement["declared"] if is_same_declared else checks.complete_words({}),
            "guarantee": guarantee_stated,
            "differs_from_public_set": noise.get("unlike"),
            "conditions": [
                *_select_conditions(sources),
                *map(statement.condition_fields, conditions.pooled_conditions(len(sources), pooling_stated["overlap"])),
            ],
            "not_protected": list(statement.NOT_PROTECTED),
            "budget": {"population": name, **_state_spent(sources, pooling_stated["overlap"])},
            # its words are written now, whatever those of the sources were
            "software": statement.software()
            if built_statement["schema"] == statement.VERSION
            else built_statement["software"],
            "sources": {
                "releases": [
                    {
                        "statement": source.digests[STATEMENT],
                        "drawn": source.digests[DRAWN_FILE],
                        "population": source.stated["budget"]["population"],
                        "people": source.n,
                        "mu": source.stated["guarantee"]["mu"],
                        "weight": float(weight),
                    }
                    for source, weight in zip(sources, pooled.weights, strict=True)
                ],
                **pooling_stated,
            },
        }
    )


def _find_largest(sources, key):
    """Return the largest value that the sources state of a number of their noise: it holds for the pool; or None."""
    return max(
        (number for number in (source.stated["noise"].get(key) for source in sources) if number is not None),
        default=None,
    )


def _state_spent(sources, overlap):
    """Return the most that had been spent on one person, for the pooled statement, by the sources'.

    What laboratories made together says nothing of it.
    """
    budgets = [source.stated["budget"] for source in sources if "laboratories" not in source.stated]
    is_within_caps = all(budget["holds"] for budget in budgets)
    if len(budgets) < len(sources):
        return {} if is_within_caps else {"holds": False}
    totals = {}
    for moment in ("before", "after"):
        groups = _group_sources(sources, overlap)
        totals[moment] = guarantees.describe_worst([_sum_spent(group, moment) for group in groups])
    return {**totals, "holds": is_within_caps}


def _sum_spent(group, moment) -> Total:
    """Return what was spent, at one moment, on somebody who is in all these sources.

    Of one population the latest total counts the others; those of several populations add up.
    """
    ledgers: list[dict[str, Any]] = []
    for budget in sorted(
        (source.stated["budget"] for source in group), key=lambda ledger_budget: ledger_budget["after"]["mu"]
    ):
        earlier = next((ledger_budget for ledger_budget in ledgers if _is_continued(ledger_budget, budget)), None)
        if earlier is not None:
            ledgers.remove(earlier)
        ledgers.append(budget)
    return spending.add_totals(
        Total(**{key: ledger_budget[moment][key] for key in TOTALS}) for ledger_budget in ledgers
    )


def _is_continued(earlier, later):
    """Tell whether a later release's statement counts an earlier one's spending, which is then not added up twice.

    It does if its population's total before it holds all that the earlier statement's total has.
    """
    is_same_population = earlier["population"] == later["population"]
    return is_same_population and all(
        later["before"][key] >= earlier["after"][key] * (1 - spending.ROUNDING) for key in TOTALS
    )


def _select_conditions(sources):
    """Return the conditions that a pooled statement can repeat: all sources', each as the one that knows least has it.

    What speaks of one source's ledger is left out.
    """
    conditions_by_source = [
        {condition["name"]: condition for condition in source.stated["conditions"]} for source in sources
    ]
    common_names = [
        name
        for name in conditions_by_source[0]
        if name not in LEDGER_CONDITIONS and all(name in condition for condition in conditions_by_source)
    ]
    return [
        min(
            (condition[name] for condition in conditions_by_source),
            key=lambda stated_condition: WEAKEST.index(stated_condition["known"]),
        )
        for name in common_names
    ]
