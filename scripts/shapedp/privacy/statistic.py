"""What is asked of people: sums, planned from public numbers alone, to which noise is added once.

A release asks one statistic, or one after the other: how far people lie and then their mean; a center, a radius and
then the mean about it. `Staged.stage` gives the next one from the noised answers so far and from nothing else, so that
each stage is planned from public numbers, and stages compose. Whoever holds part of the people can take the sums of
that part: sums of parts add up to those of the whole, without error, because they are sums of whole numbers.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.base.errors import RefusedRelease
from shapedp.privacy.accounting.cost import Cost
from shapedp.privacy.noise import SecureNoise, SeededNoise
from shapedp.privacy.proofs import Proofs, find_proofs

Source = SecureNoise | SeededNoise
# People read at a time.
ROWS = 256
# People, so that sums of |steps| <= 2^24 stay within 63 bits.
MOST = 1 << 38


def chunks(count: int, rows: int = ROWS) -> list[tuple[int, int]]:
    """Return (start, stop) of the rows to read at a time, so that a cohort need not lie in memory.

    Parameters
    ----------
    count : int
        How many rows there are.
    rows : int
        How many are read at a time.
    """
    return [(start, min(start + rows, count)) for start in range(0, count, rows)]


@dataclass(frozen=True)
class Rows:
    """Rows of a per-person array, which are read a few at a time: curves, landmarks, a difference within each.

    count : people; read : (start, stop) -> (stop - start, ...) their rows; beside : (count, ...) further numbers of
    each person, such as covariates or the logarithm of a size, or None; members : (count,) whose rows enter the sums,
    where that is private, or None for everybody's: then `sums_over` refuses whatever but a `BoundedSum`
    """

    count: int
    read: Callable[[int, int], NDArray]
    beside: NDArray | None = None
    members: NDArray[np.bool_] | None = None

    @classmethod
    def of(cls, rows: NDArray, beside: NDArray | None = None) -> "Rows":
        """Return the Rows of an array that lies in memory, in place of a file that is read a few at a time.

        Parameters
        ----------
        rows : (n, ...) array
            One a person.
        beside : (n, ...) array, or None
            Further numbers of each person.
        """
        return cls(len(rows), lambda start, stop: rows[start:stop], beside)

    def all(self) -> NDArray:
        """Return everybody's rows, read at once."""
        return self.read(0, self.count)


@dataclass(frozen=True)
class Sums:
    """Sums over people: arrays of int64, exact, so that those of parts of a cohort add up to those of the whole."""

    values: tuple[NDArray[np.int64], ...]

    def __add__(self, other: "Sums") -> "Sums":
        return Sums(tuple(ours + theirs for ours, theirs in zip(self.values, other.values, strict=True)))


class Statistic(ABC):
    """Sums over people, and the only draw of noise on them; one person moves the sums by a proved amount."""

    # False where no sum is taken: `sums` then holds the records, and parts of a cohort cannot be pooled.
    adds_up = True

    @abstractmethod
    def sums(self, people: Rows) -> Sums:
        """Return sums of whole numbers over people, whatever their records hold; a release asks for `sums_over`."""

    def __init_subclass__(cls, **named):
        super().__init_subclass__(**named)
        if "sums_over" in vars(cls):
            raise TypeError(
                f"{cls.__name__} overrides `sums_over`, which keeps private members private: override `sums`"
            )

    def sums_over(self, people: Rows) -> Sums:
        """Return the exact sums, as releases ask for them; refused where private members could show in them."""
        if people.members is not None and type(self).sums is not BoundedSum.sums:
            name = getattr(self, "name", type(self).__name__)
            raise RefusedRelease(
                f"`{name}` cannot keep private who is in a group: release a mean by `shaped`, `knorm` or "
                "`gaussian`, or set privacy.groups.membership to `public`"
            )
        return self.sums(people)

    @abstractmethod
    def noised(self, sums: Sums, source: Source) -> NDArray:
        """Return the answer: the sums with noise, in the statistic's own units."""

    @abstractmethod
    def cost(self) -> Cost:
        """Return what the answer spends."""


class BoundedSum(Statistic):
    """One sum over people, of rows of whole numbers no longer than a bound; noise is scaled to twice that.

    Only of such a statistic may it be private who enters it, docs/mathematics.md, (2.7) and (4.1). It makes everybody's
    rows and never learns who is a member; here those of who is none become 0, and the others' keep their places.
    """

    # People whose rows are made together.
    at_once = ROWS

    @property
    @abstractmethod
    def width(self) -> int:
        """Return how many whole numbers a person has."""

    @abstractmethod
    def integers(self, rows: NDArray, covariates: NDArray | None = None) -> NDArray[np.int64]:
        """Return whole numbers (b, width) of b people's rows, what is summed, bounded whatever these hold.

        Parameters
        ----------
        rows : (b, ...) array
            Of these people.
        covariates : (b, ...) array, or None
            What `Rows.beside` has of them.
        """

    def sums(self, people: Rows) -> Sums:
        """Return the exact sum; a subclass that takes it otherwise is refused a group whose members are private."""
        if people.count > MOST:
            raise RefusedRelease(f"n = {people.count} people; at most 2^38 can be averaged")
        total = np.zeros(self.width, dtype=np.int64)
        for first, last in chunks(people.count):
            rows = people.read(first, last)
            for start, stop in chunks(last - first, self.at_once):
                places = slice(first + start, first + stop)
                # everybody's rows are made alike; who is no member is taken out of the sum alone
                whole = self.integers(rows[start:stop], None if people.beside is None else people.beside[places])
                total += (whole if people.members is None else whole * people.members[places, None]).sum(axis=0)
        return Sums((total,))


@dataclass(frozen=True)
class FollowsFromAnswers:
    """What follows from noised answers, kept, since a release asks for it several times.

    most : how many to keep, those of one release
    """

    most: int
    _kept: dict = field(default_factory=dict)

    def find(self, answers: tuple, derive: Callable[[tuple], Any]) -> Any:
        """Return what `derive` makes of these very answers, made once.

        Parameters
        ----------
        answers : tuple
            The noised answers so far.
        derive : callable
            It takes them, and nothing else that changes.
        """
        key = tuple(np.asarray(answer).tobytes() for answer in answers)
        if key not in self._kept:
            result = derive(answers)
            if len(self._kept) >= self.most:
                self._kept.clear()
            self._kept[key] = result
        return self._kept[key]


class Staged(ABC):
    """What asks one statistic after the other, each planned from the noised answers before it."""

    @abstractmethod
    def stage(self, answers: tuple[NDArray, ...]) -> Statistic | None:
        """Return what to ask of people next, once earlier stages have these noised answers; None after the last."""


def ask(staged: Staged, people: Rows, source: Source, answers: tuple[NDArray, ...] = ()) -> tuple[NDArray, ...]:
    """Return the noised answers of all stages that a mechanism asks of people, after those that are there.

    Parameters
    ----------
    staged : Staged
        Which plans each stage.
    people : Rows
        Whose statistics are asked.
    source : SecureNoise or SeededNoise
        The noise.
    answers : tuple of arrays
        Of the first stages, where these were asked before.

    Returns
    -------
    tuple of arrays
        One a stage.
    """
    while (statistic := staged.stage(answers)) is not None:
        answers = (*answers, statistic.noised(statistic.sums_over(people), source))
    return answers


# What methods were called before, which classes of one's own may go on defining.
OLDER_NAMES = {
    "coordinates_of": "recover_coordinates",
    "corrected": "decoder_for",
    "draws": "noise_stages",
    "of": "from_settings",
    "settled": "with_bound_from",
    "simulated": "simulate_error",
    "uneven": "describe_far_people",
    "unlike": "differs_from_public_set",
}


class Mechanism(Staged, Statistic):
    """A mechanism with its settings, before any record is read: all that it says of itself is public.

    Neighbours are two data sets of n records that differ in one. A subclass proves in its docstring how far one record
    moves the statistic, and says what a release states of it. It is its release's only statistic, unless its `stage`
    asks for others first.
    """

    n: int

    name: str  # the word for it in the settings
    label: str  # what pictures call it, in a few words
    words: str  # what it does, in words
    formula: str  # its sensitivity when one of n records is replaced, in words
    clipping: str  # how records are bound: `norm`, `joint_norm`, `range`, `ball`, or `none`
    sampler: str  # `discrete_gaussian` or `exact`
    budgets: tuple[str, ...]  # the keys of `budget` of which it takes one
    learns = False  # whether it is made from what public people teach
    calibration = "proved"  # or "as_published", where the published scale is no proof
    exact_arithmetic = True  # whether the proof is of the bits released, or of real numbers that doubles stand for
    by_settings: tuple[str, ...] = ()  # names of stated bounds that no public set decides
    from_data = False  # whether the center and the bounds are taken from the records, as published forms do
    loose = 1.0  # times that a bound from a public set is taken
    shrunk = None  # (least, largest) public factor that draws a release towards its center, where one does
    proofs: Proofs | None = None  # where its guarantee is proved and tested; of its own class, not of a parent's
    solver = None  # tolerance of the solver, where the statistic is solved for and the sensitivity pays for its error

    def __init_subclass__(cls, **named):
        super().__init_subclass__(**named)
        for older, name in OLDER_NAMES.items():
            if older in vars(cls):
                setattr(cls, name, vars(cls)[older])

    def stage(self, answers: tuple) -> Any:
        """Return the mechanism itself, its only statistic, before it is answered."""
        return None if answers else self

    def conditions(self) -> dict[str, Any]:
        """Return what a statement's verdict on the guarantee rests on, fields of `statement.conditions.Facts`.

        None of it follows from a record.
        """
        return {
            "mechanism": self.name,
            "clipping": self.clipping,
            "sampler": self.sampler,
            "grid": self.grid(),
            "exact_arithmetic": self.exact_arithmetic,
            "calibration": self.calibration,
            "proofs": find_proofs(type(self)),
        }

    @abstractmethod
    def sensitivity(self) -> float:
        """Return the number that the noise is scaled to."""

    @abstractmethod
    def grid(self) -> float:
        """Return the step of the public grid that results lie on."""

    @abstractmethod
    def stated_bounds(self) -> tuple:
        """Return ((name, value, unit), ...) of the bounds that records are held to."""

    @abstractmethod
    def noise_size(self) -> float:
        """Return the root mean square distance that the noise alone moves the statistic, from public numbers."""

    @abstractmethod
    def draw(self, records: NDArray, source: Any) -> NDArray:
        """Return the statistic of the records with noise from the source: what is called once a release."""
