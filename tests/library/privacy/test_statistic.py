"""Sums of parts of a cohort are those of the whole, wherever they were taken; stages cost what they claim."""

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest

from library.privacy import chosen_records as chosen
from shapedp.base.errors import RefusedRelease
from shapedp.landmarks import outlines
from shapedp.privacy import noise
from shapedp.privacy.manifolds.projective import shape_of
from shapedp.privacy.shapes.base import Ball, as_real, polygon
from shapedp.privacy.statistic import BoundedSum, Rows, Sums
from shapedp.releases import curve_mechanisms, shape_mechanisms

CURVES = np.random.default_rng(1).normal(0, 0.1, (90, *chosen.FACE))
SHAPES = as_real(np.array([shape_of(one) for one in outlines.population(90, 3)[0]]))
P0 = shape_of(outlines.template())


def shape_mechanism(name):
    budget = {"mu_total": 40.0, "epsilon": 400.0}
    nothing = name == "private_center"
    ball = Ball(len(SHAPES), polygon(50) if nothing else P0, 0.2, 10, nothing_public=nothing)
    return shape_mechanisms.make(name, ball, budget)


def curve_mechanism(name):
    return chosen.made_curves(name, 8.0)  # enough for `shaped` to ask first


ALL = [
    *((curve_mechanism, name, CURVES) for name in curve_mechanisms.MECHANISMS),
    *((shape_mechanism, name, SHAPES) for name in shape_mechanisms.MECHANISMS),
]


def stages(mechanism, people):
    """(statistic, its answer) of every stage."""
    answers, source = (), noise.SeededNoise(2)
    while (statistic := mechanism.stage(answers)) is not None:
        answers = (*answers, statistic.noised(statistic.sums(people), source))
        yield statistic, answers[-1]


@pytest.mark.parametrize(("make", "name", "people"), ALL, ids=[name for _, name, _ in ALL])
def test_members_alone_enter_sums(make, name, people):
    """Of each statistic that a group whose members are private may be released by."""
    members = np.random.default_rng(6).random(len(people)) < 0.5
    for statistic, _ in stages(make(name), Rows.of(people)):
        rows = Rows(len(people), lambda a, b: people[a:b], members=members)
        if not isinstance(statistic, BoundedSum):
            with pytest.raises(RefusedRelease, match="cannot keep private who is in a group"):
                statistic.sums_over(rows)
            continue
        [found] = statistic.sums_over(rows).values
        each = [statistic.sums(Rows.of(people[[row]])).values[0] for row in np.flatnonzero(members)]
        assert np.array_equal(found, np.sum(each, axis=0))


def test_who_leaves_a_group_leaves_the_others_in_their_places():
    """Last bits of a product of matrices follow from a row's place: here all of what a row becomes does."""
    members = np.array([True, False, True, True, False])
    rows = Rows(5, lambda start, stop: np.arange(start, stop), members=members)
    assert Places().sums_over(rows).values[0] == 1 + 100 + 1
    members[0] = False
    assert Places().sums_over(rows).values[0] == 100 + 1


class Places(BoundedSum):
    """Powers of ten by a row's place among those that are made together."""

    width, at_once, noised, cost = 1, 3, None, None

    def integers(self, rows, beside=None):
        return 10 ** np.arange(len(rows))[:, None]


class Everybody(Places):
    """From outside: it sums whoever it is given."""

    def sums(self, people):
        return Sums((self.integers(people.all()).sum(axis=0),))


def test_a_statistic_that_sums_by_itself_never_gets_a_private_group():
    rows = Rows(2, lambda start, stop: np.arange(start, stop))
    assert Everybody().sums_over(rows).values[0] == 11
    with pytest.raises(RefusedRelease, match="`Everybody` cannot keep private who is in a group"):
        Everybody().sums_over(replace(rows, members=np.array([True, True])))
    with pytest.raises(TypeError, match="keeps private members private"):
        type("Open", (Places,), {"sums_over": Everybody.sums})


@pytest.mark.parametrize(("make", "name", "people"), ALL, ids=[name for _, name, _ in ALL])
def test_sums_of_parts_are_those_of_the_whole_in_another_process_too(make, name, people):
    asked = [statistic for statistic, _ in stages(make(name), Rows.of(people))]
    for statistic in asked:
        if not statistic.adds_up:
            continue
        statistic = pickle.loads(pickle.dumps(statistic))
        parts = [pickle.loads(pickle.dumps(statistic.sums(Rows.of(part)))) for part in np.split(people, [7, 40])]
        pooled = parts[0] + parts[1] + parts[2]
        whole = statistic.sums(Rows.of(people))
        assert all(one.dtype == np.int64 for one in pooled.values)
        assert all(np.array_equal(one, other) for one, other in zip(pooled.values, whole.values, strict=True))


@pytest.mark.parametrize(("make", "name", "people"), ALL, ids=[name for _, name, _ in ALL])
def test_the_costs_of_the_stages_compose_to_the_cost_of_the_release(make, name, people):
    made = make(name)
    squares = [statistic.cost().in_currencies()[0] for statistic, _ in stages(made, Rows.of(people))]
    assert math.fsum(squares) == pytest.approx(made.cost().in_currencies()[0], rel=1e-6)


def test_sums_of_another_statistic_are_refused():
    with pytest.raises(ValueError, match="argument 2 is longer"):
        Sums((np.zeros(2, np.int64),)) + Sums((np.zeros(2, np.int64), np.zeros(2, np.int64)))
