"""Which files are one and the same: by link, by inode, or by content.

Contents are compared last, and only where sizes agree: first a block from the middle, then the whole.
"""

from collections import defaultdict
from pathlib import Path

from shapedp.storage import files

BLOCK = 4096  # bytes


def pairs(paths, others):
    """[(path, other)] of files in two lists that are the same; empty and missing files are nobody's."""
    mine, theirs = set(map(str, paths)), set(map(str, others))
    return [(path, other) for group in _same(mine | theirs) for path in group & mine for other in group & theirs]


def repeats(paths):
    """Sets of files in one list that are the same."""
    return [group for group in _same(set(map(str, paths))) if len(group) > 1]


def _same(paths):
    """Sets of paths with one content each; a path alone may be left out."""
    inodes = defaultdict(set)
    for path in paths:
        if Path(path).is_file() and (found := Path(path).stat()).st_size:
            inodes[found.st_size, found.st_dev, found.st_ino].add(path)
    groups = [list(found) for found in _by(inodes, lambda key: key[0])]
    for look in (lambda key: _middle(inodes, key), lambda key: files.digest(_any(inodes[key]))):
        groups = [found for group in groups for found in (_by(group, look) if len(group) > 1 else [group])]
    return [set().union(*(inodes[key] for key in group)) for group in groups]


def _by(keys, look):
    found = defaultdict(list)
    for key in keys:
        found[look(key)].append(key)
    return found.values()


def _any(paths):
    return min(paths)


def _middle(inodes, key):
    with Path(_any(inodes[key])).open("rb") as stream:
        stream.seek(max(0, key[0] // 2 - BLOCK // 2))
        return stream.read(BLOCK)
