"""The releases that are pooled: read from their folders, checked against each other, averaged as they were drawn.

Statements of sources are not signed. That a folder is what its laboratory released is declared, and the pooled
statement says so; the digests in it name what was pooled.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.base import artifacts
from shapedp.base.errors import ArtifactError, ConfigError, RefusedRelease
from shapedp.base.settings import read_default
from shapedp.base.storage import foreign
from shapedp.ledger.restoring import STATEMENT
from shapedp.privacy.accounting.cost import GAUSSIAN, Cost
from shapedp.privacy.curves import base
from shapedp.privacy.curves.learned import Shaped
from shapedp.privacy.differences import ShapedWithSpread
from shapedp.privacy.learned import face_variation
from shapedp.privacy.manifolds import marks
from shapedp.privacy.recentred import RecentredMean
from shapedp.releases import allow_list, kinds, publishing
from shapedp.releases.faces import older_digest, public_mark
from shapedp.releases.protocol import DRAWN_FILE

BY_PEOPLE, BY_PRECISION = "people", "precision"


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


def refuse_unlike(sources):
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


def refuse_other_files(sources, template, limits, axes, public_files):
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


def refuse_other_noise(sources, noises):
    """Refuse a source whose noise is not what its settings ask for, since its statement would be untrue."""
    for source, noise in zip(sources, noises, strict=True):
        drawn = source.drawn["noise"]
        if drawn.shape != noise.shape or not np.allclose(noise, drawn, rtol=1e-6):
            raise RefusedRelease(
                f"{source.folder / DRAWN_FILE}: has other noise than its settings ask for; ask its laboratory for "
                "the folder again"
            )
