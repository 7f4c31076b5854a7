"""Draw Snakemake's graph of rules without Graphviz.

snakemake --rulegraph | python docs/rule_graph.py docs/rule_graph.svg

A rule stands below all whose results it needs. An arrow that others already imply is left out.
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

WIDTH, HEIGHT, STEP, GAP, LETTER = 800, 26, 52, 20, 6.4  # pixels: picture, box, line to line, between boxes, a letter
TARGET = "all"  # is what is asked for, and no step
NODE, EDGE = re.compile(r'(\d+)\[label = "(\w+)'), re.compile(r"(\d+) -> (\d+)")


def parsed(text):
    """{rule: rules whose results it needs}."""
    names = dict(NODE.findall(text))
    needs = {name: set() for name in names.values()}
    for source, target in EDGE.findall(text):
        needs[names[target]].add(names[source])
    needs.pop(TARGET, None)
    return needs


def reduced(needs):
    """The same without what is implied: a rule needed by another that is needed, too."""
    return {rule: {one for one in direct if not _implied(one, direct, needs)} for rule, direct in needs.items()}


def _implied(one, direct, needs):
    return any(one in _all_needs(other, needs) for other in direct if other != one)


def _all_needs(rule, needs):
    return needs[rule] | {far for one in needs[rule] for far in _all_needs(one, needs)}


def lines(needs):
    """Rules line by line, each below all that it needs and under their middle."""
    depth = {}

    def level(rule):
        if rule not in depth:
            depth[rule] = 1 + max((level(one) for one in needs[rule]), default=-1)
        return depth[rule]

    found = defaultdict(list)
    for rule in sorted(needs):
        found[level(rule)].append(rule)
    return [found[at] for at in sorted(found)]


def places(needs):
    """{rule: (x, y) of its box's middle}: under the middle of what it needs, as far as its neighbours leave room."""
    place = {}
    for at, line in enumerate(lines(needs)):
        wanted = {rule: _middle(rule, line, needs, place) for rule in line}
        edge = 0
        for rule in sorted(line, key=wanted.get):
            x = max(wanted[rule], edge + GAP + _wide(rule) / 2)
            place[rule], edge = (x, 20 + at * STEP), x + _wide(rule) / 2
    return place


def _middle(rule, line, needs, place):
    """Where a rule would stand best; what needs nothing is spread over the line."""
    if not needs[rule]:
        return WIDTH * (line.index(rule) + 0.5) / len(line)
    return sum(place[one][0] for one in needs[rule]) / len(needs[rule])


def _wide(rule):
    return LETTER * len(rule) + 16


def drawn(needs):
    """The graph as SVG text."""
    place = places(needs)
    high = max(y for _, y in place.values()) + 30
    width = max(x + _wide(rule) / 2 for rule, (x, _) in place.items()) + GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {high}" role="img" '
        'font-family="sans-serif" font-size="11"><title>The rules and what they need of each other</title>',
        f'<rect width="{width:.0f}" height="{high}" fill="#fff"/>',
    ]
    for rule, direct in sorted(needs.items()):
        (x, y), wide = place[rule], _wide(rule)
        for one in sorted(direct):
            a, b = place[one]
            bend = (y - b) / 2
            parts.append(
                f'<path d="M{a:.0f} {b + HEIGHT / 2:.0f}C{a:.0f} {b + bend:.0f} {x:.0f} {y - bend:.0f} {x:.0f} '
                f'{y - HEIGHT / 2:.0f}" fill="none" stroke="#8a95a5"/>'
            )
    for rule, (x, y) in sorted(place.items()):
        wide = _wide(rule)
        parts.append(
            f'<rect x="{x - wide / 2:.0f}" y="{y - HEIGHT / 2:.0f}" width="{wide:.0f}" height="{HEIGHT}" rx="6" '
            f'fill="#eef4fa" stroke="#0b5394"/><text x="{x:.0f}" y="{y + 4:.0f}" text-anchor="middle">{rule}</text>'
        )
    return "\n".join([*parts, "</svg>\n"])


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(drawn(reduced(parsed(sys.stdin.read()))), encoding="utf-8")
