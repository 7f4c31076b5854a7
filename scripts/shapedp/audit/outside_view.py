"""What an outsider sees of a release, but the noised numbers: it may depend on settings, public inputs and n alone."""

import json
import re

PRIVATE = {"digest", "previous", "random", "request", "records", "inputs", "time", "files", "partition"}
FIGURES = re.compile(r"\b[0-9a-f]{16,}\b")  # digests that random bits of the ledger enter
NOISED = "rms_mm", "widened"  # of a statement's noise: follow from a noised number
NOISED_WORDS = re.compile(r"(?<=standard deviation is )[\d.e-]+|(?<=a point by )[\d.e-]+|(?<=was widened )[\d.e-]+")


def of(status, release, ledger):
    """{what: value} of one run of the command.

    status : exit status of each step; release : folder of the releases; ledger : folder of the ledger
    """
    files = {str(one.relative_to(release)): one for one in sorted(release.rglob("*")) if one.is_file()}
    return {
        "exit status": status,
        "files": {name: one.stat().st_size for name, one in files.items() if one.stem != "statement"},
        "statements": {name: _statement(one) for name, one in files.items() if one.name == "statement.json"},
        "words": {name: _words(one) for name, one in files.items() if one.name == "statement.md"},
        "ledger": [_line(line) for one in sorted(ledger.glob("*.jsonl")) for line in one.read_text().splitlines()],
    }


def moved(one, other):
    """Names of what differs between two views."""
    return [name for name in one if one[name] != other[name]]


def _statement(path):
    stated = json.loads(path.read_text())
    stated["budget"].pop("ledger_head")
    if stated["noise"]["widened"] is not None:  # told by a first stage
        stated["noise"] = {key: value for key, value in stated["noise"].items() if key not in NOISED}
        stated.pop("differs_from_public_set")
    return stated


def _words(path):
    text = FIGURES.sub("", path.read_text())
    if "- First stage:" in text:
        text = NOISED_WORDS.sub("", text)
        text = "\n".join(line for line in text.splitlines() if "differs from the public set" not in line)
    return text


def _line(line):
    entry = json.loads(line)
    return {key: value for key, value in entry.items() if key not in PRIVATE}
