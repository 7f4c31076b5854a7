"""Five laboratories with a study on one machine, for the tests of rounds: integers in place of faces."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from shapedp.laboratories import letters, rounds, study
from shapedp.privacy import noise
from shapedp.privacy.statistic import Rows, Staged, Statistic, Sums

LABS = ("bergen", "graz", "pisa", "turku", "ulm")
WIDTH = 40  # integers of a statistic
PEOPLE = 8  # of each laboratory


@dataclass(frozen=True)
class WholeSums(Statistic, Staged):
    """The sum of people's whole numbers, with noise of standard deviation `scale`; asked once."""

    scale: float = 1e6
    width: int = WIDTH

    def sums(self, people):
        return Sums((people.all().reshape(people.count, self.width).sum(axis=0).astype(np.int64),))

    def noised(self, sums, source):
        return source.gaussian_integers(sums.values[0], self.scale, 1.0)[0]

    def cost(self):
        raise NotImplementedError  # nothing here spends

    def stage(self, answers):
        return None if answers else self


class NoNoise(noise.SecureNoise):
    """What no setting reaches: a source that adds nothing, to see that sums are exact."""

    secure = False
    words = "none, for a test"

    def gaussian_integers(self, values, scale, sensitivity):
        return np.asarray(values, dtype=np.int64), 0.0


def people_of(lab):
    """(PEOPLE, WIDTH) whole numbers of a laboratory."""
    return np.random.default_rng(LABS.index(lab)).integers(-(2**24), 2**24, (PEOPLE, WIDTH))


def agreed(keys, conspiring=1):
    """What the study says."""
    return {
        "study": "rhine",
        "labs": {lab: {"key": letters.make_key(keys / lab, lab), "people": PEOPLE} for lab in LABS},
        "conspiring": conspiring,
        "overlap": "none",
        "release": {"name": "together", "mechanism": "shaped", "budget": {"mu_total": 1.0}},
        "settings": {},
        "sources": {"settings": "agreed on a page", "template": "built_in", "bounds": "built_in"},
        "statement": {},
    }


def make(folder: Path, conspiring=1):
    """(Study, first round) of the five, whose hellos and parts are all there; keys in folder/keys/<lab>."""
    (folder / "template.h5").write_bytes(b"a template")
    made = study.write(folder / "study", agreed(folder / "keys", conspiring), folder / "template.h5", None)
    this = rounds.Round(made, folder / "letters", 1, 0)
    for lab in LABS:
        rounds.say_hello(this, lab, PEOPLE, folder / "keys" / lab, "test")
    return made, this


def part_of(this, lab, keys, source=None):
    """The masked integers of a laboratory."""
    statistic = WholeSums()
    sums = statistic.sums(Rows.of(people_of(lab)))
    return sender(this, lab, keys).masked_part(statistic, sums, source or noise.SecureNoise())


def sender(this, lab, keys):
    """The laboratory as it sends, with the hellos that lie there."""
    return rounds.Sender.from_keys(this, lab, this.read_hellos(), keys / lab)
