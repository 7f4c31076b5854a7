"""Move records into the ball, average, add noise, and enter the release in the ledger: what spends privacy."""

import json
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from shapedp import artifacts
from shapedp.cohorts import repeats
from shapedp.errors import RefusedRelease
from shapedp.landmarks import sources
from shapedp.manifolds import landmark_shapes
from shapedp.mechanisms import noise, shape_mechanisms
from shapedp.mechanisms.shapes import public_shapes
from shapedp.mechanisms.shapes.ball import Ball, as_complex, as_real, polygon
from shapedp.releases import declared, fingerprints, parts, shape_facts, spending
from shapedp.releases import publishing as releases
from shapedp.releases.ledger import Ledger
from shapedp.runs.logs import log, logged
from shapedp.storage import marks

PRIVATE = "private"  # of shapes.center: it is released with noise of its own


@dataclass(frozen=True)
class Cohort:
    """What is public of the records, and where they lie.

    people : {person: rows of `landmarks`}; ids : of all shapes; part : what is released of them; key : of digests
    """

    shapes_path: Path
    landmarks: np.ndarray
    who: list
    people: dict
    ids: list
    part: parts.Part
    ledger: Ledger
    key: bytes
    ball: Ball
    center: str
    center_public: bool
    r_source: str

    def shapes(self):
        """(shapes (n, k, d), logarithms of their sizes (n,)) of the part, one a person."""
        with artifacts.reader(self.shapes_path, artifacts.SHAPES) as source:
            return source["shapes"][self.part.rows], source["log_sizes"][self.part.rows]


def cohort(shapes_path, landmarks_path, modes, entry, settings, privacy):
    """The Cohort of the files; modes : of the contour basis; the rest as of `release_mean_shape`."""
    with artifacts.reader(shapes_path, artifacts.SHAPES) as source:
        p0, public = source["center"], source["center_public"]
        directions = {name: source[name] for name in ("ignored", "slid") if len(source[name])}
        ids, group_of = source["ids"], source["groups"]
        made_from = set(source.provenance["inputs"].values())
    with artifacts.reader(landmarks_path, artifacts.LANDMARKS) as source:
        landmarks, who = source["landmarks"], source["persons"]
        people = repeats.of_persons(source["ids"], who, "average")
    if artifacts.header(landmarks_path)[2] not in made_from:
        raise RefusedRelease(f"{shapes_path}: these shapes were made of other landmarks; run snakemake again")
    named = settings["center"] if settings["center"] in sources.CENTERS else shape_facts.FILE
    nothing_public = named == PRIVATE
    r, r_source = _radius(settings["radius"], shapes_path, p0)
    ledger = Ledger(privacy["ledger"])
    key = ledger.key()
    part = parts.of(entry, privacy, key, ids, group_of)
    ball = Ball(
        part.n,
        polygon(len(p0)) if nothing_public else as_complex(p0),
        r,
        modes,
        public_shapes.read(settings.get("reference_set"), as_complex(p0)),
        nothing_public=nothing_public,
        size=settings.get("size") and tuple(np.log(settings["size"])),
        **directions,
    )
    center = named if public or nothing_public else "data"
    return Cohort(
        Path(shapes_path), landmarks, who, people, ids, part, ledger, key, ball, center, bool(public), r_source
    )


def release_mean_shape(shapes_path, landmarks_path, output_dir, entry, settings, privacy):
    """entry : one of shapes.releases; settings : the section's radius, modes, center, reference_set, size, persons"""
    found = cohort(shapes_path, landmarks_path, entry.get("modes", settings["modes"]), entry, settings, privacy)
    ball = found.ball
    made = shape_mechanisms.make(entry["mechanism"], ball, entry["budget"], entry.get("shrink", False))
    _refuse_hidden_members(made, found.part.group)
    randomness = noise.source(privacy["seed"])
    stated = shape_facts.settings(entry, ball, found.center, found.r_source, privacy, numbers_of(settings))

    def draw():
        records, log_sizes = found.shapes()
        z = as_complex(records)
        if ball.size:
            shape, size = made.publishable_with_size(z, log_sizes, randomness)
        else:
            shape, size = made.publishable(z, randomness, entry.get("bandwidth")), np.nan
        known = made if found.r_source == "config" and not made.from_data else None
        center = as_real(ball.p0) if found.center_public else None
        return {"mean_shape.h5": _packed(as_real(shape), size, center, known, stated)}

    facts = shape_facts.facts(made, stated, *evidence(found, settings), randomness)
    return published(found, made, entry, stated, facts, privacy, draw, output_dir)


def numbers_of(settings):
    """What the settings of the section say of landmarks."""
    told = {name: settings.get(name) for name in ("pairs", "semilandmarks", "links")}
    return told | ({"sliding": settings["sliding"]} if told["semilandmarks"] else {})


def evidence(found, settings):
    """What shape_facts.facts takes of a Cohort: where r comes from, people, ids, whose names, what it is made of."""
    persons = settings["persons"] if any(found.who) else "declared"
    return found.r_source, len(found.people), found.ids, persons, artifacts.lineage(found.shapes_path)


def published(found, made, entry, stated, facts, privacy, draw, output_dir, beside=()):
    """The names of the files of a release of a Cohort; beside : further private arrays that decide the statistic."""
    key, landmarks = found.key, found.landmarks
    given = (as_real(found.ball.p0), found.who, found.ball.public, *beside)
    request = releases.Request(
        population=privacy["population"]["shapes"],
        branch="shapes",
        name=entry["name"],
        settings=stated,
        records=fingerprints.of_records(key, lambda start, stop: landmarks[start:stop], len(landmarks)),
        inputs_digest=releases.inputs_digest(
            [fingerprints.of_arrays(key, *(one for one in given if one is not None))],
            privacy["seed"],
        ),
        cost=made.cost(),
        cap=spending.Cap(**privacy["cap"]["shapes"]),
        reproduction=entry.get("reproduction", False),
        declared=declared.of(privacy, "shapes"),
        group=found.part.group,
    )
    outcome = releases.publish(found.ledger, request, facts, draw, output_dir)
    log.info("release '%s': %s", entry["name"], "stored bytes returned" if outcome.reused else "drawn and recorded")
    return outcome.files


def _refuse_hidden_members(made, group):
    """What divides by the members that it finds shows how many they are."""
    if group and group.membership == spending.PRIVATE and not made.divides_by_n:
        raise RefusedRelease(
            f"mechanism `{made.name}` averages over the members that it finds, and who is in group '{group.name}' is "
            "private: take shaped, knorm or gaussian, or set privacy.groups.membership to `public`"
        )


def _radius(radius, shapes_path, p0):
    """(r, where it comes from); `data` takes the largest distance, as the papers do."""
    if radius != "data":
        return float(radius), "config"
    with artifacts.reader(shapes_path, artifacts.SHAPES) as source:
        return float(landmark_shapes.dist(p0, source["shapes"]).max()), "data"


def _packed(landmarks, size, center, made, settings):
    """The bytes of the released artifact; it holds the declared fields and nothing else.

    center : None where it came from the records; made : the mechanism, None where its noise is scaled to them
    """
    k, d = landmarks.shape
    with TemporaryDirectory() as folder:
        path = Path(folder) / "mean_shape.h5"
        with artifacts.writer(path, artifacts.RELEASED_SHAPE) as out:
            out.set(
                landmarks=landmarks,
                center=np.full((k, d), np.nan) if center is None else center,
                size=size,
                noise_radius=made.noise_size() if made else np.nan,
                noise_covariance=made.noise_covariance() if made else np.full((k, d, d), np.nan),
                settings=json.dumps(settings, sort_keys=True),
            )
        return path.read_bytes()


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        shown = release_mean_shape(
            snakemake.input.shapes,
            snakemake.input.landmarks,
            snakemake.params.folder,
            snakemake.params.release,
            snakemake.params.shapes,
            snakemake.params.privacy,
        )
        marks.write(snakemake.output.mark, snakemake.params.folder, shown)
