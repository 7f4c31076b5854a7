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
RECORDS = Path("private/pooled")  # what each pooled release was made from
ANYBODY, OF_ONE_POPULATION, NOBODY = "possible", "within_populations", "none"  # who may be in two sources
OF_A_LEDGER = (statement.WITHIN_CAP, "populations_apart")
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
        """Its people."""
        return self.stated["release"]["n"]

    @property
    def cost(self) -> Cost:
        """What it costs each of them, by its statement."""
        guarantee = self.stated["guarantee"]
        return Cost(GAUSSIAN, mu=guarantee["mu"], rho=guarantee["rho"])


@dataclass(frozen=True)
class Pooled:
    """The average of what was drawn."""

    records: int  # of all sources; who is in two of them has two
    weights: NDArray[np.float64]  # (L,)
    values: NDArray[np.float64]  # (k,)
    noise: NDArray[np.float64]  # (k,) on each value


@dataclass(frozen=True)
class Asked:
    """What a pooled release is made from, kept beside it in private, so that it is made again before it is packed."""

    releases: tuple[str, ...]  # folders
    # the public files behind releases of faces
    template: str | None
    variation: str | None
    weights: str  # BY_PEOPLE or BY_PRECISION
    name: str  # of the pooled release
    overlap: str = ANYBODY  # who may be in two sources
    people: int | None = None  # in all sources together, as declared; None for what follows from those of each

    def pooled(self) -> dict[str, bytes]:
        paths = [Path(one) for one in self.releases], self.template, self.variation
        return pool(*paths, self.weights, self.name, self.overlap, self.people)

    def write(self, path: Path) -> None:
        """Keep this, with whole paths."""
        template, variation = (str(Path(one).resolve()) if one else None for one in (self.template, self.variation))
        releases = [str(Path(one).resolve()) for one in self.releases]
        whole = {"releases": releases, "template": template, "variation": variation}
        files.write_text(path, json.dumps(asdict(self) | whole, indent=2) + "\n")


def check(record: Path, folder: Path) -> None:
    """Refuse a pooled folder that is not, byte for byte, what its sources give."""
    kept = json.loads(record.read_text(encoding="utf-8"))
    pooled = Asked(**{**kept, "releases": tuple(kept["releases"])}).pooled()
    if (path := publishing.find_difference(pooled, folder)) is not None:
        raise RefusedRelease(
            f"{path}: is not what the sources give that it was pooled from; move the folder away and run "
            "`shapedp pool` again"
        )


def lines(folder: Path) -> list[str]:
    """What was pooled, in words."""
    stated = json.loads((folder / STATEMENT).read_text(encoding="utf-8"))
    told, of_all = stated["sources"], stated["release"]["n"]
    q = told["heterogeneity"]
    beside = {True: "they differ beyond noise and chance", False: "nothing says that they differ", None: "not tested"}
    noise = stated["noise"]["rms_mm"]
    return [
        f"{folder}: {len(told['releases'])} releases of {of_all} people pooled; nothing was spent",
        *([] if noise is None else [f"noise {noise:.3g} mm, root mean square at a point"]),
        f"whether they are alike: {beside[q['differ']]} (Q {q['q']:.4g}, {q['expected']:.4g} expected)",
        f"sources authentic: declared; {PROMISED[told['overlap']].format(mu=stated['guarantee']['mu'])}",
    ]


PROMISED = {  # who may be in two sources: what that means for the pooled release
    ANYBODY: "somebody may be in all of them, so that what they cost adds up: mu = {mu:.4g}. If nobody is, declare it: "
    "--disjoint",
    OF_ONE_POPULATION: "that nobody is in two populations: declared; what sources of one population cost adds up: "
    "mu = {mu:.4g}",
    NOBODY: "that nobody is in two of them: declared",
}


def shared_lines(ledger: Path, asked: Asked) -> list[str]:
    """Lines for the operator about people whom this laboratory's ledger knows under two of the sources."""
    budgets = {one: json.loads((Path(one) / STATEMENT).read_text(encoding="utf-8"))["budget"] for one in asked.releases}
    heads = {one: (told["population"], told.get("ledger_head", "")) for one, told in budgets.items()}
    rosters = {one: shared_people.roster(ledger, *head) for one, head in heads.items()}
    known = {one: people for one, people in rosters.items() if people is not None}
    lines = [
        f"{shared_people.in_both(known[one], known[other])} people are in both {one} and {other}"
        for one, other in combinations(known, 2)
        if shared_people.in_both(known[one], known[other])
    ]
    if lines and asked.overlap == ANYBODY:
        lines.append("they paid for both sources, and the pooled statement counts both")
    elif lines:
        lines.append(
            "they paid for both sources, and what you declared of the sources says that nobody is: pool again without "
            "it, unless you know better"
        )
    lines += [f"this laboratory's ledger does not tell who is in {one}" for one in asked.releases if one not in known]
    if len(known) > 1:
        together = shared_people.counted(known.values())
        if not lines:
            lines.append("this laboratory's ledger knows nobody who is in two of the sources")
        whole = "the sources" if len(known) == len(asked.releases) else f"the {len(known)} sources it knows"
        lines.append(f"{whole} are of {together} people together, by its marks of their records")
    return lines


def read(folder: Path) -> Source:
    """A release's folder, checked as far as it tells of itself; refused if it could not be pooled with any other."""
    with foreign.refuse_strange(folder, allow_list.AGAIN):
        return _read(Path(folder))


def _read(folder):
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
            f"{folder}: holds no {DRAWN_FILE}: it is of a mechanism that does not add up, or of an older shapedp; "
            "means of faces and shapes by `shaped`, their models, and changes and asymmetries of faces can be pooled"
        )
    allow_list.check_artifact(folder / DRAWN_FILE, stated)
    with artifacts.reader(folder / DRAWN_FILE, artifacts.DRAWN) as source:
        drawn = {name: source[name] for name in artifacts.DRAWN.fields}
    finite = all(np.isfinite(drawn[name]).all() for name in ("values", "noise", "asked_first", "axes"))
    sized = drawn["values"].shape == drawn["noise"].shape == drawn["spread"].shape
    if not (finite and sized and (drawn["noise"] >= 0).all()):
        raise RefusedRelease(f"{folder / DRAWN_FILE}: holds numbers that no release draws; ask its laboratory for it")
    digests = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in (STATEMENT, DRAWN_FILE)}
    return Source(folder, stated, drawn, digests)


@threadpool_limits.wrap(limits=1)  # bytes that are made again before packing must not follow from threads
def pool(
    folders: Sequence[Path],
    template: Path | None,
    variation: Path | None,
    weights: str,
    name: str,
    overlap: str = ANYBODY,
    people: int | None = None,
) -> dict[str, bytes]:
    """{file: bytes} of the pooled release; nothing in it depends on who asks, or where.

    Parameters
    ----------
    folders : folders of the sources
    template, variation : the public files behind releases of faces
    weights : BY_PEOPLE or BY_PRECISION
    name : of the pooled release
    overlap : ANYBODY, OF_ONE_POPULATION or NOBODY: who may be in two sources, as whoever pools declares
    people : how many the sources have together, as declared; None for the least that follows from those of each
    """
    checks.check_name(name, "the name of what is pooled")
    sources = sorted((read(folder) for folder in folders), key=lambda one: one.digests[STATEMENT])
    _refuse_unlike(sources)
    pooled = averaged(sources, weights)
    first = sources[0]
    kind = next(one for one in KINDS if (first.folder / one).is_file())
    public = [] if kind in OF_SHAPES else [template, variation]
    if None in public:
        raise ConfigError("releases of faces are pooled with the template and the variation they name: give --study")
    fields, (differ, q, degrees, ratio), noise = KINDS[kind](sources, pooled, *map(Path, public))
    drawn = {key: one for key, one in first.drawn.items() if key != "settings"}
    drawn |= {"values": pooled.values, "noise": pooled.noise, "asked_first": np.zeros(0)}
    alike = {"ratio": ratio, "q": q, "degrees": degrees, "weights": pooled.weights}
    contents = {kind: fields, DRAWN_FILE: drawn, HETEROGENEITY: alike}
    told = {"weights": weights, "heterogeneity": {"q": q, "expected": degrees, "differ": differ}, "overlap": overlap}
    counted = _people(sources, overlap, people)
    try:
        stated = _stated(sources, pooled, counted, name, noise, told)
    except RefusedRelease as error:
        named = ", ".join(str(source.folder) for source in sources)
        raise RefusedRelease(f"{named}: what they give together cannot be stated: {error}") from error
    return {
        **{key: artifact_bytes(key, one, first.stated["settings"]) for key, one in contents.items()},
        **publishing.statement_files(stated),
    }


def averaged(sources: Sequence[Source], weights: str) -> Pooled:
    """The weighted average of what was drawn."""
    people = np.array([source.n for source in sources], dtype=float)
    if weights == BY_PEOPLE:
        shares = people / people.sum()
    elif np.isnan(sources[0].drawn["spread"]).any():
        raise ConfigError("sums of models add up as they are: pool them with the weights `people`")
    else:
        variances = [(one.drawn["noise"] ** 2 + one.drawn["spread"] / one.n).sum() for one in sources]
        precision = 1 / np.array(variances)
        shares = precision / precision.sum()
    values = sum(share * source.drawn["values"] for share, source in zip(shares, sources, strict=True))
    noise = np.sqrt(sum((w * source.drawn["noise"]) ** 2 for w, source in zip(shares, sources, strict=True)))
    return Pooled(int(people.sum()), shares, values, noise)


def _refuse_unlike(sources):
    if len(sources) < 2:
        raise ConfigError("pool: give at least two releases")
    first, drawn = sources[0], {}
    for source in sources:
        before = drawn.setdefault(source.digests[DRAWN_FILE], source)
        if before is not source:
            raise RefusedRelease(f"{source.folder}: is the same release as {before.folder}; nobody counts twice")
        one, other = first.stated["settings"], source.stated["settings"]
        unlike = sorted(key for key in one.keys() | other.keys() if one.get(key) != other.get(key))
        if unlike:
            raise RefusedRelease(
                f"{source.folder}: has another `{unlike[0]}` in its settings than {first.folder}; release with the "
                "settings of one study plan"
            )
        if not _same_public(first, source):
            raise RefusedRelease(
                f"{source.folder}: names another template, public set or axes than {first.folder}, by their digest; "
                "release with the files of one study plan and the same `planned_for`"
            )
    if first.stated["release"]["group"] is not None:
        raise RefusedRelease(f"{first.folder}: is of a group; releases of everybody are pooled")


def _same_public(first, source):
    """Whether two sources name the same public objects. One of an older version names them by a hash: of faces the
    files then tell, of shapes the axes, which lie about their center alone.
    """
    names = [one.drawn["public"] for one in (first, source)]
    if marks.is_mark(names[0].tobytes()) == marks.is_mark(names[1].tobytes()):
        return marks.are_alike(*names)
    axes, others = first.drawn["axes"], source.drawn["axes"]
    return axes.shape == others.shape and np.allclose(axes, others, rtol=0, atol=marks.ALIKE)


def _refuse_other_files(sources, template, limits, axes, paths):
    names = public_mark(template, limits, axes), older_digest(template, limits, axes)
    for source in sources:
        if not any(marks.are_alike(source.drawn["public"], one) for one in names):
            raise RefusedRelease(
                f"{paths[0]}, {paths[1]}: are not the template and the variation that {source.folder} names, by their "
                "digest; take those of the study plan"
            )


def part(source: Source, limits: face_variation.Variation) -> tuple[Shaped, tuple[NDArray, ...]]:
    """(the mechanism that drew a mean face or difference, before its stages, their noised answers that were kept)."""
    settings, answers, left = source.stated["settings"], (), source.drawn["asked_first"]
    named = {RecentredMean.name: RecentredMean, Shaped.name: Shaped}
    is_difference = kinds.find_entry("faces", settings).is_difference
    law = ShapedWithSpread if is_difference else named[settings["mechanism"]]
    given = limits.center.shape, source.n, limits, limits.center, settings["budget"], read_default("faces.kernel")
    made = law.of(base.CurveSettings(*given, settings.get("planned_for")))
    while (stage := made.stage(answers)) is not None and len(left) >= stage.width:
        answers, left = (*answers, left[: stage.width]), left[stage.width :]
    is_whole = stage is None if issubclass(law, ShapedWithSpread) else isinstance(stage, Shaped)
    if len(left) or not is_whole:
        raise RefusedRelease(
            f"{source.folder / DRAWN_FILE}: holds other answers than its settings ask for; it was drawn by an older "
            "shapedp, whose means were asked otherwise, or changed since: pool releases of one version"
        )
    return made, answers


def _refuse_other_noise(sources, noises):
    for source, noise in zip(sources, noises, strict=True):
        drawn = source.drawn["noise"]
        if drawn.shape != noise.shape or not np.allclose(noise, drawn, rtol=1e-6):
            raise RefusedRelease(f"{source.folder / DRAWN_FILE}: bears other noise than its settings ask for")


def _mean_of_faces(sources, pooled, *paths):
    """({field: value} of the artifact, how unlike the sources are, what the statement says of noise) of a mean face,
    corrected and shrunk as one of all people. paths : of template and variation, refused unless the sources name them
    """
    if sources[0].stated["mechanism"]["name"] == RecentredMean.name:
        return _mean_asked_again(sources, pooled, *paths)
    template, limits = cohorts.read_template(paths[0]), public_objects.read_variation(paths[1])[0]
    parts = [made.with_bound_from(answers) for made, answers in (part(source, limits) for source in sources)]
    axes = parts[0].plan.axes
    _refuse_other_files(sources, template, limits, axes, paths)
    _refuse_other_noise(sources, [made.lengths_along * made.noise / made.n for made in parts])
    mechanism = of_parts(parts, pooled, limits)
    answer = pooled.values / mechanism.lengths_along
    fields = _release(MeanFace, sources, mechanism, template, limits).fields((answer,))
    unlike = _heterogeneity(sources, limits.variances[axes], limits.axes(axes), limits.held_out[:, axes])
    return fields, unlike, _noise(mechanism.decoder_for(answer), answer, template)


def _mean_asked_again(sources, pooled, *paths):
    """The same of mean faces that were asked several times: the average of what the answers of each source told, drawn
    to the public mean as one of all people.
    """
    template, limits = cohorts.read_template(paths[0]), public_objects.read_variation(paths[1])[0]
    parts = _by_their_answers(sources, limits, template, paths)
    noises, scales = np.array([made.whole_mean[2] for made in parts]), [made.earlier_means.scale for made in parts]
    noise, scale = np.linalg.norm(pooled.weights[:, None] * noises, axis=0), float(pooled.weights @ scales)
    made = replace(parts[0], n=pooled.records, largest_undo_factor=max(made.largest_undo_factor for made in parts))
    settled, answer = made.shrink_to_public(pooled.values, pooled.noise, noise, scale), np.zeros(made.width)
    fields = _release(MeanFace, sources, settled, template, limits).fields((answer,))
    axes = parts[0].plan.axes
    unlike = _heterogeneity(sources, limits.variances[axes], limits.axes(axes), limits.held_out[:, axes], known=KNOWN)
    return fields, unlike, _noise(settled, answer, template)


def _by_their_answers(sources, limits, template, paths):
    """What decodes each source by all answers that were kept; refused unless these tell what was drawn."""
    parts = [part(source, limits) for source in sources]
    _refuse_other_files(sources, template, limits, parts[0][0].plan.axes, paths)
    decoding = [made.with_bound_from(answers[:-1]).decoder_for(answers[-1]) for made, answers in parts]
    _refuse_other_noise(sources, [made.mean_along[1] for made in decoding])
    for source, made in zip(sources, decoding, strict=True):
        if not np.allclose(made.mean_along[0], source.drawn["values"], rtol=1e-6, atol=1e-9):
            raise RefusedRelease(f"{source.folder / DRAWN_FILE}: holds another mean than its answers tell")
    return decoding


def _mean_difference(sources, pooled, *paths):
    """The same of a difference within each person: the average of what the answers of each source told, with nothing to
    be corrected any more. People's spread is that about the sources' own means, and of these about the average.
    """
    template, limits = cohorts.read_template(paths[0]), public_objects.read_variation(paths[1])[0]
    parts = [part(source, limits) for source in sources]
    axes, weights = parts[0][0].plan.axes, pooled.weights
    told = _by_their_answers(sources, limits, template, paths)
    undone = max(made.largest_undo_factor for made in told)
    of_all = {"n": pooled.records, "mean_shift": pooled.values, "errors": pooled.noise, "largest_undo_factor": undone}
    settled = replace(told[0], plan=parts[0][0].plan, **of_all)
    spreads, off = np.array([made.spread(answers) for made, answers in parts]).T
    away = np.array([source.drawn["values"] for source in sources]) - pooled.values
    noise = np.array([source.drawn["noise"] for source in sources])
    by_noise = (1 - 2 * weights[:, None]) * noise**2 + pooled.noise**2
    between = max(float(weights @ np.sum(away**2 - by_noise, axis=1)), 0.0)
    answer = np.zeros(settled.width)
    release = _release(MeanDifference, sources, settled, template, limits)
    fields = release.of_mean(settled, answer, float(weights @ spreads) + between, float(np.linalg.norm(weights * off)))
    public = limits.variances[axes]
    # people who differ more than public ones vary more by chance, too
    chance = public * max(1.0, float(weights @ spreads) / float(public.sum()))
    unlike = _heterogeneity(sources, chance, limits.axes(axes), limits.held_out[:, axes], known=KNOWN)
    return fields, unlike, _noise(settled, answer, template)


def _release(kind, sources, mechanism, template, limits):
    settings = sources[0].stated["settings"]
    section = {key: settings[key] for key in ("variation", "curves", "persons")} | {"bounds": {}}
    return kind({"name": "", **settings}, section, {}, mechanism, template, limits, {}, template.origin, {})


def _noise(settled, answer, template):
    """What the statement says of the noise of a pooled mean."""
    return {
        "rms_mm": float(template.scale) * settled.noise_size(),
        "undone": settled.largest_undo_factor,
        "shrunk": settled.shrink_shares,
        "tau": float(settled.plan.tau),
        "unlike": settled.differs_from_public_set(answer),
    }


def of_parts(parts: Sequence[Shaped], pooled: Pooled, limits) -> Shaped:
    """The mechanism as which the average is corrected and shrunk: axes of the parts, noise of the average.

    Parts whose first stages answered otherwise measure axes by other powers: the average is taken for one of their mean
    power, clipped to their mean share of the public quantile there, and its noise is what it is along each axis. What
    their first stages told is the average of their answers.
    """
    base, weights, told = parts[0], pooled.weights, [made.spread_answer for made in parts]
    if None not in told:
        answer, sd = weights @ [one.answer for one in told], np.linalg.norm(weights * [one.sd for one in told])
        base = replace(base, spread_answer=replace(told[0], answer=float(answer), sd=float(sd)))
    elif base.spread_answer is not None:
        base = replace(base, spread_answer=None)
    power = float(weights @ [made.plan.power for made in parts])
    shares = [made.plan.tau / face_variation.public_bound(limits, made.plan) for made in parts]
    clip = replace(base.plan, power=power)
    clip = replace(clip, tau=float(weights @ shares) * face_variation.public_bound(limits, clip))
    noise = pooled.noise / clip.scales  # of u, along each axis
    chosen = face_variation.refiltered(limits, clip, pooled.records, float(np.mean(noise)) ** 2)
    made = base.clipped_to(chosen)
    return replace(
        made,
        n=pooled.records,
        noise=pooled.records * noise * made.bound / chosen.tau,
        bound_scale=None,
        at_full_bound=None,
    )


def _face_model(sources, pooled, *paths):
    """The same of a model, whose three sums add up."""
    template, limits = cohorts.read_template(paths[0]), public_objects.read_variation(paths[1])[0]
    settings = sources[0].stated["settings"]
    mu, asked = float(settings["budget"]["mu_total"]), covariates.of_settings(covariates.of_stated(settings))
    first = FaceModel.of(limits, sources[0].n, mu, asked, settings["modes"], settings.get("planned_for"))
    axes = first.shaped.plan.axes
    _refuse_other_files(sources, template, limits, axes, paths)
    model, answer = _of_all(sources, pooled, first)
    unlike = _unlike_models(sources, model, limits.axes(axes), limits.held_out[:, axes])
    release = ModelOfFaces(settings, {}, {}, model, template, limits, {}, template.origin, {})
    scale, told = float(template.scale), model.tells(answer)
    noise = {**told, "rms_mm": scale * model.errs(answer), "clip_moved": scale * told["clip_moved"]}
    return release.fields((answer,)), unlike, noise


def _shape_model(sources, pooled):
    """The same of shapes, from the sources alone."""
    first = sources[0]
    with artifacts.reader(first.folder / ModelOfShapes.file, artifacts.SHAPE_MODEL) as file:
        center, named, beyond = file["reference"], file["axes"], file["beyond"][None]
    settings, told = first.stated["settings"], first.stated["mechanism"]["sensitivity"]["inputs"]
    ways = first.drawn["axes"].astype(float)
    if ways.ndim != 2 or ways.shape[1] != center.size:
        raise RefusedRelease(f"{first.folder}: shows no axes about its public center")
    back = np.linalg.norm(ways, axis=1)
    axes = as_curve((ways / back[:, None]).reshape(-1, *center.shape))
    # as much of `shapes.ShapeCoordinates` as its release takes
    shaped = SimpleNamespace(center=as_curve(center), axes=axes, back=back, beyond=beyond, plan=None, variation=None)
    q, mu = len(back), float(settings["budget"]["mu_total"])
    longest = float(np.sqrt(told["zeta"] ** 2 - 1))
    given = told["modes"], told["tau"], np.array(told["kappa"]), mu, np.array(told["w"]), longest
    moments, spread = Moments(first.n, q, *given), first.drawn["spread"][:q]
    asked = covariates.of_settings(covariates.of_stated(settings))
    made = ShapeModel(first.n, mu, shaped, moments, spread, asked, settings["modes"])
    model, answer = _of_all(sources, pooled, made)
    release = ModelOfShapes(settings, {}, {}, model, None, "", {}, {})
    found = _with_what_was_put_back(sources, made, release, release.fields((answer,)), ways)
    return found | {"axes": named}, _unlike_models(sources, model), _of_clips(sources, pooled.weights)


def _with_what_was_put_back(sources, made, release, fields, ways):
    """The fields of a pooled model of shapes, its mean moved as far as the sources, who know public people, put back
    what the clip took of theirs, and its noise with it. made : the model of the first source; ways (q, k d) : its axes
    """
    leading = ways[: fields["coordinates"].shape[1]]
    leading = leading / np.linalg.norm(leading, axis=1, keepdims=True)
    people, moved, lengths, parts = sum(source.n for source in sources), 0.0, [], fields["noise_parts"].copy()
    parts[0, 0] = 0.0
    for source in sources:
        alone = replace(made, n=source.n, moments=replace(made.moments, n=source.n))
        own = replace(release, mechanism=alone).fields((_moments(source.drawn["values"], made.moments),))
        with artifacts.reader(source.folder / ModelOfShapes.file, artifacts.SHAPE_MODEL) as file:
            moved = moved + source.n / people * (file["landmarks"] - own["landmarks"])
            parts[0, 0] += (source.n / people) ** 2 * file["noise_parts"][0, 0]
            lengths.append(file["coordinate_noise"])
    effects, coordinates = fields["effects"].copy(), fields["coordinates"].copy()
    effects[0] += moved
    coordinates[0] += leading @ moved.ravel()
    return {
        **fields,
        "landmarks": fields["landmarks"] + moved,
        "effects": effects,
        "coordinates": coordinates,
        "noise_parts": parts,
        "coordinate_noise": np.sqrt(np.mean(np.square(lengths), axis=0)),
    }


def _of_all(sources, pooled, first):
    """(the model of all people, the sum of the sources' noised moments); first : the model of the first source."""
    moments = first.moments
    z, q, leading = 1 + moments.p, moments.q, moments.leading
    sizes = z * q, z * z, leading**2
    noise = np.repeat(np.where(np.isfinite(moments.noise), moments.noise, 0.0), sizes)
    for source in sources:
        if source.drawn["noise"].shape != noise.shape or not np.allclose(source.drawn["noise"], noise, rtol=1e-6):
            raise RefusedRelease(
                f"{source.folder / DRAWN_FILE}: bears other noise than {sources[0].folder} and its settings: models "
                "split their budget by n: give each the same `planned_for`, as a study plan does"
            )
    mu = first.mu / np.sqrt(len(sources))
    model = replace(first, n=pooled.records, mu=mu, moments=replace(moments, n=pooled.records, mu=mu))
    return model, _moments(sum(source.drawn["values"] for source in sources), moments)


def _moments(values, moments):
    """The three sums, from one after the other."""
    z, q, leading = 1 + moments.p, moments.q, moments.leading
    m1, m2, m3 = np.split(values, np.cumsum([z * q, z * z]))
    return m1.reshape(z, q), m2.reshape(z, z), m3.reshape(leading, leading)


def _unlike_models(sources, model, axes=None, public=None):
    """How unlike the sources are: the first row of the first sum is that of everybody's coordinates."""
    back, people = model.shaped.back, np.array([one.n for one in sources], dtype=float)
    return _heterogeneity(sources, model.variances * back**2, axes, public, along=back / people[:, None])


def _mean_shape(sources, pooled):
    """A mean shape, from the sources alone."""
    released = []
    for source in sources:
        with artifacts.reader(source.folder / MeanShape.file, artifacts.RELEASED_SHAPE) as file:
            kept = ("center", "size", "size_noise", "noise_radius", "noise_covariance")
            released.append({name: file[name] for name in kept})
    p0, settings = released[0]["center"], sources[0].stated["settings"]
    axes = sources[0].drawn["axes"].astype(float)
    if not np.isfinite(p0).all() or axes.shape != (len(pooled.values), p0.size):
        raise RefusedRelease(f"{sources[0].folder}: shows no public center that its axes are about")
    shape = as_complex(LandmarkShapes(p0).shape(pooled.values @ axes))
    if "bandwidth" in settings:
        shape = contour.smooth_locally(shape, settings["bandwidth"])
    size, size_noise = _mean_size(released, pooled.weights)
    noise, errors = _errors_of_shape(sources, pooled, axes.reshape(-1, *p0.shape), released)
    fields = {
        "landmarks": as_real(Ball(pooled.records, as_complex(p0), 1.0, 0).on_grid(shape)),
        "center": p0,
        "size": size,
        "size_noise": size_noise,
        "noise_radius": noise,
        "noise_covariance": errors,
    }
    told = _of_clips(sources, pooled.weights) | {"error_radian": noise}
    return fields, _heterogeneity(sources, sources[0].drawn["spread"]), told


def _errors_of_shape(sources, pooled, axes, released):
    """(expected distance of the pooled mean to everybody's, its covariance (k, d, d) at each landmark).

    Noise averages down. What a source leaves out, the rest of what it states, does not where it is where the center
    lies, and so counts as the sources' average. axes : (q, k, d); released : what each source holds
    """

    def covariance(noise):
        along = axes * noise[:, None, None]
        return np.einsum("qkd,qke->kde", along, along)

    square, errors = float(np.sum(pooled.noise**2)), covariance(pooled.noise)
    for weight, one, source in zip(pooled.weights, released, sources, strict=True):
        noise = source.drawn["noise"]
        square += weight * max(float(one["noise_radius"]) ** 2 - float(np.sum(noise**2)), 0.0)
        errors = errors + weight * (one["noise_covariance"] - covariance(noise))
    return math.sqrt(square), errors


def _of_clips(sources, weights):
    """What the sources' statements say of their clips, where all say it: of the average no more is known."""
    told = [source.stated["noise"] for source in sources]
    if any(one.get("clip_moved") is None for one in told):
        return {}
    return {
        "undone": max(one["undone"] for one in told),
        "clip_moved": float(weights @ [one["clip_moved"] for one in told]),
        "unlike": any(source.stated["differs_from_public_set"] for source in sources),
    }


def _mean_size(released, weights):
    """The weighted geometric mean of the sources' sizes and the sd of its noise; NaN unless all have one."""
    sizes, noises = (np.array([one[name] for one in released]) for name in ("size", "size_noise"))
    size = np.exp(weights @ np.log(sizes))
    return float(size), float(size * np.linalg.norm(weights * noises / sizes))


# degrees of a chi-square that is known as well as squared errors of a mean that is asked several times: to 8 %
KNOWN = 300.0


def _heterogeneity(sources, spread, axes=None, public=None, along=1.0, known=math.inf):
    """(whether the sources differ beyond noise and chance, Q, what it is expected to be, its ratio at each point), by
    their means along k axes.

    spread (k,) : the public variance of a person along these; axes (k, J, 3, m), public (p, k) : of faces, and public
    people along them; along (L, k) : how far one of each value that was drawn leads; known : degrees to which the
    sources' squared errors are known together, where they are not exact
    """
    k = len(spread)
    values, noise = (along * np.array([one.drawn[name][:k] for one in sources]) for name in ("values", "noise"))
    chance = spread / np.array([one.n for one in sources], dtype=float)[:, None]
    variances = noise**2 + chance
    q = float(np.sum(_squares(values, variances) / variances))
    degrees = float((len(values) - 1) * values.shape[1])
    if axes is None:
        return bool(q > scipy.special.chdtri(degrees, LEVEL)), q, degrees, np.zeros((0, 0))
    share = chance.mean(axis=0) / variances.mean(axis=0)
    free = (len(values) - 1) * degrees_of_freedom(public, np.sqrt(share))
    at = np.tensordot(values, axes, axes=1)
    spread_at = np.einsum("lk,kjcm->ljm", variances, np.square(axes, dtype=float))
    ratio = np.sum(_squares(at, spread_at[:, :, None, :]).sum(axis=2) / spread_at, axis=0) / (len(values) - 1)
    exact = scipy.special.chdtri(free, LEVEL) / free
    most = exact if math.isinf(known) else scipy.special.fdtri(free, known, 1 - LEVEL)
    return bool(q / degrees > most), q, degrees, ratio


def _squares(values, variances):
    """(values - their mean weighted by 1/variances)^2, sources along the first axis."""
    weights = 1 / variances
    return (values - np.sum(weights * values, axis=0) / np.sum(weights, axis=0)) ** 2


KINDS = {
    MeanFace.file: _mean_of_faces,
    MeanDifference.file: _mean_difference,
    ModelOfFaces.file: _face_model,
    MeanShape.file: _mean_shape,
    ModelOfShapes.file: _shape_model,
}
OF_SHAPES = (MeanShape.file, ModelOfShapes.file)


def _together(sources, overlap) -> list[list[Source]]:
    """The sources in groups; somebody may be in two of one group, and nobody in two groups."""
    if overlap == NOBODY:
        return [[source] for source in sources]
    if overlap == ANYBODY:
        return [list(sources)]
    groups = defaultdict(list)
    for source in sources:
        groups[source.stated["budget"]["population"]].append(source)
    return list(groups.values())


def _people(sources, overlap, people) -> int:
    """How many people the sources have together: as declared, or the least that there can be."""
    least = sum(max(source.n for source in group) for group in _together(sources, overlap))
    most = sum(source.n for source in sources)
    if people is not None and not least <= people <= most:
        raise ConfigError(
            f"--people {people}: the sources have at least {least} people together and at most {most}, as their "
            "statements and what is declared of them say"
        )
    return least if people is None else people


def _promised(sources, overlap) -> tuple[Cost, dict[str, Any]]:
    """(what the pooled release costs who is in most of it, how a statement gives that)."""
    promised = []
    for group in _together(sources, overlap):
        if len(group) == 1:
            guarantee = group[0].stated["guarantee"]
            promised.append((group[0].cost, guarantee))
            continue
        total = spending.total((source.cost, None) for source in group)
        eta = sum(source.stated["noise"]["eta"] for source in group)
        cost = Cost(GAUSSIAN, mu=total.mu, rho=total.rho, eta=eta or None)
        promised.append((cost, guarantees.describe_cost(cost)))
    return max(promised, key=lambda told: told[0].mu)


def _stated(sources, pooled, people, name, noise, told):
    """The statement: that of the sources with their people, their noise and what they promise together."""
    stated = deepcopy(sources[0].stated)
    cost, promised = _promised(sources, told["overlap"])
    kind = stated["settings"].get("kind")
    _, record = statement.describe_statistic(stated["release"]["branch"], stated["mechanism"]["name"], kind)
    stated.pop("laboratories", None)
    stated["release"]["n"] = people
    stated["mechanism"]["sensitivity"]["inputs"]["n"] = pooled.records
    stated["noise"] |= {
        "eta": cost.eta or max(source.stated["noise"]["eta"] for source in sources),
        "rms_mm": noise.get("rms_mm"),
        **dict.fromkeys(("widened", "settled_sd")),
        "undone": noise.get("undone"),
        "clip_moved": noise.get("clip_moved"),
        "error_radian": noise.get("error_radian"),
        **{key: _most(sources, key) for key in ("far_share", "missing_mm")},
        **({"shrunk": list(noise["shrunk"])} if noise.get("shrunk") else {}),
    }
    if noise.get("tau") is not None:
        stated["bounds"][0]["value"] = noise["tau"]
    same = all(source.stated["declared"] == stated["declared"] for source in sources)
    return statement.check(
        {
            **stated,
            "summary": statement.summary(cost, record, 0),
            "date": max(source.stated["date"] for source in sources),
            "declared": stated["declared"] if same else checks.complete_words({}),
            "guarantee": promised,
            "differs_from_public_set": noise.get("unlike"),
            "conditions": [
                *_conditions(sources),
                *map(statement.condition_fields, conditions.pooled_conditions(len(sources), told["overlap"])),
            ],
            "not_protected": list(statement.NOT_PROTECTED),
            "budget": {"population": name, **_spent(sources, told["overlap"])},
            # its words are written now, whatever those of the sources were
            "software": statement.software() if stated["schema"] == statement.VERSION else stated["software"],
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
                **told,
            },
        }
    )


def _most(sources, key):
    """The largest number of that name that a source's statement has of its noise, or None."""
    return max(
        (one for one in (source.stated["noise"].get(key) for source in sources) if one is not None), default=None
    )


def _spent(sources, overlap):
    """The most that had been spent on one person, by the sources' statements; what laboratories made together says
    nothing of it.
    """
    known = [source.stated["budget"] for source in sources if "laboratories" not in source.stated]
    holds = all(one["holds"] for one in known)
    if len(known) < len(sources):
        return {} if holds else {"holds": False}
    totals = {}
    for when in ("before", "after"):
        groups = _together(sources, overlap)
        totals[when] = guarantees.describe_worst([_spent_on(group, when) for group in groups])
    return {**totals, "holds": holds}


def _spent_on(group, when) -> Total:
    """What was spent on somebody who is in all these sources: a ledger's latest total, and those of several add up."""
    ledgers: list[dict[str, Any]] = []
    for budget in sorted((source.stated["budget"] for source in group), key=lambda one: one["after"]["mu"]):
        earlier = next((one for one in ledgers if _is_continued(one, budget)), None)
        if earlier is not None:
            ledgers.remove(earlier)
        ledgers.append(budget)
    return spending.together(Total(**{key: one[when][key] for key in TOTALS}) for one in ledgers)


def _is_continued(earlier, later):
    """Whether a population's total before a later release holds all that an earlier one's statement counts."""
    alike = earlier["population"] == later["population"]
    return alike and all(later["before"][key] >= earlier["after"][key] * (1 - spending.ROUNDING) for key in TOTALS)


def _conditions(sources):
    """The conditions that all sources state, each as the source states it that knows least of it; but what speaks of
    one source's ledger.
    """
    of_source = [{one["name"]: one for one in source.stated["conditions"]} for source in sources]
    common = [name for name in of_source[0] if name not in OF_A_LEDGER and all(name in one for one in of_source)]
    return [min((one[name] for one in of_source), key=lambda it: WEAKEST.index(it["known"])) for name in common]
