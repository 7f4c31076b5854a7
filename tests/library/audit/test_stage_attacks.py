"""Both stages of `shaped` at once: the pair moves each by all of its sensitivity; nothing beyond the claim shows."""

import numpy as np
import pytest

from shapedp.audit import curve_attacks
from shapedp.privacy import integer_sums, noise
from shapedp.privacy.learned.clips import SHORTEST


def test_the_pair_moves_both_stages_by_all_that_one_person_can():
    made = curve_attacks.make_two_stages()
    assert made.first > 0
    for stage in (curve_attacks._first_stage_integers(made), curve_attacks._second_stage_integers(made, SHORTEST)):
        apart = np.linalg.norm(np.subtract(*stage))
        assert 0.999 * integer_sums.SENSITIVITY < apart <= integer_sums.SENSITIVITY


def test_the_exact_distance_is_the_claim_of_both_and_more_than_that_of_one():
    claim, found = curve_attacks.measure_two_stages()
    made = curve_attacks.make_two_stages()
    assert 0.999 * claim < found <= claim
    assert found > made.bound * 1.01, "a first stage that nobody counted would be seen"


@pytest.mark.slow
def test_ratios_are_as_far_apart_as_claimed():
    """d' of the drawn log likelihood ratios. Noise leaves in doubt whether the bound is to be halved, and a wider one
    brings the two nearer: as near as where it is made .6 to 1 times as wide, and never farther apart than claimed.
    """
    made = curve_attacks.make_two_stages()
    first, second = curve_attacks.draw_two_stage_ratios(made, noise.SeededNoise(3), 1500)
    spread = np.sqrt((first.var() + second.var()) / 2)
    farther, nearer = (curve_attacks.measure_two_stages(scale)[1] for scale in (0.6, 1.0))
    assert nearer < (second.mean() - first.mean()) / spread < farther < made.mu


def test_the_loss_has_the_sign_of_the_data_set():
    first, second = curve_attacks.draw_two_stage_ratios(curve_attacks.make_two_stages(), noise.SeededNoise(1), 200)
    assert np.mean(first) < 0 < np.mean(second)
