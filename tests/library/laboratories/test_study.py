"""What a joint release guarantees against laboratories that conspire."""

import math

import pytest

from shapedp.base.errors import ConfigError
from shapedp.laboratories import study


def seen_by(mu, labs, conspiring):
    """[mu_c] of a release that promises mu against so many."""
    return study.list_mu_faced(study.find_mu_to_world(mu, labs, conspiring), labs)


def test_mu_is_promised_against_as_many_as_the_study_says():
    assert seen_by(1.0, 5, 2)[2] == pytest.approx(1.0)


def test_the_world_faces_less_and_all_others_more():
    seen = seen_by(2.0, 5, 2)
    assert seen[0] == pytest.approx(2 * math.sqrt(3 / 5))
    assert seen[4] == pytest.approx(2 * math.sqrt(3))
    assert len(seen) == 5 and seen == sorted(seen)


def test_what_conspirators_know_leaves_the_others_noise():
    """Noise of L - c shares of sigma_0^2/L each: mu_c = mu_0 sqrt(L/(L - c)), which is mu at c = t."""
    labs, conspiring, mu = 7, 3, 0.8
    world = study.find_mu_to_world(mu, labs, conspiring)
    for c, seen in enumerate(seen_by(mu, labs, conspiring)):
        assert seen == pytest.approx(world * math.sqrt(labs / (labs - c)))


def test_distance_to_one_discrete_gaussian_by_hand():
    """L = 2: tau = 10 exp(-pi^2 sigma^2)."""
    assert study.bound_log10_distance(3.0, 2) == pytest.approx(1 - 9 * math.pi**2 / math.log(10))


@pytest.mark.parametrize(("labs", "conspiring"), [(1, 0), (3, 3), (3, -1)])
def test_numbers_that_promise_nothing_are_refused(labs, conspiring):
    with pytest.raises(ConfigError):
        study.find_mu_to_world(1.0, labs, conspiring)
