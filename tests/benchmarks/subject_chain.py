"""A study of a subject that is no face, from its scans to its registered cohort, and what is measured of it."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from benchmarks import bench_shaped, subject_populations
from library.domes import dome
from shapedp.app.forecast import comparison
from shapedp.base.settings import read_default, subjects
from shapedp.privacy import noise
from shapedp.privacy.curves.base import CurveSettings
from shapedp.privacy.statistic import Rows, ask
from shapedp.releases import curve_mechanisms
from shapedp.surfaces import curve_mesh, polar
from shapedp.surfaces.chain import quality, step, subject, subject_template, to_disk
from shapedp.surfaces.chain.step import ChainSettings
from shapedp.surfaces.chain.steps import STEPS
from shapedp.surfaces.registration import disk_transfer, srnf
from shapedp.surfaces.scans.scan import Scan

KEYS = ("template_as", "mesh", "surface", "extent", "curves", "registration", "gates", "marks", "times_public")
OF_FACES = ("face", "faces", "nose", "hair", "glasses", "collar")


def settings_of(word):
    """The settings of a study, as `shapedp new --subject` leaves them."""
    said = subjects.complete_faces({"subject": word})
    return {key: read_default(f"faces.{key}") for key in KEYS} | {"unit": "mm", "template": "template.ply", **said}


@dataclass(frozen=True)
class Study:
    """word : the subject; public, cohort : subject_populations.Specimen each."""

    word: str
    public: list
    cohort: list
    seed: int = 0

    @cached_property
    def settings(self):
        """Of its chain."""
        return settings_of(self.word)

    @cached_property
    def fields(self):
        """Of its own template, from its public specimens."""
        scans = scans_of(self.public, "public")
        vertices, triangles, _, _ = subject_template.build_mean(scans, self.word)
        face = to_disk.map_scan(Scan(vertices, triangles, ()), self.settings)
        return subject.template_fields(face, self.settings, scans) | {"public": 1, "source": ""}

    def curves(self, walked):
        """(J, 3, m) of a surface that is accepted, as its release has them."""
        made = self.settings["curves"]
        return curve_mesh.extract(walked.records["registered"]["f"], self.fields["radii"], made["samples"])

    def walk(self, scans):
        """The step.FaceRecord of scans."""
        return list(step.walk(scans, STEPS, ChainSettings(self.settings, self.fields)))

    @cached_property
    def walked(self):
        """Of its cohort."""
        return self.walk(scans_of(self.cohort, "own"))

    @cached_property
    def accepted(self):
        """(specimen, its FaceRecord) of those who are accepted."""
        pairs = zip(self.cohort, self.walked, strict=True)
        return [(specimen, one) for specimen, one in pairs if one.refusal is None]


def scans_of(specimens, name):
    """The step.Scan of each, in memory, in their order."""
    return [step.Scan(f"{name}_{at:03d}", Scan(one.vertices, one.triangles, ())) for at, one in enumerate(specimens)]


def points_of(walked):
    """(R, T, 3) the registered surface in the scan's own place and units."""
    found = walked.records["registered"]
    return found["f"] @ found["rotation"] * found["in_scan"][0] + found["in_scan"][1:]


def vertex_errors(accepted, canonical):
    """Mean distance, of each specimen, of its registered points from the places that correspond: those that the mean of
    all has there, on the canonical vertices (v, 3), since what a template's own points are nobody says.
    """
    corners = accepted[0][0].corners
    points = [points_of(one).reshape(-1, 3) for _, one in accepted]
    there = []
    for (specimen, _), own in zip(accepted, points, strict=True):
        at, weights = disk_transfer.find_closest(own, specimen.truth, corners)
        there.append(np.einsum("nk,nkc->nc", weights, canonical[corners[at]]))
    at, weights = disk_transfer.find_closest(np.mean(there, axis=0), canonical, corners)
    areas = polar.plain_areas(accepted[0][1].records["registered"]["f"]).ravel()
    wanted = [np.einsum("nk,nkc->nc", weights, specimen.truth[corners[at]]) for specimen, _ in accepted]
    off = [np.linalg.norm(one - own, axis=1) for one, own in zip(wanted, points, strict=True)]
    return np.array([(areas * one).sum() / areas.sum() for one in off])


def placed_on(points, others, weights=None):
    """Points (n, 3) put onto others, which correspond, by the best similarity."""
    w = np.ones(len(points)) if weights is None else weights
    w = w / w.sum()
    at, there = w @ points, w @ others
    a, b = points - at, others - there
    turn = srnf.best_rotation((b * w[:, None]).T @ a)
    size = np.einsum("nc,cd,nd->n", b, turn, a) @ w / (w @ (a**2).sum(axis=1))
    return (a @ turn.T) * size + there


def procrustes(shapes):
    """(v, 3) the mean of shapes (n, v, 3), each of its own size, turned and moved to it."""
    mean = shapes[0]
    for _ in range(3):
        mean = np.mean([placed_on(one, mean) / 1.0 for one in shapes], axis=0)
    return mean


def share(studies):
    """The share of all cohorts that is accepted."""
    return sum(len(one.accepted) for one in studies) / sum(len(one.cohort) for one in studies)


def wrong_words(studies):
    """How many reasons and notices of cohorts speak of a face."""
    said = []
    for study in studies:
        for one in study.walked:
            said += [one.refusal.reason] if one.refusal else []
            said += [one.records[name][field] for name, field in NOTICES if name in one.records]
    return sum(bool(set(text.lower().replace(".", " ").split()) & set(OF_FACES)) for text in said)


NOTICES = (("mesh", "notices"), ("registered", "registration_notice"))


def knees(seed, counts):
    """The Study of knees: the first ones are public."""
    rng = np.random.default_rng(seed)
    vertices, triangles = subject_populations.knees()
    made = [subject_populations.specimen(one, triangles, rng) for one in vertices[: sum(counts)]]
    return Study("patella", made[: counts[0]], made[counts[0] :], seed)


def terrain(seed, counts):
    """The Study of tiles of terrain."""
    rng = np.random.default_rng(seed)
    middles = subject_populations.tile_middles(sum(counts), np.random.default_rng(0))
    made = [subject_populations.tile(one, rng) for one in middles]
    return Study("terrain", made[: counts[0]], made[counts[0] :], seed)


def faces(seed, counts):
    """The Study of faces, of which nothing is known."""
    rng = np.random.default_rng(seed)
    vertices, triangles = subject_populations.faces(sum(counts), np.random.default_rng(0))
    made = [subject_populations.specimen(one, triangles, rng, subject_populations.OF_FACES) for one in vertices]
    return Study("visage", made[: counts[0]], made[counts[0] :], seed)


def patella_rows(studies, draws):
    """Yield what is measured of knees."""
    canonical = subject_populations.knees()[0].mean(axis=0)
    yield "patella", "accepted_share", share(studies), ""
    errors = [vertex_errors(one.accepted, canonical) for one in studies]
    yield "patella", "vertex_mm", float(np.mean(np.concatenate(errors))), "mm"
    yield "patella", "worst_vertex_mm", float(np.max(np.concatenate(errors))), "mm"
    yield "patella", "mean_surface_mm", float(np.mean([_mean_surface(one) for one in studies])), "mm"
    ratios = np.mean([released(one, draws) for one in studies], axis=0)
    yield "patella", "release_ratio", float(ratios[0]), "1"
    yield "patella", "release_to_public", float(ratios[1]), "1"
    yield "words", "wrong", wrong_words(studies), ""


def released(study, draws):
    """(error of a mean that is released over the sampling error, over the error of the public specimens' own mean).

    The population is what the registered cohort holds, whose mean is known: each release is of as many, drawn from it
    with replacement, with noise of its own, by the mechanism that a run takes for so many. Errors are
    root mean squares over the points and over the releases.
    """
    public = study.walk(scans_of(study.public, "public"))
    own, others = (
        np.array([study.curves(one) for one in walked if one.refusal is None]) for walked in (study.walked, public)
    )
    n, mean = len(own), own.mean(axis=0)
    variation, center = bench_shaped.variation_of(others, study.fields["curves"]), study.fields["curves"]
    budget = CurveSettings(center.shape, n, variation, center, {"mu_total": MU}, {})
    made, squares = curve_mechanisms.make_for_release("shaped", budget), []
    for draw in range(draws):
        # Each study has draws of its own: the same ones would count three times.
        people = own[np.random.default_rng([study.seed, draw]).integers(0, n, n)]
        answers = ask(made, Rows.of(people), noise.SeededNoise(DRAWN_APART * study.seed + draw))
        decoder = made.with_bound_from(answers[:-1]).decoder_for(answers[-1])
        squares.append(comparison.mean_squared_distance(decoder.decode(answers[-1]), mean))
    chance = np.mean([comparison.mean_squared_distance(one, mean) for one in own]) / n
    beside = comparison.mean_squared_distance(others.mean(axis=0), mean)
    return math.sqrt(np.mean(squares) / chance), math.sqrt(np.mean(squares) / beside)


MU = 1.0
DRAWN_APART = 1000  # seeds of noise between two studies


def _mean_surface(study):
    """Closest points of the mean of the registered from the cohort's true mean, root mean square, at the mean size."""
    found = [points_of(one).reshape(-1, 3) for _, one in study.accepted]
    truth = procrustes(np.array([specimen.truth for specimen, _ in study.accepted]))
    mean = procrustes(np.array(found))
    corners = study.cohort[0].corners
    for _ in range(10):  # closest points, put in place again
        at, weights = disk_transfer.find_closest(mean, truth, corners)
        nearest = np.einsum("nk,nkc->nc", weights, truth[corners[at]])
        mean = placed_on(mean, nearest)
    return np.sqrt(((mean - nearest) ** 2).sum(axis=1).mean())


def terrain_rows(studies):
    """Yield what is measured of terrain: the mean of the registered beside that of tiles as they were surveyed, each
    against the pointwise mean of the cohort over its common frame.
    """
    yield "terrain", "accepted_share", share(studies), ""
    ratios = []
    for study in studies:
        truth = np.mean([specimen.frame for specimen in study.cohort], axis=0)
        unregistered = np.mean([specimen.surveyed for specimen in study.cohort], axis=0)
        corners = study.cohort[0].corners
        mean = procrustes(np.array([points_of(one).reshape(-1, 3) for _, one in study.accepted]))
        found = _in_frame(mean, study.accepted[0][0])
        ratios.append(_surface_error(found, truth, corners) / _surface_error(unregistered, truth, corners))
    yield "terrain", "mean_ratio", float(np.mean(ratios)), ""


def _in_frame(points, specimen):
    """Points that stand as a tile of terrain does, in the frame that all tiles have in common: closest points on what
    is nearly flat do not tell by how much a surface is turned in its own plane.
    """
    truth, frame = specimen.truth - specimen.truth.mean(axis=0), specimen.frame - specimen.frame.mean(axis=0)
    return (points - specimen.truth.mean(axis=0)) @ srnf.best_rotation(frame.T @ truth).T + specimen.frame.mean(axis=0)


def _surface_error(points, truth, corners):
    """Root mean square distance of points from a true surface, after the best rigid motion by closest points."""
    mean = points - points.mean(axis=0) + truth.mean(axis=0)
    for _ in range(15):
        at, weights = disk_transfer.find_closest(mean, truth, corners)
        nearest = np.einsum("nk,nkc->nc", weights, truth[corners[at]])
        a, b = mean - mean.mean(axis=0), nearest - nearest.mean(axis=0)
        mean = a @ srnf.best_rotation(b.T @ a).T + nearest.mean(axis=0)
    return np.sqrt(((mean - nearest) ** 2).sum(axis=1).mean())


def face_rows(study):
    """Yield what is measured of faces of which nothing is known."""
    canonical, case = subject_populations.face_model()[0], f"faces_as_subject_{study.seed}"
    yield case, "accepted_share", share([study]), ""
    errors = vertex_errors(study.accepted, canonical)
    yield case, "vertex_mm", float(errors.mean()), "mm"
    yield case, "worst_vertex_mm", float(errors.max()), "mm"


def other_rows(knee, hill, visage, count):
    """Yield which share of other objects is accepted: knees among hills, hills among faces and knees, cut halves."""
    rng, walked = np.random.default_rng(0), []
    for study, others in ((hill, knee.cohort), (visage, hill.cohort), (knee, hill.cohort), (visage, knee.cohort)):
        walked += study.walk(scans_of(others[:count], "other"))
    for study in (knee, visage):
        halves = [
            _half(one, subject_populations.half(one.vertices, one.triangles, rng.standard_normal(3)))
            for one in study.cohort[:count]
        ]
        walked += study.walk(scans_of(halves, "half"))
    yield "other_objects", "passed_share", sum(one.refusal is None for one in walked) / len(walked), ""


def _half(specimen, cut):
    points, triangles = cut
    return subject_populations.Specimen(points, triangles, specimen.truth, specimen.corners)


WITHIN = 0.4  # of the least distance of public specimens, as the review has it


def alike_rows(studies):
    """Yield pairs of different specimens that the review would take for one, and rescans of one that it finds."""
    false = found = asked = 0
    for study in studies:
        looks = [polar.decimate(one.records["registered"]["f"]) for _, one in study.accepted]
        within = WITHIN * study.fields["specimens_apart"]
        false += len(list(quality.find_alike(np.array(looks), within)))
        rng = np.random.default_rng(100 + study.seed)
        again = [
            subject_populations.specimen(one.truth, one.corners, rng) for one, _ in study.accepted[: len(looks) // 2]
        ]
        for at, one in enumerate(study.walk(scans_of(again, "again"))):
            asked += 1
            if one.refusal is None:
                both = np.array([looks[at], polar.decimate(one.records["registered"]["f"])])
                found += len(list(quality.find_alike(both, within)))
    yield "alike", "false_pairs", false, ""
    yield "alike", "rescans_found", found / asked, ""


def dome_rows(size):
    """Yield the same of domes, which need no data: their share that is accepted, and of mirrored ones and bowls."""
    public, own = size.knees
    settings = settings_of("dome") | {"surface": {"rings": 48, "angles": 128}}
    face = to_disk.map_scan(_dome(0), settings)
    specimens = [step.Scan(f"public_{seed}", _dome(seed)) for seed in range(1, public + 1)]
    fields = subject.template_fields(face, settings, specimens) | {"public": 1, "source": ""}
    given = ChainSettings(settings, fields)
    scans = [step.Scan(f"own_{seed}", _dome(100 + seed)) for seed in range(own)]
    walked = list(step.walk(scans, STEPS, given))
    yield "dome", "accepted_share", sum(one.refusal is None for one in walked) / own, ""
    mirrored = [step.Scan(f"mirrored_{seed}", _dome(100 + seed, mirrored=True)) for seed in range(own)]
    passed = sum(one.refusal is None for one in step.walk(mirrored, STEPS, given))
    yield "other_objects", "passed_share", passed / own, ""


def _dome(seed, **options):
    points, triangles, _ = dome(seed, **options)
    return Scan(points, triangles, ())
