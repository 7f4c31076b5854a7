"""The mechanisms that settings may name: the library's own, and those that somebody else adds without editing it.

An own mechanism is named by an entry point of the group `shapedp.mechanisms`, or by its place, `module:Class`. Its
class says of itself what the library's own say in `BUILT_IN`: its `branch`, its `name`, and its `budgets`, the keys of
`budget` of which it takes one. The classes of the library are not imported here, so that reading settings stays quick.
"""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from shapedp.base.errors import ConfigError, suggest_nearest

GROUP = "shapedp.mechanisms"
# Where the kinds of releases are.
KINDS = "shapedp.releases.kinds"
NEEDED = ("branch", "name", "label", "words", "formula", "clipping", "sampler", "budgets")


@dataclass(frozen=True)
class Traits:
    """budgets : keys of `budget` of which a mechanism takes one; learns : whether it is made from a public variation
    private : False for one that gives no guarantee, whatever else is asked; sized : whether it releases shapes' size
    """

    budgets: tuple[str, ...]
    learns: bool = False
    private: bool = True
    sized: bool = False


WHOLE, EACH, PURE = ("mu_total",), ("mu_total", "mu"), ("epsilon",)
BUILT_IN = {
    "faces": {
        "shaped": Traits(WHOLE, learns=True),
        **dict.fromkeys(("matched_joint", "matched", "rkhs", "rkhs_paper"), Traits(EACH)),
        **dict.fromkeys(("pointwise", "pointwise_literal"), Traits(WHOLE)),
    },
    "shapes": {
        "shaped": Traits(WHOLE, learns=True, sized=True),
        "knorm": Traits(PURE, learns=True, sized=True),
        **dict.fromkeys(("private_center", "gaussian"), Traits(WHOLE)),
        **dict.fromkeys(("laplace", "pointwise_laplace"), Traits(PURE)),
        "kng": Traits(PURE, private=False),
        **dict.fromkeys(("pointwise_laplace_aligned", "pointwise_laplace_unaligned"), Traits(PURE, private=False)),
    },
}
# By whose coordinates all but means of people's records are released.
MODEL_MECHANISM = "shaped"
# Own mechanisms of this process, by branch and by what settings call them.
_loaded: dict[tuple[str, str], type] = {}


def read_traits(branch: str, word: str) -> Traits:
    """Return the Traits of the mechanism that settings call `word` (its budgets, whether it learns), by which they are
    checked.

    Raises ConfigError where there is none.

    Parameters
    ----------
    branch : str
        `faces` or `shapes`.
    word : str
        A name, or module:Class.
    """
    if word in BUILT_IN[branch]:
        return BUILT_IN[branch][word]
    own = own_class(branch, word)
    exact = getattr(own, "exact_arithmetic", True)
    return Traits(tuple(own.budgets), getattr(own, "learns", False), exact, getattr(own, "in_space", False))


def find_traits(branch: str, word: str) -> Traits | None:
    """Return the Traits of the mechanism that settings call `word`, for checks; None where there is none such.

    `read_traits` refuses the unknown instead: one check does, and others need not.

    Parameters
    ----------
    branch : str
        `faces` or `shapes`.
    word : str
        A name, or module:Class.
    """
    try:
        return read_traits(branch, word)
    except ConfigError:
        return None


def is_learning(branch: str, word: str) -> bool:
    """Return whether a mechanism is made from a public variation, which a run then has to learn.

    False where there is no such mechanism, which is told elsewhere.

    Parameters
    ----------
    branch : str
        `faces` or `shapes`.
    word : str
        A name, or module:Class.
    """
    traits_found = find_traits(branch, word)
    return traits_found is not None and traits_found.learns


def list_release_kinds(branch: str) -> list[Any]:
    """Return the kinds of releases of a branch, by which entries of `releases` are checked and forecast.

    They stand above the settings and are found by their place.

    Returns
    -------
    kinds : list of releases.kinds.kind.ReleaseKind
        In the order in which they are listed.
    """
    return [kind for kind in import_module(KINDS).KINDS if kind.branch == branch]


def find_kind(branch: str, word: str) -> Any:
    """Return the kind of releases (mean, model, change ...) that settings call `word`, or None.

    Parameters
    ----------
    branch : str
        `faces` or `shapes`.
    word : str
        Its name.
    """
    return next((kind for kind in list_release_kinds(branch) if kind.name == word), None)


def own_class(branch: str, word: str) -> Any:
    """Return the class of somebody's own mechanism that settings name by an entry point or module:Class.

    Or by its name once it was loaded.

    Parameters
    ----------
    branch : str
        `faces` or `shapes`.
    word : str
        What settings call it: a name, or module:Class, which is imported.
    """
    if (branch, word) in _loaded:
        return _loaded[branch, word]
    loaded = (
        loaded_class
        for (of_branch, _), loaded_class in _loaded.items()
        if (of_branch, loaded_class.name) == (branch, word)
    )
    if known_names := next(loaded, None):
        return known_names
    module, _, name = word.partition(":")
    entry_points_by_name = {loaded_class.name: loaded_class for loaded_class in _find_entry_points(tuple(sys.path))}
    if not (word in entry_points_by_name or name):
        known_names = [*BUILT_IN[branch], *entry_points_by_name]
        allowed = (
            f"{', '.join(known_names)}, or a class of your own as module:Class{suggest_nearest(word, known_names)}"
        )
        raise ConfigError(f"unknown mechanism '{word}', allowed: {allowed}")
    try:
        own = (
            entry_points_by_name[word].load() if word in entry_points_by_name else getattr(import_module(module), name)
        )
    except (ImportError, AttributeError) as error:
        raise ConfigError(
            f"mechanism '{word}': cannot be imported: {error}; install its package, or put its folder on PYTHONPATH"
        ) from error
    if missing := [loaded_class for loaded_class in NEEDED if not hasattr(own, loaded_class)]:
        raise ConfigError(f"mechanism '{word}': its class does not define {', '.join(missing)}; see docs/extending.md")
    if own.branch != branch:
        raise ConfigError(
            f"mechanism '{word}': it is for {own.branch}, but stands in {branch}.releases; move the entry to "
            f"{own.branch}.releases"
        )
    if own.name in BUILT_IN[branch]:
        raise ConfigError(f"mechanism '{word}': its name, '{own.name}', is one of the library's; choose another")
    _loaded[branch, word] = own
    return own


def list_own_classes(branch: str) -> Iterator[Any]:
    """Yield the classes of somebody's own mechanisms of a branch, to be listed beside the built-in ones.

    Those that this process has loaded, and those with entry points.
    """
    for point in _find_entry_points(tuple(sys.path)):
        if getattr(point.load(), "branch", None) == branch:
            own_class(branch, point.name)
    yield from dict.fromkeys(loaded_class for (of_branch, _), loaded_class in _loaded.items() if of_branch == branch)


def describe_foreign_code(settings: Mapping[str, Any]) -> list[str]:
    """Return a warning for each release whose mechanism is a class outside the library: its privacy is what its writer
    says.

    Parameters
    ----------
    settings : mapping
        Checked settings, so that the classes were imported already.
    """
    lines = []
    for branch, known in BUILT_IN.items():
        for entry in (settings[branch] or {}).get("releases", ()):
            if (word := entry["mechanism"]) not in known:
                place = getattr(sys.modules.get(own_class(branch, word).__module__), "__file__", None) or "no file"
                lines.append(
                    f"notice: {branch}.releases: {entry['name']}: the mechanism {word} lies outside the library "
                    f"({place}). It is code, which runs with your rights, and its guarantee is its author's: go on if "
                    "you know who wrote it"
                )
    return lines


@cache
def _find_entry_points(path):
    """Return the entry points of GROUP; every installed package is asked once, for as long as the import path stays."""
    del path
    return tuple(entry_points(group=GROUP))
