"""What can be chosen in a registration. The levels and tolerances are properties of the method, not settings."""

from dataclasses import dataclass

SEARCHES = ("auto", "always", "never")


@dataclass(frozen=True)
class Level:
    """One grid of the coarse-to-fine sequence: its size, its largest basis and the smoothing of q, in disk radii."""

    rings: int
    angles: int
    basis: int
    sigma: float


LEVELS = (Level(24, 64, 60, 0.06), Level(32, 96, 100, 0.03), Level(64, 192, 1000, 0.0))
CHECK = (128, 384)  # grid of the final check of the Jacobian


@dataclass(frozen=True)
class Options:
    """levels : how many of the three grids are used, always ending with the finest
    basis : deformations of the disk on the finest grid, about
    regularisation : mu, weight of sum_k (lambda_k / lambda_1)^1.5 c_k^2 on the displacement's coefficients c
    search : over rotations of the disk; `auto` looks for one where the unturned face fits worse than a turned one
    """

    levels: int = 3
    basis: int = 500
    regularisation: float = 0.1
    search: str = "auto"

    def __post_init__(self):
        if not 1 <= self.levels <= len(LEVELS):
            raise ValueError(f"levels must be 1 to {len(LEVELS)}, got {self.levels}")
        if self.basis < 10 or not self.regularisation >= 0:
            raise ValueError(f"basis must be at least 10 and regularisation at least 0, got {self}")
        if self.search not in SEARCHES:
            raise ValueError(f"search must be one of {', '.join(SEARCHES)}, got {self.search!r}")

    def grids(self):
        """The levels from coarse to fine."""
        return LEVELS[-self.levels :]
