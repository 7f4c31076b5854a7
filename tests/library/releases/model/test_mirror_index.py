"""The asymmetry index: 0 for a face that is its mirror image wherever it lies, and in people as its norm says."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from library.releases.model.test_at_landmarks import SCALE, N, cohort, release
from shapedp.releases.model import assessment, mirror_index, norms
from shapedp.surfaces.human_face.distances import MEASURES, VERTICES

__all__ = ["cohort"]
NAMES = tuple(VERTICES)


def symmetric_face():
    """(l, 3) mm, left where right is with x of the other sign."""
    points = np.random.default_rng(1).normal(0, 40, (len(NAMES), 3))
    middle = [at for at, name in enumerate(NAMES) if not name.startswith(("right", "left"))]
    points[middle, 0] = 0.0
    for right, left in mirror_index.find_pairs(NAMES):
        points[left] = points[right] * [-1, 1, 1]
    return points


def test_a_face_that_is_its_mirror_image_has_none_wherever_it_lies():
    face = symmetric_face()
    turn = Rotation.from_euler("xyz", [10, 20, 30], degrees=True).as_matrix()
    operator = mirror_index.make_operator(NAMES, face @ turn.T + [5, 6, 7])
    assert mirror_index.measure_index(operator, face @ turn.T) == pytest.approx(0, abs=1e-9)
    assert mirror_index.measure_index(operator, 1.1 * face @ turn.T + [1, 2, 3]) == pytest.approx(0, abs=1e-9)


def test_what_is_pushed_out_on_one_side_counts_by_half():
    """One landmark of a pair 2 mm out: each of the pair is 1 mm from the mirror image's mean, but for what turns."""
    face = symmetric_face()
    operator, moved = mirror_index.make_operator(NAMES, face), face.copy()
    right, _ = mirror_index.find_pairs(NAMES)[0]
    moved[right, 0] += 2.0
    alone = np.sqrt(2 * 1.0**2 / len(NAMES))
    assert 0.6 * alone < mirror_index.measure_index(operator, moved) <= alone
    both = moved.copy()
    both[mirror_index.find_pairs(NAMES)[0][1], 0] -= 2.0
    assert mirror_index.measure_index(operator, both) == pytest.approx(0, abs=1e-9)


def test_too_few_pairs_give_no_index():
    assert mirror_index.make_operator(("nasion", "right alare", "left alare"), np.eye(3)) is None


def test_people_s_index_is_as_the_norm_says(cohort):
    """Mean, standard deviation and centiles, of a cohort whose members are known; a face gets its own centile."""
    curves, _ = cohort
    model, known = release(cohort, 3.0)
    known = replace(known, ends_of=MEASURES)
    norm = mirror_index.find_norm(model, known)
    operator = mirror_index.make_operator(NAMES, known.measures.points(model.reference))
    own = np.array([mirror_index.measure_index(operator, points) for points in known.measures.points(curves * SCALE)])
    assert norm.mean == pytest.approx(own.mean(), rel=0.05)
    assert norm.sd == pytest.approx(own.std(), rel=0.15)
    assert 0 < norm.mean_error < 0.5 * norm.mean
    for share in (0.1, 0.5, 0.9):
        assert norm.centile(np.quantile(own, share)) == pytest.approx(100 * share, abs=6)
    *_, row = assessment.measure(curves[0] * SCALE, model, {}, known.measures, known)
    assert (row.name, row.unit) == (mirror_index.NAME, "mm") and row.value == pytest.approx(own[0])
    assert row.centile == pytest.approx(100 * np.mean(own < own[0]), abs=6)
    assert len(own) == N and norm.row(1).count(",") == 2 + 1 + 4 + 2 * len(norms.CENTILES) - 1


def test_noise_on_the_mean_is_no_asymmetry_of_it(cohort):
    """Of few people with much noise the index is not larger than that of the same people without any."""
    curves, coded = cohort
    sure = mirror_index.find_norm(*release(cohort, 3.0))
    noisy = [mirror_index.find_norm(*release((curves[:200], coded[:200]), 0.5, seed=seed)) for seed in range(6)]
    assert np.mean([norm.mean for norm in noisy]) == pytest.approx(sure.mean, rel=0.2)
    assert noisy[0].mean_error > sure.mean_error
