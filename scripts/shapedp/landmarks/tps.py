"""TPS files (Rohlf): blocks that begin with LP=k, then k lines of x y, then KEY=value lines such as ID and SCALE."""

import re

import numpy as np

from shapedp.errors import Rejected

COUNT = re.compile(r"[0-9]{1,9}")


def parse(text, name):
    """(shapes, ids) of a TPS text; coordinates are multiplied by SCALE where a block has one."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    shapes, ids, at = [], [], 0
    while at < len(lines):
        count = _count(lines[at], name)
        points = _points(lines[at + 1 : at + 1 + count], count, name, len(shapes) + 1)
        at += 1 + count
        keys = {}
        while at < len(lines) and not lines[at].upper().startswith("LP"):
            key, _, value = lines[at].partition("=")
            keys[key.strip().upper()] = value.strip()
            at += 1
        shapes.append(points * _scale(keys, name))
        ids.append(keys.get("ID") or keys.get("IMAGE") or f"shape_{len(shapes):05d}")
    if not shapes:
        raise Rejected("empty_file", f"{name}: holds no shape")
    if len({len(shape) for shape in shapes}) != 1:
        raise Rejected("mixed_landmarks", f"{name}: shapes with {sorted({len(s) for s in shapes})} landmarks")
    return np.array(shapes), ids


def _count(line, name):
    key, _, value = line.partition("=")
    if key.strip().upper() != "LP" or not COUNT.fullmatch(value.strip()):
        raise Rejected("not_tps", f"{name}: found {line[:40]!r} where 'LP=<number of landmarks>' should stand")
    return int(value)


def _points(lines, count, name, block):
    try:
        points = np.array([[float(word) for word in line.split()] for line in lines])
    except ValueError as error:
        raise Rejected("not_numeric", f"{name}: block {block}: {str(error)[:200]}") from error
    if points.shape != (count, 2):
        raise Rejected(
            "truncated", f"{name}: block {block} has {points.shape} numbers, LP={count} promises {count} x 2"
        )
    return points


def _scale(keys, name):
    try:
        return float(keys.get("SCALE", "1"))
    except ValueError as error:
        raise Rejected("not_numeric", f"{name}: SCALE={keys['SCALE'][:40]!r} is not a number") from error
