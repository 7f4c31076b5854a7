"""A round: every laboratory says hello, sends its masked part, and anybody sums the parts.

A statistic is asked of all laboratories at once: each takes the exact sums over its own people, adds its share of the
noise, and masks what comes out. The sum of all parts is what one laboratory with everybody's data would have drawn; a
release of several stages takes a round for each, the next one planned from the answers to those before it.

    <folder>/<attempt>-<stage>/hello-LAB.json, part-LAB.npz

Where a laboratory drops out, the others begin a new attempt: another roster, new round keys, new noise, charged again.

Masks cancel in the sum of all laboratories and hide each part from everybody else: docs/mathematics.md, (13.1). Every
two laboratories agree on one from keys that they make for one round alone: X25519, HKDF-SHA256 over the digest of
study, roster, round and kind, and ChaCha20, whose output the first of the two adds and the second subtracts mod 2^64.
"""

import hashlib
import json
import math
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shapedp.base.errors import ConfigError
from shapedp.base.storage import files, foreign
from shapedp.laboratories import letters
from shapedp.laboratories.primitives import (
    HKDF,
    Cipher,
    Ed25519PrivateKey,
    X25519PrivateKey,
    X25519PublicKey,
    algorithms,
    hashes,
)
from shapedp.laboratories.study import Study
from shapedp.privacy.noise import SecureNoise
from shapedp.privacy.statistic import Rows, Staged, Statistic, Sums

# A laboratory's rows without anybody, whose sums are zero: who combines has no record.
NOBODY = Rows(0, lambda start, stop: np.zeros((0,)))


class TooFew(ConfigError):
    """Hellos of too few laboratories lie in the folder of a round."""


class ShareOfNoise:
    """The source of a laboratory: adds its share of the noise and keeps what it was added to, one after the other."""

    def __init__(self, source: SecureNoise, labs: int):
        self.integers: list[NDArray[np.int64]] = []
        self.scales: list[float] = []
        # Variances add up: as many shares as laboratories, each with that part of the variance, are the whole noise.
        self._source, self._share = source, 1 / math.sqrt(labs)

    def gaussian_integers(self, values, scale, sensitivity):
        """Return values with this laboratory's share of a noise of standard deviation `scale`, and rho of it.

        The shares of all laboratories add up to the noise.
        """
        noised, rho = self._source.gaussian_integers(values, scale * self._share, sensitivity)
        self.integers.append(np.asarray(noised, dtype=np.int64))
        self.scales.append(scale * self._share)
        return noised, rho


class SummedParts:
    """The source of whoever combines: returns the sum of the parts, in which all laboratories' noise is already."""

    # The shares were drawn from the entropy of the laboratories' systems.
    secure = True

    def __init__(self, total: NDArray[np.int64]):
        # Of what the statistic took nothing yet.
        self.rest = total

    def gaussian_integers(self, values, scale, sensitivity):
        """Return the sum of all laboratories' noised parts in the place of noise, so that it becomes the joint answer.

        values : zeros, since whoever combines has nobody's record; as many integers are returned
        """
        if np.any(values):
            raise ConfigError("a sum of parts is combined without records of one's own; nothing was released")
        drawn, self.rest = self.rest[: len(values)], self.rest[len(values) :]
        return drawn, (sensitivity / scale) ** 2 / 2


# What facts are stated of, before any part is read.
EMPTY_SUM = SummedParts(np.zeros(0, dtype=np.int64))


class Counting:
    """A source that draws nothing: it counts how many integers a statistic puts noise on."""

    def __init__(self):
        self.count = 0
        # Of the noise, in steps of the integers.
        self.least_scale = math.inf

    def gaussian_integers(self, values, scale, sensitivity):
        """Count the integers that a statistic asks noise for, which each laboratory's part must hold; draw none."""
        self.count += len(values)
        self.least_scale = min(self.least_scale, scale)
        return np.asarray(values, dtype=np.int64), (sensitivity / scale) ** 2 / 2


@dataclass(frozen=True)
class Round:
    """One stage of one attempt; folder : of the study's letters."""

    study: Study
    folder: Path
    attempt: int
    stage: int

    @property
    def name(self) -> str:
        """Return what letters of this round bear."""
        return f"{self.attempt}-{self.stage}"

    def hello_path(self, lab: str) -> Path:
        """Return the path of the letter in which a laboratory announces itself for the round; it may not be there."""
        return self.folder / self.name / f"{letters.HELLO}-{lab}.json"

    def part_path(self, lab: str) -> Path:
        """Return the letter that holds a laboratory's part; it may not be there."""
        return self.folder / self.name / f"{letters.PART}-{lab}.npz"

    def make_head(self, kind: str, lab: str) -> dict[str, str]:
        """Return what every letter of this round, kind and laboratory bears."""
        return {"kind": kind, "study": self.study.digest, "round": self.name, "lab": lab}

    def read_hello(self, lab: str) -> dict:
        """Return the letter in which a laboratory announces its key and number of people for the round, checked."""
        return letters.read_hello(self.hello_path(lab), self.make_head(letters.HELLO, lab), self.study.find_key(lab))

    def read_part(self, lab: str, count: int, roster: dict[str, dict], path: Path) -> tuple[dict, NDArray[np.uint64]]:
        """Return (letter, integers (count,)) of a laboratory's part at `path`, checked."""
        head, public = self.make_head(letters.PART, lab), self.study.find_key(lab)
        return letters.read_part(path, head, public, letters.digest_value(roster), count)

    def read_hellos(self) -> dict[str, dict]:
        """Return {laboratory: its hello}, the roster of who takes part in this round, each checked."""
        roster = {lab: self.read_hello(lab) for lab in sorted(self.study.labs) if self.hello_path(lab).exists()}
        for path in sorted((self.folder / self.name).glob(f"{letters.HELLO}-*.json")):
            # A letter of a laboratory that the study does not list would pass unnoticed.
            if (lab := path.stem.removeprefix(f"{letters.HELLO}-")) not in roster:
                raise ConfigError(
                    f"{path}: the study lists no laboratory '{foreign.make_printable(lab)}'; take the file away. "
                    "Nothing "
                    "was spent"
                )
        if len(roster) < max(2, self.study.conspiring + 1):
            raise TooFew(
                f"{self.folder / self.name}: hellos of {len(roster)} laboratories lie here; a sum takes more than the "
                f"{self.study.conspiring} that may conspire, and at least two. Nothing was spent"
            )
        for lab, hello in roster.items():
            for name, value in self.study.agreed["files"].items():
                if hello[name] != value:
                    raise ConfigError(
                        f"{self.hello_path(lab)}: laboratory '{lab}' has another {name} than the study, by its digest; "
                        "send it the study's file. Nothing was spent"
                    )
        return roster

    def read_parts(self, count: int) -> tuple[list[NDArray[np.uint64]], dict[str, dict]]:
        """Return the parts that all laboratories sent in this round, checked: (parts, {laboratory: its letter}).

        count : integers of a part
        """
        roster, parts, letters_by_lab = self.read_hellos(), [], {}
        for lab in sorted(roster):
            letters_by_lab[lab], part = self.read_part(lab, count, roster, self.part_path(lab))
            parts.append(part)
        return parts, letters_by_lab

    def digest_context(self, roster: dict[str, dict]) -> bytes:
        """Return what masks of this round are bound to: study, roster, round and kind, in one digest."""
        binding = letters.digest_value([self.study.digest, roster, self.name, letters.PART])
        return hashlib.sha256(binding.encode("ascii")).digest()


def say_hello(study_round: Round, lab: str, people: int, keys: Path, software: str) -> Path:
    """Write the letter by which this laboratory joins a round, with a key made for it; or return the earlier one.

    Parameters
    ----------
    study_round : Round
        The round.
    lab : str
        This laboratory.
    people : int
        Of this laboratory, public.
    keys : path
        The folder of identities and round keys.
    software : str
        The version that will make the part.
    """
    path, secret = study_round.hello_path(lab), locate_round_key(keys, study_round, lab)
    if path.exists():
        study_round.read_hello(lab)
        return path
    key = _signing_key(study_round, lab, keys)
    # It is there if this process was stopped before the hello was written.
    if not secret.exists():
        letters.write_secret(secret, X25519PrivateKey.generate().private_bytes_raw())
    round_key = X25519PrivateKey.from_private_bytes(letters.read_secret(secret, "shapedp study join"))
    content = {"people": people, "round_key": round_key.public_key().public_bytes_raw().hex(), "software": software}
    content |= study_round.study.agreed["files"]
    letter = letters.sign_letter(study_round.make_head(letters.HELLO, lab), content, key)
    files.write_text(path, json.dumps(letter, indent=2, sort_keys=True) + "\n")
    return path


def locate_round_key(keys: Path, study_round: Round, lab: str) -> Path:
    """Return where a laboratory keeps its secret key of a round, until its part is sent."""
    return Path(keys) / "rounds" / f"{study_round.study.digest[:16]}-{study_round.name}-{lab}.x25519"


def _signing_key(study_round, lab, keys):
    """Return this laboratory's key to sign letters with; refuse one that the study does not list."""
    key = letters.load_key(keys, lab)
    if letters.derive_public(key) != study_round.study.find_key(lab):
        raise ConfigError(f"{keys}/{lab}.key: is not the key that the study lists for '{lab}'. Nothing was spent")
    return key


@dataclass(frozen=True)
class Sender:
    """A laboratory with all that its part of a round takes besides sums and noise. It is made before the budget is
    spent, since making it refuses whatever is wrong with a letter or a key.
    """

    round: Round
    lab: str
    # The hellos as they were checked; what is put into the folder later changes nothing.
    roster: dict[str, dict]
    # Their keys are by `agree_mask_keys`.
    masks: dict[str, bytes]
    signing: Ed25519PrivateKey

    @classmethod
    def from_keys(cls, study_round: Round, lab: str, roster: dict[str, dict], keys: Path) -> "Sender":
        """Return the sender of this laboratory's part, its masks agreed on, from the keys in a folder.

        roster : as `Round.read_hellos` returned it
        """
        path = locate_round_key(keys, study_round, lab)
        if not path.exists():
            raise ConfigError(
                f"{path}: the key that hello-{lab}.json was made with is not there: this round was answered, or the "
                "key is lost. Restore it from a backup, or begin another attempt. Nothing was spent"
            )
        own = X25519PrivateKey.from_private_bytes(letters.read_secret(path, "shapedp study join"))
        if own.public_key().public_bytes_raw().hex() != roster[lab]["round_key"]:
            raise ConfigError(
                f"hello-{lab}.json: does not hold the round key that this laboratory made; put its own hello back, "
                "or begin another attempt. Nothing was spent"
            )
        public = {other: bytes.fromhex(hello["round_key"]) for other, hello in roster.items()}
        masks = agree_mask_keys(lab, own, public, study_round.digest_context(roster))
        return cls(study_round, lab, roster, masks, _signing_key(study_round, lab, keys))

    def masked_part(self, statistic: Statistic, sums: Sums, source: SecureNoise) -> NDArray[np.uint64]:
        """Return this laboratory's part: its sums with its share of the noise, hidden under masks.

        Only here it draws noise.
        """
        share = ShareOfNoise(source, len(self.roster))
        statistic.noised(sums, share)
        return mask_integers(np.concatenate(share.integers), self.lab, self.masks)

    def signed_part(self, part: NDArray[np.uint64], ledger_line: dict) -> bytes:
        """Return the bytes of the signed file by which a part is sent to whoever combines.

        ledger_line : what this laboratory's ledger says of it.
        """
        part_fields = {"integers": letters.digest_integers(part), "count": len(part), "ledger": ledger_line}
        content = {"roster": letters.digest_value(self.roster), **part_fields}
        head = self.round.make_head(letters.PART, self.lab)
        return letters.pack_part(letters.sign_letter(head, content, self.signing), part)


def count_integers(statistic: Statistic) -> Counting:
    """Return what whoever combines must find in every part: how many integers, and for the statement their least noise.

    They follow from public numbers; no part is looked at.
    """
    counting = Counting()
    statistic.noised(statistic.sums(NOBODY), counting)
    return counting


def compute_answer(study_round: Round, statistic: Statistic) -> NDArray:
    """Return a statistic's noised answer about everybody, the sum of all laboratories' parts."""
    parts, _ = study_round.read_parts(count_integers(statistic).count)
    combined = SummedParts(sum_unmasked(parts))
    noised = statistic.noised(statistic.sums(NOBODY), combined)
    if len(combined.rest):
        raise ConfigError(
            f"{study_round.folder / study_round.name}: the parts hold more integers than the study asks for; ask "
            "the laboratories for their parts again"
        )
    return noised


def compute_earlier_answers(study_round: Round, staged: Staged) -> tuple:
    """Return the noised answers of the stages before this round's, from which the round is planned.

    Parameters
    ----------
    study_round : Round
        The round that is planned.
    staged : Staged
        The release, which says what each stage asks.
    """
    answers: tuple = ()
    for earlier in range(study_round.stage):
        answers = (*answers, compute_answer(replace(study_round, stage=earlier), staged.stage(answers)))
    return answers


def agree_mask_keys(lab, own_key, round_keys, context):
    """Return {other laboratory: 32 bytes}, keys that two share of the masks under which parts are hidden.

    Parameters
    ----------
    lab : str
        This laboratory.
    own_key : X25519PrivateKey
        Of this laboratory, for this round.
    round_keys : dict
        {laboratory: 32 bytes} public keys of all laboratories of the round, this one included.
    context : bytes
        What no other part of any study bears: the digest of study, roster, round and kind.
    """
    keys_by_lab = {}
    for other in sorted(set(round_keys) - {lab}):
        try:
            shared = own_key.exchange(X25519PublicKey.from_public_bytes(round_keys[other]))
        # A point of small order would make the secret known to everybody.
        except ValueError as error:
            raise ConfigError(
                f"hello-{other}.json: the round key of laboratory '{other}' cannot be used; ask for a new hello. "
                "Nothing was spent"
            ) from error
        # Bound to study, roster and round: the same two laboratories agree on another mask in any other.
        hkdf = HKDF(algorithm=hashes.SHA256(), length=32, salt=None, info=b"shapedp masks 1" + context)
        key = hkdf.derive(shared)
        # One of the two took over the other's public key: their masks could cancel.
        if twins := [earlier_lab for earlier_lab in keys_by_lab if keys_by_lab[earlier_lab] == key]:
            raise ConfigError(
                f"hello-{other}.json: the round key of laboratory '{other}' gives the same mask as that of "
                f"'{twins[0]}', and the two could cancel; ask both for a new hello. Nothing was spent"
            )
        keys_by_lab[other] = key
    return keys_by_lab


# Bytes of an integer mod 2^64.
WORD = 8


def mask_integers(integers, lab, keys):
    """Return a laboratory's noised integers hidden under masks, shared with the others, that cancel in the sum.

    They are (N,) uint64, of (N,) int64; keys : of the masks, by `agree_mask_keys`
    """
    part = np.array(integers, dtype=np.int64).view(np.uint64)
    for other in sorted(keys):
        # A nonce of zeros is enough, since a key masks one part alone.
        cipher = Cipher(algorithms.ChaCha20(keys[other], bytes(16)), mode=None).encryptor()
        mask = np.frombuffer(cipher.update(bytes(WORD * len(part))), dtype="<u8").astype(np.uint64)
        # Mod 2^64, as unsigned integers count. One of each pair adds and the other subtracts, so that the masks cancel.
        part = part + mask if other > lab else part - mask
    return part


def sum_unmasked(parts):
    """Return the sum of all laboratories' integers (N,) int64 from all their parts (N,) uint64."""
    # Mod 2^64, as unsigned integers count.
    return sum(parts).view(np.int64)
