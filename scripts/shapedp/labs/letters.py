"""The files that laboratories send each other, each signed by its sender over study, round, kind and content.

    hello-LAB.json    a laboratory's key for one round, its number of people, digests of what it will release with
    part-LAB.npz      its masked integers, and the letter that signs them

Whoever reads a letter names the file and the laboratory where something is wrong with it. A letter counts only for the
study whose digest it bears and for the round it names, so that one sent for another study or an earlier round is
refused whatever else is right with it.

A laboratory's identity: an Ed25519 key, made once, whose fingerprint is read over the telephone.

    <folder>/<lab>.key       secret, mode 0600; signs every letter of the laboratory
    <folder>/<lab>.pub       what the study lists

The folder lies outside `results/`, so that cleaning the results never touches it. A lost key is not made again under
the same name: the other laboratories would have to list the new one.
"""

import hashlib
import io
import json
import re
import zipfile
from pathlib import Path

import numpy as np
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from shapedp.errors import ConfigError
from shapedp.ledger import population_ledger
from shapedp.storage import files

NAMED = r"^[a-z0-9][a-z0-9_-]{0,31}$(?!\n)"
NAME_WORDS = "lower-case letters, digits, _ and -, at most 32, no first _ or -"
KEY_SIZE = 32  # bytes of an Ed25519 or X25519 key


def make(folder, lab):
    """Make the key of a laboratory in a folder of keys and return its public part; refuses where one lies already."""
    check_name(lab)
    path = Path(folder) / f"{lab}.key"
    if path.exists():
        raise ConfigError(f"{path}: the key of laboratory '{lab}' lies here already; `shapedp lab key {lab}` shows it")
    key = Ed25519PrivateKey.generate()
    write_secret(path, key.private_bytes_raw())
    files.write_text(path.with_suffix(".pub"), public_of(key) + "\n")
    return public_of(key)


def load(folder, lab):
    """The Ed25519PrivateKey of a laboratory, from the folder of its keys."""
    check_name(lab)
    return Ed25519PrivateKey.from_private_bytes(read_secret(Path(folder) / f"{lab}.key", "shapedp lab key NAME"))


def public_of(key):
    """The public part of a private key, as 64 hexadecimal digits."""
    return key.public_key().public_bytes_raw().hex()


def fingerprint(public):
    """Eight groups of four digits that two people compare over the telephone: 128 bits of SHA-256 of the public key."""
    digits = hashlib.sha256(key_bytes(public, "public key")).hexdigest()[:32]
    return " ".join(digits[at : at + 4] for at in range(0, 32, 4))


def verify(public, signature, message):
    """Whether the signature, in hexadecimal digits, is that of the public key's owner under these bytes."""
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(bytes.fromhex(signature), message)
    except (InvalidSignature, ValueError):
        return False
    return True


def key_bytes(digits, what):
    """The 32 bytes that 64 hexadecimal digits stand for."""
    if not isinstance(digits, str) or not re.fullmatch(r"[0-9a-f]{64}", digits):
        raise ConfigError(f"{what} {digits!r}: must be {2 * KEY_SIZE} hexadecimal digits, as `shapedp lab key` prints")
    return bytes.fromhex(digits)


def check_name(lab):
    """Refuse a name that could not be part of a file's name."""
    if not isinstance(lab, str) or not re.fullmatch(NAMED, lab):
        raise ConfigError(f"laboratory {lab!r:.80}: use {NAME_WORDS}")


def write_secret(path, content):
    """Write secret bytes, whole or not at all, readable by their owner alone."""
    files.durable_folder(path.parent)
    partial = files.partial_path(path)
    partial.unlink(missing_ok=True)
    partial.touch(mode=0o600)
    with files.atomic(path) as partial:
        partial.write_bytes(content)


def read_secret(path, remedy):
    """The secret bytes of a file that nobody but its owner may read."""
    path = Path(path)
    if not path.exists():
        raise ConfigError(f"{path}: there is no such key; make it with `{remedy}`, or restore it from a backup")
    if path.stat().st_mode & 0o077:
        raise ConfigError(f"{path}: others may read this key; run chmod 600 {path}, and tell the other laboratories")
    content = path.read_bytes()
    if len(content) != KEY_SIZE:
        raise ConfigError(f"{path}: holds {len(content)} bytes where a key has {KEY_SIZE}; restore it from a backup")
    return content


HELLO, PART = "hello", "part"
VERSION = 1
LARGEST = 64 << 20  # bytes of a letter: eight million integers
MOST_PEOPLE = 1 << 20  # of a laboratory, so that sums stay within 64 bits
FIELDS = {  # of the content, by kind
    HELLO: {"people", "round_key", "template", "variation", "software"},
    PART: {"roster", "integers", "count", "ledger"},
}


def signed(head, content, key):
    """The letter as a dict that bears its signature; head : kind, study, round and lab; content : JSON values."""
    letter = {"shapedp": VERSION, **head, **content}
    return {**letter, "signature": key.sign(_bytes(letter)).hex()}


def packed_part(letter, part):
    """The bytes of a part: its letter and its integers (N,) uint64; equal bytes for equal content."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, array in (("letter", np.frombuffer(_bytes(letter), dtype=np.uint8)), ("part", part)):
            member = io.BytesIO()
            np.lib.format.write_array(member, np.ascontiguousarray(array), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0)), member.getvalue())
    return stream.getvalue()


def read_hello(path, head, public):
    """A hello with this head, checked; public : the key that the study lists."""
    lab = head["lab"]
    try:
        letter = json.loads(_content(path, lab).decode("utf-8"))
    except ValueError as error:
        raise _refused(path, lab, "is no letter that shapedp wrote") from error
    letter = _checked(letter, path, head, public)
    people = letter["people"]
    if type(people) is not int or not 1 <= people <= MOST_PEOPLE:  # True is an int, too
        raise _refused(path, lab, f"says {people!r:.40} people; expected a whole number from 1 to {MOST_PEOPLE}")
    if not _is_round_key(letter["round_key"]):
        raise _refused(path, lab, "bears a round key that no secret can be agreed on with; ask it for a new hello")
    return letter


def read_part(path, head, public, roster, count):
    """(letter, integers (count,) uint64) of a part, checked; roster : digest of the round's hellos."""
    lab = head["lab"]
    try:
        with np.load(io.BytesIO(_content(path, lab)), allow_pickle=False) as archive:
            if sorted(archive.files) != ["letter", "part"]:
                raise ValueError
            text, part = archive["letter"], archive["part"]
        letter = json.loads(text.astype(np.uint8).tobytes().decode("utf-8"))
    except (ValueError, OSError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise _refused(path, lab, "is no part that shapedp wrote") from error
    letter = _checked(letter, path, head, public)
    if part.dtype != np.uint64 or part.shape != (count,):
        held = f"{part.dtype} of shape {part.shape}"
        raise _refused(path, lab, f"holds {held} where the study asks for {count} unsigned integers of 64 bits")
    if letter["integers"] != digest_of(part) or letter["count"] != count:
        raise _refused(path, lab, "bears other integers than its sender signed")
    if letter["roster"] != roster:
        raise _refused(path, lab, "was made for another roster of laboratories than the hellos that lie here")
    return letter, part


def digest_of(part):
    """SHA-256 of a part's integers, little-endian."""
    return hashlib.sha256(np.ascontiguousarray(part, dtype="<u8").tobytes()).hexdigest()


def digest(value):
    """SHA-256 of the canonical JSON text of a value."""
    return hashlib.sha256(_bytes(value)).hexdigest()


def _checked(letter, path, head, public):
    """The letter, if it bears this head, is whole, and is signed with the listed key."""
    lab = head["lab"]
    if not isinstance(letter, dict) or set(letter) != {"shapedp", *head, *FIELDS[head["kind"]], "signature"}:
        raise _refused(path, lab, "lacks fields of a letter, or has others")
    for name, value in head.items():
        if letter[name] != value:
            raise _refused(path, lab, f"is for {name} {letter[name]!r}; expected {value!r}")
    unsigned = {key: value for key, value in letter.items() if key != "signature"}
    if not isinstance(letter["signature"], str) or not verify(public, letter["signature"], _bytes(unsigned)):
        raise _refused(path, lab, "is not signed with the key that the study lists for this laboratory")
    return letter


def _is_round_key(digits):
    """Whether they are 64 hexadecimal digits of a point that is not of small order, with which a secret is 0 for all.

    An X25519 exchange multiplies by a multiple of 8, so any private key tells: it ends at 0 for these points alone.
    """
    try:
        X25519PrivateKey.generate().exchange(X25519PublicKey.from_public_bytes(key_bytes(digits, "round key")))
    except (ConfigError, ValueError):
        return False
    return True


def _content(path, lab):
    path = Path(path)
    if not path.is_file():
        raise _refused(path, lab, "is not there; ask the laboratory for it")
    if path.stat().st_size > LARGEST:
        raise _refused(path, lab, f"is larger than {LARGEST >> 20} MB")
    return path.read_bytes()


def _refused(path, lab, reason):
    return ConfigError(f"{path}: the letter of laboratory '{lab}' {reason}. Nothing was spent")


def _bytes(value):
    """Canonical JSON, as the ledger writes it."""
    try:
        return population_ledger.canonical(value).encode("ascii")
    except (TypeError, ValueError) as error:
        raise ConfigError(f"a letter holds what JSON does not: {error}") from error
