"""The part of a cohort that a release is of: everybody, or one group; faces and shapes alike."""

from dataclasses import dataclass

import numpy as np

from shapedp.errors import RefusedRelease
from shapedp.releases import fingerprints, spending


@dataclass(frozen=True)
class Part:
    """rows : of its members, which are private where membership is; n : public; group : how it is charged, or None"""

    rows: np.ndarray
    n: int
    group: spending.Group | None


def of(entry, privacy, key, ids, group_of):
    """The Part that an entry of `releases` asks for.

    privacy : the settings of that section; key : the ledger's; ids, group_of : the people and their groups, row by row
    """
    name = entry.get("group")
    if name is None:
        return Part(np.arange(len(ids)), len(ids), None)
    rows = np.flatnonzero(np.array(group_of) == name)
    charged = spending.Group(name, privacy["groups"]["membership"], _partition(key, ids, group_of))
    return Part(rows, _count(name, len(rows), privacy["groups"]), charged)


def stated(entry, privacy, n):
    """What the public settings of a release say of its group."""
    return {"groups": {"membership": privacy["groups"]["membership"], "count": n}} if "group" in entry else {}


def _count(name, found, groups):
    """n, public: that of a group whose members are known, or the declared size of one whose members are not."""
    if groups["membership"] == spending.PUBLIC:
        return found
    if name not in groups["sizes"]:
        raise RefusedRelease(f"group '{name}' needs a public size in privacy.groups.sizes")
    return groups["sizes"][name]


def _partition(key, ids, group_of):
    """Keyed digest of who is in which group."""
    return fingerprints.of_arrays(key, *sorted(f"{one}={group}" for one, group in zip(ids, group_of, strict=True)))
