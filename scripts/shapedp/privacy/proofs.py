"""Where it is proved and tested that a mechanism keeps its guarantee: said by the mechanism's own class."""

from dataclasses import dataclass
from typing import Self

from shapedp.base.errors import ConfigError

FACTS = "moved", "rounded", "drawn"  # fields of Proofs that name a place and a test
LONGEST = 120  # characters of a place or a test, which stand in a row of a statement's table


@dataclass(frozen=True)
class Proofs:
    """Where three facts about a mechanism are proved and tested, each as (place of the proof, name of the test).

    A class of the library names sections of docs/mathematics.md; a class of somebody else names what its reader can
    look up, such as "Lemma 2 of doi:10.1000/182". A statement prints both.

    Parameters
    ----------
    moved : (str, str)
        How far one record moves what is asked.
    rounded : (str, str)
        What rounding does to that.
    drawn : (str, str)
        The law by which the noise is drawn.
    machine_checked : tuple of str
        Numbers of docs/proofs.md that the proof rests on and that a machine checked; of the library's classes alone.
    """

    moved: tuple[str, str]
    rounded: tuple[str, str] = ("4", "test_integer_sums")
    drawn: tuple[str, str] = ("4", "test_noise")
    machine_checked: tuple[str, ...] = ()

    def __post_init__(self):
        for fact in FACTS:
            words = getattr(self, fact)
            is_pair = isinstance(words, tuple) and len(words) == 2
            if not (is_pair and all(_is_short_line(word) for word in words)):
                raise ConfigError(
                    f"proofs.{fact}: {words!r} must be (place of the proof, name of the test), each a line of at "
                    f"most {LONGEST} characters; see docs/extending.md"
                )


class OwnProofs(Proofs):
    """Proofs of a mechanism that is no class of the library."""

    @classmethod
    def from_proofs(cls, proofs: Proofs) -> Self:
        """Return the Proofs that somebody's class says."""
        return cls(proofs.moved, proofs.rounded, proofs.drawn)


def find_proofs(mechanism: type) -> Proofs | None:
    """Return where a mechanism's guarantee is proved, for its statement; None where its class says nothing.

    A class of somebody else inherits none: what it changes of the library's class is in no proof of the library.
    """
    if mechanism.__module__.partition(".")[0] == "shapedp":
        return mechanism.proofs
    own = vars(mechanism).get("proofs")
    return None if own is None else OwnProofs.from_proofs(own)


def _is_short_line(word):
    return isinstance(word, str) and 0 < len(word) <= LONGEST and word.isprintable()
