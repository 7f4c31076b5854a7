"""Covariates of people as numbers in [-1, 1], by public settings alone; whatever cannot be read is the public middle.

numeric    a = (x - middle)/reach, clamped: from the middle to either end of the public range, or, where a public mean
           and standard deviation are given, about the mean and 2.5 standard deviations far
two-level  the first level is -1, the second 1

Words are compared as people type them: without case and blanks, by a codebook's aliases, and by what they mean where
both levels have a built-in meaning. A decimal comma is read as what it is: a comma that separates cells never comes
here.
"""

import math
from dataclasses import dataclass

import numpy as np

from shapedp.base.errors import ArtifactError, ConfigError
from shapedp.base.settings import checks, schema
from shapedp.people import samples

# The covariate that every record of landmarks has: the logarithm of its centroid size.
SIZE = "log_size"
MEANINGS = tuple(  # words that laboratories write for the two levels of a covariate; those of a line mean the same
    frozenset(line.split())
    for line in (
        "f female w woman women girl weiblich frau frauen femme feminin féminin mujer femenino donna femmina",
        "m male man men boy männlich maennlich mann männer homme masculin hombre masculino uomo maschio",
        "yes y true t ja j oui o si sí 1",
        "no n false nein non 0",
        "left l links gauche izquierda",
        "right r rechts droite derecha",
    )
)
# Standard deviations from the public mean to the clamp.
REACH = 2.5


@dataclass(frozen=True)
class Covariate:
    """A column of people's sheets, coded to [-1, 1] by public settings.

    name : of the column; low, high : the public range, or -1 and 1 of a two-level one, whose `levels` are two words

    mean, sd : public guesses of how people lie in the range, or None; aliases : further words for the levels, (word,
    level) each, as the study's codebook has them
    """

    name: str
    low: float
    high: float
    levels: tuple = ()
    mean: float | None = None
    sd: float | None = None
    aliases: tuple = ()

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
    def ends(self):
        """Words for -1 and 1: its levels, or the ends of its reach."""
        return self.levels or tuple(f"{self.middle + sign * self.reach:g}" for sign in (-1, 1))

    @property
    def variance(self):
        """Return the coded value's variance by public numbers, from which forecasts tell how well an effect is known.

        Levels are half and half; a range is filled evenly, or by a normal law clamped.
        """
        if self.levels:
            return 1.0
        if self.sd is None:
            return 1 / 3
        c = self.reach / self.sd
        beyond, density = math.erfc(c / math.sqrt(2)), math.exp(-c * c / 2) / math.sqrt(2 * math.pi)
        return (1 - beyond - 2 * c * density) / c**2 + beyond

    def drawn(self, rng, count):
        """Return (count,) invented coded values, from public numbers alone, by which `bound_length` bounds people's."""
        if self.sd is None:
            return rng.uniform(-1, 1, count)
        return np.clip(rng.normal(0.0, self.sd / self.reach, count), -1, 1)

    def code(self, text):
        """Return the number in [-1, 1] for what a cell holds, NaN for what is no value."""
        # Clamped to the public range whatever the cell holds: the sensitivity counts on it.
        return float(np.clip((self._number(text) - self.middle) / self.reach, -1, 1))

    def coded(self, text):
        """Return the number in [-1, 1] for what a cell holds, 0 for what is no value."""
        code = self.code(text)
        return 0.0 if math.isnan(code) else code

    def value(self, text):
        """Return the number in [-1, 1] that stands for a value which a reader asks a model for; refuse what is none."""
        if self.reads(text):
            return self.coded(text)
        allowed = f"a number; the model knows {self.middle - self.reach:g} to {self.middle + self.reach:g}"
        raise ConfigError(f"{self.name}: found {str(text)[:40]!r}; give {' or '.join(self.levels) or allowed}")

    def describe(self, text):
        """Return a value that a reader asked for, in words, with what it counts as beyond the model's range."""
        end = self.middle + self.reach * self.value(text)
        beyond = not self.levels and not math.isclose(self._number(text), end, rel_tol=1e-9, abs_tol=1e-9 * self.reach)
        return f"{self.name} = {text}" + (
            f" (counts as {end:g}, the end of the range that the model knows)" if beyond else ""
        )

    def reads(self, text):
        """Tell whether a cell holds a value, rather than what counts as the middle."""
        return not math.isnan(self._number(text))

    def _number(self, text):
        """Return the number that a cell holds, or -1 or 1 of levels, which is then coded; NaN for what is no value.

        Of levels it is that of a word that is one of them, an alias, or means one level and not the other.
        """
        word = str(text).strip()
        if not self.levels:
            return samples.parse_number(word)
        typed, levels = _plain(word), [_plain(level) for level in self.levels]
        # The study's own codebook wins over what words mean elsewhere.
        typed = next((_plain(level) for alias, level in self.aliases if _plain(alias) == typed), typed)
        if typed in levels and levels[0] != levels[1]:
            return (-1.0, 1.0)[levels.index(typed)]
        # A word that both levels, or none of them, share a meaning with says nothing.
        meant = [{at for at, words in enumerate(MEANINGS) if word_form in words} for word_form in (typed, *levels)]
        shares_meaning = [bool(meant[0] & word_form) for word_form in meant[1:]]
        return math.nan if shares_meaning[0] == shares_meaning[1] else (-1.0, 1.0)[shares_meaning.index(True)]


def _plain(word):
    """Return a word without case and blanks."""
    return "".join(word.split()).casefold()


def list_unread(entries, cells):
    """Return {column: ids} of cells that count as the middle, because they are empty or hold what is no value.

    Whoever releases is told of them.

    Parameters
    ----------
    entries : mapping
        {name: range or levels, ...} of a release.
    cells : iterable of (id, {column: text})
        Of each record.
    """
    unread_ids = {}
    for covariate in from_settings(entries):
        if ids := [name for name, texts in cells if not covariate.reads(samples.read_cell(texts, covariate.name))]:
            unread_ids[covariate.name] = ids
    return unread_ids


def from_settings(entries):
    """Return the covariates of an entry {name: {range or levels, mean, sd}}, which code people's cells as numbers.

    They are in the order of their names.
    """
    covariates = []
    for name in sorted(entries):
        entry = entries[name]
        if "levels" in entry:
            aliases = tuple((str(word), level) for word, level in entry.get("aliases", {}).items())
            covariates.append(Covariate(name, -1.0, 1.0, tuple(entry["levels"]), aliases=aliases))
        else:
            ends = (entry["spline"][0], entry["spline"][-1]) if "spline" in entry else entry["range"]
            covariates.append(Covariate(name, *map(float, ends), mean=entry.get("mean"), sd=entry.get("sd")))
    return tuple(covariates)


def read_stated(settings):
    """Return the covariates that a release's public settings state, checked and as `from_settings` takes them.

    They are {name: {range or levels, mean, sd}}, stated by `state_entries`.
    """
    entries = {
        entry["name"]: {key: part for key, part in entry.items() if key != "name"} for entry in settings["covariates"]
    }
    # What a stranger's release states is checked by the schema of settings before it names files and columns.
    definitions = schema.load_schema()["$defs"]
    agreed = {key: definitions["covariates"][key] for key in ("propertyNames", "additionalProperties")}
    if faults := checks.find_faults(
        entries, {**agreed, "$defs": definitions}
    ):  # names become those of files and columns
        raise ArtifactError(f"the covariates of the release: {faults[0]}; ask whoever released it for the folder")
    return entries


# The quantile at which covariates are shortened, and of how many drawn people it is taken.
JOINT, DRAWN = 0.95, 20_000


def bound_length(covariates):
    """Return the public bound on the length of coded covariates, to which people's are cut and noise is scaled.

    It is that of all levels, and the JOINT quantile of the length of the others, were they unrelated and as public
    numbers say; at least 1, so that each alone has its whole range.
    """
    # A fixed seed: the bound is public and must come out alike everywhere.
    ranges, rng = [covariate for covariate in covariates if not covariate.levels], np.random.default_rng(0)
    if len(ranges) < 2:
        return math.sqrt(len(covariates))
    squares = np.sum([covariate.drawn(rng, DRAWN) ** 2 for covariate in ranges], axis=0)
    return math.sqrt(len(covariates) - len(ranges) + max(1.0, float(np.quantile(squares, JOINT))))


def state_entries(entries):
    """Return the covariates of an entry as the public settings of a release have them, a list."""
    return [{"name": name, **entries[name]} for name in sorted(entries)]


def code_known(covariates, cells, people):
    """Return (n, p) coded values, NaN where none of the person's cells holds one: public people without are left out.

    A person's several values are averaged.

    Parameters
    ----------
    covariates : sequence of Covariate
        The columns.
    cells : iterable of (person, {column: text})
        Of each record.
    people : sequence of str
        The rows.
    """
    rows = {person: row for row, person in enumerate(people)}
    total, count = np.zeros((2, len(people), len(covariates)))
    for person, texts in cells:
        if person in rows:
            codes = np.array([covariate.code(samples.read_cell(texts, covariate.name)) for covariate in covariates])
            total[rows[person]] += np.nan_to_num(codes)
            count[rows[person]] += ~np.isnan(codes)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def code_all(covariates, cells, people):
    """Return (n, p) coded values as a release takes them: 0, which is the middle, where a person has none.

    Parameters
    ----------
    covariates : sequence of Covariate
        The columns.
    cells : iterable of (person, {column: text})
        Of each record.
    people : sequence of str
        The rows.
    """
    return np.nan_to_num(code_known(covariates, cells, people))
