"""Where a mechanism's class says that it is proved, and who inherits that."""

import pytest

from shapedp.base.errors import ConfigError
from shapedp.privacy import Gaussian, Proofs
from shapedp.privacy.proofs import LONGEST, OwnProofs, find_proofs


class Inherits(Gaussian):
    """Somebody's own, which says nothing of its proof."""

    name = "inherits"


class Proves(Gaussian):
    """Somebody's own, which does."""

    name = "proves"
    proofs = Proofs(moved=("Lemma 2", "test_lemma"), machine_checked=("4.1",))


def test_a_class_of_the_library_names_its_proofs():
    assert find_proofs(Gaussian) is Gaussian.proofs


def test_a_proof_of_the_library_is_not_inherited_by_a_class_of_somebody_else():
    assert find_proofs(Inherits) is None


def test_an_own_proof_is_that_of_the_class_and_no_machine_of_ours_checked_it():
    found = find_proofs(Proves)
    assert isinstance(found, OwnProofs)
    assert (found.moved, found.rounded, found.machine_checked) == (("Lemma 2", "test_lemma"), Proofs.rounded, ())


@pytest.mark.parametrize("place", ["", "two\nlines", "x" * (LONGEST + 1), 3, "\x1b[31m"])
def test_a_place_that_is_no_short_line_is_refused(place):
    with pytest.raises(ConfigError, match=r"proofs.moved: .* a line of at most 120 characters; see docs/extending.md"):
        Proofs(moved=(place, "test_lemma"))


def test_a_place_without_a_test_is_refused():
    with pytest.raises(ConfigError, match="name of the test"):
        Proofs(moved="Lemma 2")
