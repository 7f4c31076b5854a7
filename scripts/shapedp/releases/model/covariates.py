"""Covariates of people as numbers in [-1, 1], by public settings alone; whatever cannot be read is the public middle.

numeric    a = (x - middle)/reach, clamped: from the middle to either end of the public range, or, where a public mean
           and standard deviation are given, about the mean and 2.5 standard deviations far
two-level  the first level is -1, the second 1

Words are compared as people type them: without case and blanks, by a codebook's aliases, and by what they mean where
both levels have a built-in meaning. A decimal comma is read as what it is: a comma that separates cells never comes
here.

Effects of covariates on coordinates and modes of variation follow from noised moments, with what privacy and sampling
leave uncertain: docs/mathematics.md, (12.3) to (12.6). A public floor of its eigenvalues makes M2 positive definite.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
import scipy

from shapedp.base.errors import ArtifactError, ConfigError
from shapedp.base.settings import checks, schema
from shapedp.people import samples
from shapedp.privacy.learned import noised_means
from shapedp.privacy.manifolds import axes as canonical

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
# Times chance, that an effect may be on a part of the axes: the 26 numbers c of (12.5).
LARGE = np.geomspace(1, 1e5, 26)
# Times that, along each axis for itself, and how often: an effect goes along few axes of a block.
UNEVEN, UNEVENLY = np.array([0.1, 1, 10]), np.array([0.25, 0.5, 0.25])
# Standard deviations of what is kept of an effect, that are stated as error on top.
CAREFULLY = 0.25
# Times the expected square of an effect's error, at most, that care makes it.
MOST_CARE = 1.25
# Of what is put back of an effect is what it may err by: public people stand for these.
DOUBT = 0.3
# Of people's variance that an effect accounts for, before anything is seen of it: a public guess, by which some 95 % of
# the intervals at levels held in releases of simulated people.
SMALL = 0.004
# Share of the chance in an effect that is taken off it like noise: what is wanted holds of all people.
BY_CHANCE = 0.5
# Turns in which the sizes of effects are found; the largest share that counts as less than all.
TURNS, ALL = 5, 1 - 1e-9
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


@dataclass(frozen=True)
class Effects:
    """coefficients B (1 + p, q); average (1 + p,) of z; inverse of M2 (1 + p, 1 + p); s1, s2 noise on entries of M1,
    M2; residual (q, q) covariance of people about the effects; raw (q', q') of the leading coordinates as it was
    released, eigenvalues below 0 and all: on average it is true, where what is made positive is too large; drawn
    (1 + p, q) B before any noise was taken off; left (1 + p, 1 + p, q) : covariances in each coordinate of what is left
    of the noise on M1, in the mean of everybody (0) and in the effects, as `noise_parts` has them; likely (p, p, q) :
    covariances of what effects are expected to err by, noise and chance together, None where no noise was taken off
    """

    coefficients: np.ndarray
    average: np.ndarray
    inverse: np.ndarray
    s1: float
    s2: float
    residual: np.ndarray
    raw: np.ndarray
    drawn: np.ndarray
    left: np.ndarray
    likely: np.ndarray | None = None


def noise_parts(average, inverse, s1):
    """Return the covariance H (1 + p, 1 + p) that the release's noise gives to everybody's mean (0) and to each effect.

    Readers of a model compute from it how far noise may have moved the mean at covariates z: its variance in each
    coordinate is a'Ha, where a = `weigh_mean_and_effects`(z, average); that is s1^2 |M2^-1 z|^2.

    Parameters
    ----------
    average : (1 + p,) array
        The mean of everybody's covariates z, of which the first is 1.
    inverse : (1 + p, 1 + p) array
        The inverse of M2, the noised second moments of z.
    s1 : float
        Standard deviation of the noise on entries of M1, the moments of z with the coordinates.
    """
    root = np.concatenate([[average], np.eye(len(average))[1:]]) @ inverse
    return s1**2 * (root @ root.T)


def weigh_mean_and_effects(contrast, average):
    """Return weights (1 + p,) by which the mean of everybody and the effects add up to the mean at z.

    By them the errors of these, which the release knows, become the error of the mean at z.

    Parameters
    ----------
    contrast : (1 + p,) array
        z = (1, covariates), or a difference of two.
    average : (1 + p,) array
        The average of z over everybody.
    """
    return np.concatenate([contrast[:1], contrast[1:] - contrast[0] * average[1:]])


def quadratic(g, s2):
    """Return Q (1 + p, 1 + p), what noise on the covariates' moments adds to the error of a mean or an effect: (12.3).

    Errors that readers of a model and its comparisons state count it. Noise E on the moments M2 moves a contrast g'B of
    effects B by g'E B, whose covariance is B'QB.

    Parameters
    ----------
    g : (1 + p,) array
        M2^-1 times a contrast.
    s2 : float
        Standard deviation of the noise on entries of M2.
    """
    q = s2**2 / 2 * (g @ g * np.eye(len(g)) + np.outer(g, g))
    q[0, 0] -= s2**2 * g[0] ** 2
    return q


def fit_effects(m1, m2, m3, noise, n, public_variances):
    """Return Effects, how covariates such as age move people's shapes, by regression from a release's noised moments.

    Parameters
    ----------
    m1, m2, m3 : (1 + p, q), (1 + p, 1 + p), (q', q') float
        The noised moments.
    noise : (3,) float
        Standard deviations on their entries.
    n : int
        People.
    public_variances : (q,) float
        Of coordinates in the public set, for those that M3 does not cover.
    """
    s2 = noise[1] if np.isfinite(noise[1]) else 0.0
    # Noise may leave M2 eigenvalues near 0, by which effects would be divided; a public floor stands for these.
    values, vectors = np.linalg.eigh(m2)
    inverse = (vectors / np.maximum(values, least_moment(s2, len(m2), n))) @ vectors.T
    b = inverse @ m1
    leading = len(m3)
    raw = (m3 - b[:, :leading].T @ m2 @ b[:, :leading]) / n
    values, vectors = np.linalg.eigh(raw)
    residual = np.diag(np.asarray(public_variances, dtype=float))
    residual[:leading, :leading] = (vectors * np.maximum(values, 0)) @ vectors.T
    # The square of noised effects takes off more than the effects account for: on average by this.
    raw = raw + noise[0] ** 2 * np.trace(inverse) / n * np.eye(leading)
    average, s1 = m2[0] / n, float(noise[0])
    left = np.tile(noise_parts(average, inverse, s1)[:, :, None], b.shape[1])
    return Effects(b, average, inverse, s1, float(s2), residual, raw, b, left)


def take_off_noise(fitted, spread, parts):
    """Return the Effects to publish, shrunk so that noise and chance are not taken for effects of covariates.

    Noise and chance are taken off all effects together, as far as these do not say that they are large themselves. What
    is wanted of effects holds of all people, so that BY_CHANCE of their chance, spread M2^-1, is taken off like noise.
    Errors of effects of covariates that go together are nearly opposite, and what is kept of one depends on how large
    the others are. The mean of everybody stays. See docs/mathematics.md, (12.5).

    Parameters
    ----------
    fitted : Effects
        As they were drawn.
    spread : (q,) float
        Public variances of people's coordinates.
    parts : list of (k,) int
        `noised_means.alike`, along which effects may be large alike.
    """
    of_effects, by_m1 = fitted.inverse[1:, 1:], noise_parts(fitted.average, fitted.inverse, fitted.s1)
    chance = spread[:, None, None] * of_effects
    moments = fitted.inverse[1:], fitted.drawn, fitted.s2
    # Noise makes effects look larger, and with them what the noise on M2 does to them. Shrinkage counts that in full:
    # of small effects it then keeps less, which errs less. What is stated does not count it.
    likely_second = by_noised_effects(*moments, fitted.s1 * fitted.inverse)
    errors, likely_errors = (chance + by_m1[1:, 1:] + second for second in (by_second_moment(*moments), likely_second))
    unit = spread[:, None] / np.diag(np.linalg.inv(of_effects))
    sizes, largest = map(_diagonal, _estimate_sizes(fitted.drawn[1:].T, errors, unit, parts))
    shrinkage, careful_shrinkage = (
        (size + (1 - BY_CHANCE) * chance) @ np.linalg.inv(size + errors) for size in (sizes, largest)
    )
    expected_errors = _find_expected_errors(fitted, likely_errors, spread, shrinkage)
    b = fitted.drawn.copy()
    b[1:] = np.einsum("qkl,lq->kq", shrinkage, fitted.drawn[1:])
    b[0] = fitted.average @ fitted.drawn - fitted.average[1:] @ b[1:]
    elsewhere = chance + likely_second
    careful = careful_shrinkage @ by_m1[1:, 1:] - (2 - BY_CHANCE) * (chance - careful_shrinkage @ chance)
    stated = _limit_care(careful + elsewhere, expected_errors)
    noise_left = _find_noise_left(by_m1, careful_shrinkage, stated - elsewhere)
    return replace(fitted, coefficients=b, left=noise_left, likely=np.moveaxis(expected_errors, 0, -1))


def by_second_moment(g, b, s2):
    """Return (q, c, c) what the noise on M2 adds to the errors of contrasts of effects, which must be stated: (12.3).

    It is of each coordinate by itself.

    Parameters
    ----------
    g : (c, 1 + p) float
        M2^-1 times each contrast.
    b : (1 + p, q) float
        The effects.
    s2 : float
        Standard deviation of the noise on entries of M2.
    """
    along, first = (g @ b).T, np.outer(g[:, 0], g[:, 0])
    squares, of_first = np.sum(b**2, axis=0)[:, None, None], b[0][:, None, None] ** 2
    return s2**2 / 2 * (squares * (g @ g.T) + along[:, :, None] * along[:, None]) - s2**2 * of_first * first


def by_noised_effects(g, b, s2, root, lengths=1.0):
    """Return (q, c, c) what the noise on M2 adds to the errors of contrasts, when the effects are noised themselves.

    It grows with the squares of the effects, to which their own noise adds. That is taken off, so that the sum over the
    coordinates is right on average; what is less than nothing along one of them counts as nothing.

    Parameters
    ----------
    g : (c, 1 + p) array
        M2^-1 times each contrast.
    b : (1 + p, q) array
        Coefficients as they were drawn.
    s2 : float
        Standard deviation of the noise on entries of M2.
    root : (1 + p, r) array
        Whose product with itself is the covariance of the noise on coefficients of a coordinate of length 1.
    lengths : (q,) array, optional
        Of the coordinates.
    """
    as_drawn, lengths = by_second_moment(g, b, s2), np.broadcast_to(lengths, b.shape[1])
    added = sum(by_second_moment(g, np.outer(column, lengths), s2) for column in root.T)
    drawn_traces, added_traces = (np.trace(part, axis1=1, axis2=2) for part in (as_drawn, added))
    kept = keep_sum(drawn_traces - added_traces)
    shares = np.divide(kept, drawn_traces, out=np.zeros_like(kept), where=drawn_traces > 0)
    return as_drawn * shares[:, None, None]


def keep_sum(values):
    """Return (q,) noised variances with those below 0 as 0, the others smaller by as much: their sum keeps its mean.

    `by_noised_effects` has them by taking off what noise adds. A sum below 0 becomes 0.
    """
    positive = np.maximum(values, 0.0)
    whole = float(positive.sum())
    return positive * (max(float(values.sum()), 0.0) / whole) if whole > 0 else positive


def _estimate_sizes(effects, errors, unit, parts):
    """Return how large each effect likely is along each axis, by which `take_off_noise` shrinks it, and the largest.

    Both are variances; by the second one the noise left is stated with care. What is seen of an effect follows from all
    of them by generalised least squares, the others being as large as they are likely to be; at first they may be as
    large as any.

    Parameters
    ----------
    effects : (q, p) float
        As seen.
    errors : (q, p, p) float
        Their covariances.
    unit : (q, p) float
        The least variance to be expected.

    Returns
    -------
    sizes, careful : (q, p) float
    """
    sizes, careful = LARGE[-1] * unit, np.empty_like(unit)
    for _ in range(TURNS):
        for k in range(effects.shape[1]):
            others = sizes * (np.arange(effects.shape[1]) != k)
            weights = np.linalg.inv(errors + _diagonal(others))[:, k]
            noise = 1 / weights[:, k]
            estimate = np.sum(weights * effects, axis=1) * noise
            size_grid = unit[:, k] * LARGE[:, None, None] * UNEVEN[:, None]
            shares, doubt = noised_means.find_likely_shares(estimate, size_grid, noise, parts, UNEVENLY)
            careful_shares = noised_means.find_error_shares(shares, doubt, estimate / np.sqrt(noise), CAREFULLY)
            sizes[:, k], careful[:, k] = (
                noise * share / (1 - np.minimum(share, ALL)) for share in (shares, careful_shares)
            )
    return sizes, careful


def _expected_sizes(fitted, errors, spread):
    """Return (q, p) expected squares of effects, by which `take_off_noise` tells how far shrunk effects err.

    They never decide how far to shrink. Along each axis as much is expected as people's variance says. The sum over the
    axes is known as b'b less its errors (q, p, p), with their chance; beforehand it is expected to account for SMALL of
    people's variance, spread (q,), and any size below is likelier than any above (an exponential law).
    """
    of_effects, error_variances = fitted.drawn[1:].T, np.einsum("qkk->qk", errors)
    people = np.linalg.inv(fitted.inverse)[0, 0]
    prior = SMALL * people * np.diag(fitted.inverse)[1:]
    # A square varies with the noise on it and with the effect's own direction: an axis tells as much of the size as
    # people's variance stands above both, so that the many axes with hardly any do not drown what the others say.
    variances = error_variances + prior * spread[:, None]
    weights = spread[:, None] / variances**2
    in_all = np.sum(weights * spread[:, None], axis=0)
    ratio = np.sum(weights * (of_effects**2 - error_variances), axis=0) / in_all
    chance = np.sqrt(2 * np.sum((weights * variances) ** 2, axis=0)) / in_all
    standardised = ratio / chance - chance / prior
    tail = scipy.special.log_ndtr(standardised) + standardised**2 / 2
    return spread[:, None] * chance * (standardised + np.exp(-tail) / np.sqrt(2 * np.pi))


def _find_expected_errors(fitted, errors, spread, shrinkage):
    """Return covariances (q, p, p) by which shrunk effects err, that `take_off_noise` states of what it publishes.

    How much was kept of an effect depends on how large it was seen, so that errors are those of effects that were seen
    so: what remains open of effects of the size expected, and how far the likeliest lie from those that are published.

    Parameters
    ----------
    fitted : Effects
        As they were drawn.
    errors : (q, p, p) array
        Their covariances.
    spread : (q,) array
        Public variances of people's coordinates.
    shrinkage : (q, p, p) array
        By which effects are published.
    """
    sizes = _diagonal(_expected_sizes(fitted, errors, spread))
    likeliest = sizes @ np.linalg.inv(sizes + errors)
    away = np.einsum("qkl,lq->qk", likeliest - shrinkage, fitted.drawn[1:])
    return sizes - likeliest @ sizes + away[:, :, None] * away[:, None]


def _find_noise_left(by_m1, kept, effects_noise):
    """Return (1 + p, 1 + p, q) what `take_off_noise` states of noise in the overall mean and in the effects.

    It is a covariance: the error that a release states for any covariates beside what is counted elsewhere, by chance
    and by noise on M2. Of effects, after these were shrunk by `kept` (q, p, p), it is effects_noise (q, p, p), and
    never smaller than what the noise of the overall mean, which is not shrunk, implies.
    """
    with_mean = kept @ by_m1[1:, 0]
    shared = with_mean[:, :, None] * with_mean[:, None] / max(by_m1[0, 0], np.finfo(float).tiny)
    values, vectors = np.linalg.eigh((effects_noise + effects_noise.transpose(0, 2, 1)) / 2 - shared)
    effects_alone = (vectors * np.maximum(values, 0)[:, None]) @ vectors.transpose(0, 2, 1)
    noise_left = np.tile(by_m1[:, :, None], len(kept))
    noise_left[1:, 0] = noise_left[0, 1:] = with_mean.T
    noise_left[1:, 1:] = np.moveaxis(effects_alone + shared, 0, -1)
    return noise_left


def _limit_care(careful, expected):
    """Return covariances (q, p, p) of errors, from expected ones to MOST_CARE times these in any direction.

    Within that they are the careful ones. Where hardly anything was kept of an effect these are of the largest that
    noise could hide, many times as large as is likely.
    """
    careful, expected = (part / 2 + part.transpose(0, 2, 1) / 2 for part in (careful, expected))
    # rounding may leave an expected square hardly below 0 where covariates nearly always go together
    traces = np.trace(expected, axis1=1, axis2=2)[:, None, None]
    root = np.linalg.cholesky(expected + 1e-9 * traces * np.eye(expected.shape[-1]))
    turned = np.linalg.solve(root, np.linalg.solve(root, careful).transpose(0, 2, 1))
    values, vectors = np.linalg.eigh(turned)
    half = root @ vectors * np.sqrt(np.clip(values, 1.0, MOST_CARE))[:, None]
    return half @ half.transpose(0, 2, 1)


def _diagonal(sizes):
    """Return (q, p, p) with the rows of sizes (q, p) on the diagonals."""
    return sizes[:, :, None] * np.eye(sizes.shape[1])


def with_mean(fitted, moved, errors):
    """Return the same Effects with everybody's mean moved back by what the clip took from it, as a model releases them.

    Parameters
    ----------
    fitted : Effects
        As the clip left them.
    moved : (q,) array
        By how much the mean is moved.
    errors : (q,) array
        By how much it errs then.
    """
    b, drawn, left = fitted.coefficients.copy(), fitted.drawn.copy(), fitted.left.copy()
    b[0] += moved
    drawn[0] += moved
    left[0, 0] = np.maximum(left[0, 0], errors**2)
    return replace(fitted, coefficients=b, drawn=drawn, left=left)


def with_effects_put_back(fitted, shares_left):
    """Return the same Effects of all people, where a clip left so much of each: a release shows them as long as before.

    The mean of everybody stays. Errors grow with the effects, and DOUBT of what is put back is one.

    Parameters
    ----------
    fitted : Effects
        As the clip left them.
    shares_left : (p,) array
        Of each effect's length.
    """
    b, left, times = fitted.coefficients.copy(), fitted.left.copy(), np.append(1.0, 1 / shares_left)
    b[1:] *= times[1:, None]
    b[0] = fitted.average @ fitted.coefficients - fitted.average[1:] @ b[1:]
    doubts = DOUBT * (1 - shares_left)[:, None] * b[1:]
    doubt_squares, grown = doubts[:, None] * doubts, np.outer(times, times)
    chance = fitted.inverse[1:, 1:, None] * np.diag(fitted.residual)
    left *= grown[:, :, None]
    left[1:, 1:] += (grown[1:, 1:, None] - 1) * chance + doubt_squares
    likely = None if fitted.likely is None else grown[1:, 1:, None] * fitted.likely + doubt_squares
    return replace(fitted, coefficients=b, left=left, likely=likely)


def least_moment(s2, count, n):
    """Return the least eigenvalue that M2 is taken to have, so that noise cannot make effects divide by 0; public.

    It is what noise on the entries of M2 reaches.

    Parameters
    ----------
    s2 : float
        Standard deviation of the noise on entries of M2.
    count : int
        Its rows.
    n : int
        People.
    """
    return max(s2 * np.sqrt(count), 1e-6 * n)


# A mode is shown above this quantile, so that at most 5 % of releases show one where nobody varies (the quantile itself
# is simulated); draws of noise for it, and for how modes turn.
QUANTILE, SIMULATED, AGAIN = 0.98, 2000, 100
# Of people along a mode, where no public people tell it.
NORMAL_KURTOSIS = 3.0


@dataclass(frozen=True)
class Modes:
    """All axes (q', q') in the coordinates u, the widest first, sd (q',) in the surface's unit, 0 where negative.

    floor : sd that noise alone reaches; sd_noise (q',) : of each sd by noise; sd_errors (q',) : by how much each sd
    errs, noise and chance in who takes part and, once a model states it, the clip; kept (q',) mean cosine between an
    axis and itself after as much noise once more; shown : how many stand above the noise; covariance (q', q') of
    everybody along the public axes, noised, in the surface's unit
    """

    axes: np.ndarray
    sd: np.ndarray
    floor: float
    sd_noise: np.ndarray
    sd_errors: np.ndarray
    kept: np.ndarray
    shown: int
    covariance: np.ndarray

    def with_people(self, n, kurtosis, left):
        """Return the same Modes, whose errors count how n people differ and what the clip may have taken: (12.10).

        A model states them of each mode's standard deviation.

        Parameters
        ----------
        n : int
            People.
        kurtosis : (q',) float
            Of people along each axis.
        left : (q',) float
            Share of their standard deviation along it, that the clip left.
        """
        chance = self.sd * np.sqrt(np.maximum(kurtosis - 1, 0) / (4 * n))
        taken = self.sd * (1 / left - 1)
        return replace(self, sd_errors=np.sqrt(self.sd_noise**2 + chance**2 + taken**2))


def find_modes(m1, m3, noise, n, back):
    """Return the Modes, the directions in which people vary most, of noised moments, and which stand above the noise.

    How far as much noise again would turn them says how much of each direction is kept.

    Parameters
    ----------
    m1, m3 : (1 + p, q), (q', q') float
        The noised moments.
    noise : (3,) float
        Standard deviations on entries of M1, M2 and M3.
    n : int
        People.
    back : (q',) float
        Length of each coordinate on the surface.
    """
    leading = len(m3)
    mean, s = m1[0, :leading] / n, noise[0] / n
    covariance = m3 / n - np.outer(mean, mean) + s**2 * np.eye(leading)
    released = back[:, None] * covariance * back
    values, vectors = canonical.decompose(released)

    axes, sd = vectors[:, ::-1], np.sqrt(np.maximum(values[::-1], 0))
    sizes, cosines = [], []
    # How much a mode turns under as much noise again tells how much of its direction is kept.
    for noise_matrix in _symmetric(noise[2] / n, back, np.random.default_rng(1), AGAIN):
        values, turned = np.linalg.eigh(released + noise_matrix)
        sizes.append(np.sqrt(np.maximum(values[::-1], 0)))
        cosines.append(np.abs(np.einsum("ik,ik->k", axes, turned[:, ::-1])))
    floor, sd_noise = float(np.sqrt(noise_floor(noise[2] / n, back, mean, s))), np.std(sizes, axis=0)
    modes = Modes(
        axes=(axes / back[:, None]).T,
        sd=sd,
        floor=floor,
        sd_noise=sd_noise,
        sd_errors=sd_noise,
        kept=np.mean(cosines, axis=0),
        shown=int(np.sum(sd > floor)),
        covariance=released,
    )
    return modes.with_people(n, np.full(leading, NORMAL_KURTOSIS), np.ones(leading))


def noise_floor(sd, back, mean, s):
    """Return how large noise alone makes the largest eigenvalue, at the QUANTILE: modes above it are shown, (12.4).

    Parameters
    ----------
    sd : float
        Of the noise on M3/n.
    back : (q',) float
        Length of each coordinate on the surface.
    mean : (q',) float
        The noised mean, whose length beyond that of the noise is taken for where all people lie.
    s : float
        Of the noise on its entries.
    """
    rng, size = np.random.default_rng(0), len(back)
    mean_place = mean * np.sqrt(max(0.0, 1 - size * s**2 / max(mean @ mean, 1e-300)))
    of_mean = s * rng.standard_normal((SIMULATED, size))
    cross_terms = (of_mean / 2 + mean_place)[:, :, None] * of_mean[:, None, :]
    noise_matrices = _symmetric(sd, back, rng, SIMULATED)
    noise_matrices += back[:, None] * (s**2 * np.eye(size) - cross_terms - cross_terms.transpose(0, 2, 1)) * back
    return float(np.quantile(np.linalg.eigvalsh(noise_matrices)[:, -1], QUANTILE))


def _symmetric(sd, back, rng, count):
    """Return (count, q', q') draws of D N D, N symmetric noise."""
    normals = rng.normal(0.0, sd / np.sqrt(2), (count, len(back), len(back)))
    return back[:, None] * (normals + normals.transpose(0, 2, 1)) / np.sqrt(2) * back
