"""What every mechanism is, for faces and for shapes: made from public settings for n records, then drawn once."""

from abc import ABC, abstractmethod

UNKNOWN = "unknown mechanism '{}'; known: {}"


class Mechanism(ABC):
    """A mechanism with its settings, before any record is read: all that it says of itself is public.

    Neighbours are two data sets of n records that differ in one. A subclass proves in its docstring how far one record
    moves the statistic, and says what a release states of it.
    """

    n: int

    calibration = "proved"  # or "as_published", where the published scale is no proof
    from_data = False  # whether the center and the bounds are taken from the records, as published forms do
    loose = 1.0  # times that a bound from a public set is taken
    shrunk = None  # (least, largest) public factor that draws a release towards its center, where one does
    solver = None  # tolerance of the solver, where the statistic is solved for and the sensitivity pays for its error

    @property
    @abstractmethod
    def name(self):
        """The word for it in the settings."""

    @property
    @abstractmethod
    def label(self):
        """What pictures call it, in a few words."""

    @property
    @abstractmethod
    def words(self):
        """What it does, in words."""

    @property
    @abstractmethod
    def formula(self):
        """Its sensitivity when one of n records is replaced, in words."""

    @property
    @abstractmethod
    def clipping(self):
        """How records are bound: `norm`, `joint_norm`, `range`, `ball`, or `none`."""

    @property
    @abstractmethod
    def sampler(self):
        """`discrete_gaussian` or `exact`."""

    @abstractmethod
    def cost(self):
        """What a release spends, as a Cost."""

    @abstractmethod
    def sensitivity(self):
        """The number that the noise is scaled to."""

    @abstractmethod
    def grid(self):
        """Step of the public grid that results lie on."""

    @abstractmethod
    def discretisation(self):
        """Relative error of mu by the grid that the noise is drawn on; 0 where there is none."""

    @abstractmethod
    def stated_bounds(self):
        """((name, value, unit), ...) of the bounds that records are held to."""

    @abstractmethod
    def noise_size(self):
        """Root mean square distance that the noise alone moves the statistic, from public numbers."""

    @abstractmethod
    def draw(self, records, source):
        """The statistic of the records with noise from the source: what is called once a release."""
