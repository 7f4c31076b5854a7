"""The planner's choice: formulas by hand, more axes for more people, and shrinkage only where it pays."""

from dataclasses import replace

import numpy as np
import pytest

from library.privacy.learned import people
from shapedp.privacy.learned import face_learning, face_variation

VARIATION = people.variation(count=120)


def test_noise_by_hand():
    chosen = face_variation.choose(VARIATION, 300, 1.0)
    unit = 2 * chosen.tau / 300
    assert chosen.noise == pytest.approx(unit**2 * np.sum(chosen.filters**2 * np.sqrt(chosen.moments)))


def test_the_bound_is_the_quantile_of_held_out_norms():
    chosen = face_variation.choose(VARIATION, 300, 1.0)
    norms = np.linalg.norm(VARIATION.held_out[:, chosen.axes] / chosen.moments**0.25, axis=1)
    assert np.mean(norms <= chosen.tau * (1 + 1e-9)) == pytest.approx(0.95, abs=0.01)


def test_more_people_or_more_budget_release_more_axes():
    counts = [len(face_variation.choose(VARIATION, n, 1.0).axes) for n in (20, 300, 10_000)]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]
    assert len(face_variation.choose(VARIATION, 20, 15.0).axes) == len(
        face_variation.choose(VARIATION, 20, 15.0).filters
    )
    assert len(face_variation.choose(VARIATION, 20, 15.0).axes) >= counts[0]


def test_no_other_choice_that_was_tried_is_expected_to_be_better():
    chosen = face_variation.choose(VARIATION, 100, 1.0)

    def expected(one):
        return one.noise + face_variation.forecast_bias(VARIATION, one, 100, True)

    count = len(VARIATION.tried[1])
    tried = [
        face_variation.plan_at_index(VARIATION, 100, 1.0, at, phi) for at in range(count) for phi in (0.0, chosen.phi)
    ]
    assert expected(chosen) <= min(map(expected, tried)) / face_variation.WORTH**2 * (1 + 1e-12)


def test_everything_released_leaves_only_what_lies_outside():
    everything = face_variation.plan_at_index(VARIATION, 100, 1.0, -1, 0.0)
    assert len(everything.axes) == len(VARIATION.modes) + len(VARIATION.harmonics)
    pull = 1 / 100 + 1 / VARIATION.people
    assert face_variation.forecast_bias(VARIATION, everything, 100, False) == pytest.approx(
        VARIATION.outside.mean() * pull, rel=1e-5
    )


def test_shrinkage_comes_with_few_people_and_goes_with_many():
    unlike = replace(VARIATION, assumed_mean_shift=1.0)
    assert face_variation.choose(unlike, 20, 0.25).phi > 0
    assert face_variation.choose(unlike, 10_000, 0.25).phi == 0
    assert face_variation.choose(VARIATION, 10_000, 3.0).phi == 0


def test_who_expects_a_cohort_like_the_public_one_releases_less():
    few = face_variation.choose(replace(VARIATION, assumed_mean_shift=0.0, assumed_shift_outside_modes=0.0), 20, 1.0)
    many = face_variation.choose(replace(VARIATION, assumed_mean_shift=1.0), 20, 1.0)
    assert few.noise < many.noise


def of_harmonics(n):
    axes = face_variation.choose(VARIATION, n, 1.0).axes
    return int(np.sum(axes >= len(VARIATION.modes)))


def test_fast_harmonics_come_with_more_people_than_they_would_undoubted(monkeypatch):
    assert of_harmonics(300) == len(VARIATION.harmonics)
    monkeypatch.setattr(face_variation, "SLOW", 4)
    assert of_harmonics(300) == 4
    assert of_harmonics(1000) == len(VARIATION.harmonics)


def test_axes_and_fields_are_made_once_and_cannot_be_changed():
    known = replace(VARIATION)
    modes, harmonic = np.arange(3), np.array([len(known.modes)])
    copy = known.axes(modes)
    assert known.axes(modes.copy()) is copy
    np.testing.assert_array_equal(copy, known.modes[:3])
    np.testing.assert_array_equal(known.axes(harmonic), known.harmonics[:1])
    with pytest.raises(ValueError, match="read-only"):
        copy[0] = 0
    coordinates = np.array([1.0, -2.0, 0.5])
    field = known.lay_along(modes, coordinates)
    np.testing.assert_array_equal(field, np.tensordot(coordinates, copy, axes=1))
    assert known.lay_along(modes, coordinates.copy()) is field
    assert known.lay_along(modes, 2 * coordinates) is not field
    for last in range(4, 4 + face_variation.KEPT):
        known.axes(np.arange(last))
    assert known.axes(modes) is not copy


def test_few_public_people_s_variances_are_nearer_to_the_true_ones_once_they_fall_from_mode_to_mode():
    off = []
    for seed in range(12):
        known = people.variation(20, seed=100 + seed, modes=6, added=4)
        points = people.SHAPE[0] * people.SHAPE[2]
        along = known.modes.reshape(6, -1).astype(float) @ people.directions().reshape(6, -1).T / points
        true, falling = along**2 @ people.VARIANCES, known.falling_variances[:6]
        assert np.all(np.diff(falling) <= 0) and falling.sum() == pytest.approx(known.variances[:6].sum())
        np.testing.assert_array_equal(known.falling_variances[6:], known.variances[6:])
        off.append([np.sum(np.log(found / true) ** 2) for found in (known.variances[:6], falling)])
    plain, smoothed = np.mean(off, axis=0)
    assert smoothed < 0.9 * plain


def test_a_mode_that_is_there_for_the_public_mean_keeps_its_own_variance():
    moved = people.draw(60, 5) + 0.05 * people.directions()[3]
    found = face_learning.learn(people.reading(moved), 60, people.center(), 6, 4)
    known = replace(VARIATION, **vars(found))
    assert known.variances[0] < known.variances[1] < known.mean[0] ** 2
    falling = known.falling_variances[:6]
    least = face_variation.LEAST_SPREAD * known.moments[0]
    assert falling[0] == max(known.variances[0], least) and np.all(np.diff(falling[1:]) <= 0)
