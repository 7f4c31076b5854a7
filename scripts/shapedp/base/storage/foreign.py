"""Files that a stranger wrote: so many bytes and no more, JSON or plain YAML, and one line on whatever is wrong.

What a text may hold is bounded before anything is built from it: its bytes, and of YAML its depth, its nodes and the
length of each. Aliases are refused, since a few of them stand for more nodes than any machine holds.
"""

import json
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from shapedp.base.errors import ArtifactError, MachineError, ShapedpError

# Sections within sections.
DEEPEST = 40
MOST_NODES = 20_000
# Characters, those of a path; a number of more digits than Python reads is longer.
LONGEST_SCALAR = 4_096
# Characters of what a message quotes.
LONGEST_WORDS = 200
JSON_TYPES = (str, int, float, bool, type(None))


def make_printable(text: Any) -> str:
    """Return words of a stranger in one line of bounded length, without signs that do not show."""
    return "".join(letter if letter.isprintable() else "?" for letter in str(text)[:LONGEST_WORDS])


def read_bytes(path: Path, largest: int) -> bytes:
    """Return the content of a stranger's plain file of at most `largest` bytes; ValueError says what is wrong, without
    its name.

    Parameters
    ----------
    path : Path
        A file; a pipe or a device, which has no end, is refused.
    largest : int
        Bytes. No more are ever read, whatever size the file says it has.
    """
    path = Path(path)
    if not stat.S_ISREG(path.stat().st_mode):
        raise ValueError("is not a plain file")
    with path.open("rb") as stream:
        content = stream.read(largest + 1)
    if len(content) > largest:
        raise ValueError(f"is larger than {largest} bytes")
    return content


def parse_json(content: bytes) -> Any:
    """Return the value of a stranger's JSON text; ValueError where two readers could take it differently or it is none.

    That is where it names a key twice, or holds a number that is none. A text that is nested too deeply for Python is
    refused, too.
    """
    try:
        return json.loads(content.decode("utf-8"), parse_constant=_refuse_constant, object_pairs_hook=_refuse_repeats)
    except RecursionError as error:
        raise ValueError("is nested too deeply") from error


def _refuse_constant(word):
    """Raise ValueError for a word that JSON's readers take for a number and that is none."""
    raise ValueError(f"holds {word}, which is not a number")


def _refuse_repeats(pairs):
    """Return the dictionary of a JSON object's pairs, refused where a key stands twice."""
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ValueError("names a key twice")
    return values


def parse_yaml(content: bytes) -> Any:
    """Return the value of a stranger's YAML text that JSON could hold as well; ValueError says what is wrong with
    another.

    Nodes are counted while the text is read as a stream, before any of them is made. Keys are texts, no key stands
    twice, and values are texts, numbers, true, false or null: dates, sets, tags and aliases are refused.
    """
    text, loader = content.decode("utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        _refuse_repeated(compose_yaml(content, may_alias=False))
        value = yaml.load(text, Loader=loader)
    except yaml.YAMLError as error:
        raise ValueError(f"not valid YAML: {make_printable(' '.join(str(error).split()))}") from error
    refuse_types(value)
    return value


def compose_yaml(content: bytes, may_alias: bool = True) -> yaml.Node | None:
    """Return the node of a stranger's YAML text, bounded, so that none fills the memory; ValueError on another.

    What its aliases stand for is counted as well.

    Parameters
    ----------
    content : bytes
        The text, UTF-8.
    may_alias : bool
        Whether it may have aliases. A node that one stands for is a single object, and counts wherever it stands.
    """
    text, loader = content.decode("utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    _refuse_nodes(yaml.parse(text, Loader=loader), may_alias)
    node = yaml.compose(text, Loader=loader)
    if node is not None and _count_nodes(node, {}) > MOST_NODES:
        raise ValueError(f"more than {MOST_NODES} values, with what its aliases stand for")
    return node


def _refuse_nodes(events, may_alias):
    """Refuse a YAML text of more or deeper or longer nodes than any file of this software has, while it is read as a
    stream.
    """
    depth = nodes = 0
    for event in events:
        line = f"line {event.start_mark.line + 1}"
        if not may_alias and (isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None)):
            raise ValueError(f"{line}: an anchor or an alias (& or *); write out what it stands for")
        if isinstance(event, yaml.ScalarEvent) and len(event.value) > LONGEST_SCALAR:
            raise ValueError(f"{line}: a value of more than {LONGEST_SCALAR} characters")
        nodes += isinstance(event, yaml.NodeEvent)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if nodes > MOST_NODES or depth > DEEPEST:
            raise ValueError(f"{line}: more than {MOST_NODES} values, or {DEEPEST} sections within sections")


def _count_nodes(node, counts_by_id):
    """Return how many nodes a YAML node unfolds to with all aliases followed, to refuse a small file that would fill
    the memory.

    counts_by_id : those that were counted, by id
    """
    if id(node) not in counts_by_id:
        # Until it is counted: what stands within itself has no end.
        counts_by_id[id(node)] = MOST_NODES
        pairs = node.value if isinstance(node, yaml.MappingNode) else ()
        children = [*sum(pairs, ()), *(node.value if isinstance(node, yaml.SequenceNode) else ())]
        counts_by_id[id(node)] = min(2 * MOST_NODES, 1 + sum(_count_nodes(child, counts_by_id) for child in children))
    return counts_by_id[id(node)]


def _refuse_repeated(node):
    """Refuse a key that stands twice, of which YAML would keep the last without a word, in any section below a node."""
    pairs = node.value if isinstance(node, yaml.MappingNode) else ()
    known_keys = set()
    for key, below in pairs:
        if isinstance(key, yaml.ScalarNode) and key.value in known_keys:
            raise ValueError(f"line {key.start_mark.line + 1}: the key '{make_printable(key.value)}' stands twice")
        known_keys.add(key.value if isinstance(key, yaml.ScalarNode) else id(key))
        _refuse_repeated(below)
    for below in node.value if isinstance(node, yaml.SequenceNode) else ():
        _refuse_repeated(below)


def refuse_types(value: Any) -> None:
    """Refuse values that JSON cannot hold, and numbers whose digits Python does not print, since they are stored and
    printed.
    """
    if isinstance(value, dict):
        for key, below in value.items():
            if not isinstance(key, str):
                raise ValueError(f"the key {make_printable(key)} is not a text; put it in quotation marks")
            refuse_types(below)
    elif isinstance(value, list):
        for below in value:
            refuse_types(below)
    elif not isinstance(value, JSON_TYPES):
        raise ValueError(f"holds a {type(value).__name__}, where texts, numbers, true, false and null may stand")
    elif isinstance(value, int) and abs(value) >= 1 << 64:
        raise ValueError("holds a whole number of more than 64 bits")


@contextmanager
def refuse_strange(
    place: Any, remedy: str, error_type: Callable[[str], ShapedpError] = ArtifactError
) -> Iterator[None]:
    """Turn whatever reading a stranger's file trips over into one line that names it; faults of the machine pass.

    A file that was made up can hold any value that its format allows, so that what follows from it can fail anywhere:
    a field is missing, a size is negative, a matrix is singular. None of it is a fault of this software.

    Parameters
    ----------
    place : object
        What the line names: a file or folder, or several.
    remedy : str
        What to do, in words.
    error_type : callable
        Makes the error from its words.
    """
    try:
        yield
    except (ShapedpError, OSError):
        raise
    except MemoryError as error:
        raise MachineError(f"{place}: takes more memory than this machine gives; {remedy}") from error
    except Exception as error:
        words = make_printable(" ".join(str(error).split()))
        raise error_type(
            f"{place}: holds what shapedp never wrote ({type(error).__name__}: {words}); {remedy}"
        ) from error
