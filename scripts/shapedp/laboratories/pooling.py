"""Releases of several laboratories, or of several years, become one: post-processing, which costs nobody anything.

Each release keeps what was drawn, with noise of known size, before anything was corrected or shrunk. Those that name
the same template, public people and axes are averaged, and then corrected and shrunk as one release of all people with
noise of that size: docs/mathematics.md, (13.4). Means of faces and shapes are such averages, and so are changes and
asymmetries of faces, of what all their answers told together; the three sums of a model add up as they are. Whether
sources are alike is told beside their noise by Cochran's Q, (13.5).

What a pooled release promises follows from what its sources do and who may be in two of them: `pools.promise`. What a
ledger knows of that is told to its operator alone and decides nothing, since its marks are of records: a pooled release
would tell of them.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from shapedp.base.errors import ConfigError, RefusedRelease
from shapedp.base.settings import checks
from shapedp.base.storage import files
from shapedp.laboratories.pools.faces import pool_difference, pool_face_model, pool_mean_face
from shapedp.laboratories.pools.promise import ANYBODY, NOBODY, ONE_POPULATION, build_statement, count_people
from shapedp.laboratories.pools.shapes import pool_mean_shape, pool_shape_model
from shapedp.laboratories.pools.sources import PublicFiles, average_sources, read_source, refuse_unlike
from shapedp.ledger import shared_people
from shapedp.ledger.restoring import STATEMENT
from shapedp.releases import publishing
from shapedp.releases.kinds.change.release import MeanDifference
from shapedp.releases.kinds.mean.release import MeanFace, MeanShape
from shapedp.releases.kinds.model.release import ModelOfFaces, ModelOfShapes
from shapedp.releases.protocol import DRAWN_FILE, artifact_bytes

HETEROGENEITY = "heterogeneity.h5"
# What each pooled release was made from, kept so that it is made again before it is packed.
RECORDS = Path("private/pooled")


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
    refuse_unlike(sources)
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
    people_count = count_people(sources, overlap, people)
    try:
        built_statement = build_statement(sources, pooled, people_count, name, noise, pooling_stated)
    except RefusedRelease as error:
        folders_named = ", ".join(str(source.folder) for source in sources)
        raise RefusedRelease(f"{folders_named}: what they give together cannot be stated: {error}") from error
    return {
        **{key: artifact_bytes(key, values, first.stated["settings"]) for key, values in contents.items()},
        **publishing.statement_files(built_statement),
    }


KINDS = {
    MeanFace.file: pool_mean_face,
    MeanDifference.file: pool_difference,
    ModelOfFaces.file: pool_face_model,
    MeanShape.file: pool_mean_shape,
    ModelOfShapes.file: pool_shape_model,
}
SHAPE_FILES = (MeanShape.file, ModelOfShapes.file)
