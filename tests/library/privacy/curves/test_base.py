"""Own mechanisms go on under the names that their methods had before."""

import numpy as np

from library.toys import TangentLaplace, Unsmoothed
from shapedp.privacy.curves import bounds
from shapedp.privacy.curves.base import CurveMechanism, CurveSettings


def test_a_class_from_scratch_may_define_the_older_names():
    class Older(CurveMechanism):
        def coordinates_of(self, curves):
            return curves

    assert "recover_coordinates" in CurveMechanism.__abstractmethods__
    assert "recover_coordinates" not in Older.__abstractmethods__
    assert Older.recover_coordinates is Older.coordinates_of


def test_what_an_own_class_overrides_by_an_older_name_is_what_a_release_calls():
    class Older(Unsmoothed):
        def settled(self, answers):
            return answers

        def corrected(self, mean_coordinates):
            return "a decoder of its own"

    made = Older(10, 1.0, 2.0, 1.0, *np.ones((4, 2, 3)))
    assert made.with_bound_from(("an answer",)) == ("an answer",)
    assert made.decoder_for(np.zeros(3)) == "a decoder of its own"


def test_a_class_for_shapes_goes_on_under_the_older_names_as_well():
    class Older(TangentLaplace):
        def simulated(self, rng):
            return "errors of its own"

    assert Older.simulate_error is Older.simulated


def test_an_own_class_may_extend_the_constructor_under_its_older_name():
    class Older(Unsmoothed):
        @classmethod
        def of(cls, settings):
            return super().of(settings), "extended"

    limits = bounds.from_numbers((1.0, 1.0, 1.0), 2)
    settings = CurveSettings((2, 3, 8), 10, limits, None, {"mu_total": 1.0}, {})
    made, word = Older.from_settings(settings)
    assert type(made) is Older
    assert word == "extended"
    assert np.array_equal(made.gain, Unsmoothed.from_settings(settings).gain)
