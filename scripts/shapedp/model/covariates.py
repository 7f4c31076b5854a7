"""Covariates of people as numbers in [-1, 1], by public settings alone; whatever cannot be read is the public middle.

numeric    a = (x - middle)/reach, clamped: from the middle to either end of the public range, or, where a public mean
           and standard deviation are given, about the mean and 2.5 standard deviations far
two-level  the first level is -1, the second 1
"""

import math
from dataclasses import dataclass

import numpy as np

from shapedp.errors import ConfigError

REACH = 2.5  # standard deviations from the public mean to the clamp


@dataclass(frozen=True)
class Covariate:
    """name : of the column; low, high : the public range, or -1 and 1 of a two-level one, whose `levels` are two words

    mean, sd : public guesses of how people lie in the range, or None
    """

    name: str
    low: float
    high: float
    levels: tuple = ()
    mean: float | None = None
    sd: float | None = None

    @property
    def middle(self):
        """What counts for a value that is missing or cannot be read."""
        return (self.low + self.high) / 2 if self.mean is None else self.mean

    @property
    def reach(self):
        """How far from the middle the clamp lies."""
        half = (self.high - self.low) / 2
        return half if self.sd is None else min(REACH * self.sd, max(self.high - self.middle, self.middle - self.low))

    @property
    def variance(self):
        """Of the coded value among people, as public numbers tell: levels half and half, a range filled evenly, or a
        normal law clamped at the reach.
        """
        if self.levels:
            return 1.0
        if self.sd is None:
            return 1 / 3
        c = self.reach / self.sd
        beyond, density = math.erfc(c / math.sqrt(2)), math.exp(-c * c / 2) / math.sqrt(2 * math.pi)
        return (1 - beyond - 2 * c * density) / c**2 + beyond

    def coded(self, text):
        """The number in [-1, 1] for what a cell holds, 0 for what it should not hold."""
        found = self._number(text)
        return 0.0 if math.isnan(found) else float(np.clip((found - self.middle) / self.reach, -1, 1))

    def value(self, text):
        """The number in [-1, 1] for a value that a reader asks for; ConfigError if there is none."""
        found = self._number(text)
        if math.isnan(found):
            raise ConfigError(f"{self.name}: found {str(text)[:40]!r}; {self.allowed}")
        return float(np.clip((found - self.middle) / self.reach, -1, 1))

    @property
    def allowed(self):
        """What a value may be, in words."""
        if self.levels:
            return f"give {self.levels[0]} or {self.levels[1]}"
        return f"give a number; the model knows {self.middle - self.reach:g} to {self.middle + self.reach:g}"

    def _number(self, text):
        word = str(text).strip()
        if self.levels:
            return (-1.0, 1.0)[self.levels.index(word)] if word in self.levels else math.nan
        try:
            found = float(word)
        except ValueError:
            return math.nan
        return found if math.isfinite(found) else math.nan


def of_settings(asked):
    """Covariates of a release, {name: {range or levels, mean, sd}}, in the order of their names."""
    return tuple(_of(name, asked[name]) for name in sorted(asked))


def _of(name, given):
    if "levels" in given:
        return Covariate(name, -1.0, 1.0, tuple(given["levels"]))
    return Covariate(name, *map(float, given["range"]), mean=given.get("mean"), sd=given.get("sd"))


def table(covariates, cells, people):
    """(n, p) coded values; cells : (person, {column: text}) of each record; a person's several values are averaged."""
    rows = {person: row for row, person in enumerate(people)}
    total, count = np.zeros((len(people), len(covariates))), np.zeros((len(people), 1))
    for person, texts in cells:
        if person in rows:
            total[rows[person]] += [one.coded(texts.get(one.name, "")) for one in covariates]
            count[rows[person]] += 1
    return total / np.maximum(count, 1)
