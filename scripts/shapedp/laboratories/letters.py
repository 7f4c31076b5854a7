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
import re
import struct
import zipfile
from pathlib import Path

import numpy as np

from shapedp.base.errors import ConfigError
from shapedp.base.settings import checks
from shapedp.base.storage import files, foreign
from shapedp.laboratories.primitives import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
    InvalidSignature,
    X25519PrivateKey,
    X25519PublicKey,
)
from shapedp.ledger import population_ledger

NAMED = r"^[a-z0-9][a-z0-9_-]{0,31}$(?!\n)"
NAME_WORDS = "lower-case letters, digits, _ and -, at most 32, no first _ or -"
# Bytes of an Ed25519 or X25519 key.
KEY_SIZE = 32


def make_key(folder, lab):
    """Make the key by which a laboratory signs its letters, and return its public part; refuse where one lies.

    Parameters
    ----------
    folder : path
        Of keys.
    lab : str
        The laboratory's name.
    """
    check_name(lab)
    path = Path(folder) / f"{lab}.key"
    if path.exists():
        raise ConfigError(f"{path}: the key of laboratory '{lab}' lies here already; `shapedp lab key {lab}` shows it")
    key = Ed25519PrivateKey.generate()
    write_secret(path, key.private_bytes_raw())
    files.write_text(path.with_suffix(".pub"), derive_public(key) + "\n")
    return derive_public(key)


def load_key(folder, lab):
    """Return the Ed25519PrivateKey by which a laboratory signs its letters, read from the folder of its keys.

    Parameters
    ----------
    folder : path
        Where `make_key` has left it.
    lab : str
        The laboratory's name.
    """
    check_name(lab)
    return Ed25519PrivateKey.from_private_bytes(read_secret(Path(folder) / f"{lab}.key", "shapedp lab key NAME"))


def derive_public(key):
    """Return the public part of a private key, as 64 hexadecimal digits."""
    return key.public_key().public_bytes_raw().hex()


def format_fingerprint(public):
    """Return a public key in eight groups of four digits, for two people to compare over the telephone.

    They are 128 bits of its SHA-256.
    """
    digits = hashlib.sha256(parse_key(public, "public key")).hexdigest()[:32]
    return " ".join(digits[at : at + 4] for at in range(0, 32, 4))


def is_signed(public, signature, message):
    """Tell whether a letter is signed by the public key's owner: the signature is theirs under these bytes.

    It is in hexadecimal digits.
    """
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(bytes.fromhex(signature), message)
    except (InvalidSignature, ValueError):
        return False
    return True


def parse_key(digits, what):
    """Return the 32 bytes of a public key from its 64 hexadecimal digits; refuse other text.

    what : the key's name in the message
    """
    if not isinstance(digits, str) or not re.fullmatch(r"[0-9a-f]{64}", digits):
        raise ConfigError(
            f"{what} {digits!r:.80}: must be {2 * KEY_SIZE} hexadecimal digits, as `shapedp lab key` prints"
        )
    return bytes.fromhex(digits)


def check_name(lab):
    """Refuse a name that could not be part of a file's name."""
    if not isinstance(lab, str) or not re.fullmatch(NAMED, lab):
        raise ConfigError(f"laboratory {lab!r:.80}: use {NAME_WORDS}")


def write_secret(path, content):
    """Write a secret key, whole or not at all, readable by its owner alone."""
    files.make_durable_folder(path.parent)
    partial = files.locate_partial(path)
    partial.unlink(missing_ok=True)
    # Before the content is there: at no moment may others read it.
    partial.touch(mode=0o600)
    with files.atomic(path) as partial:
        partial.write_bytes(content)


def read_secret(path, remedy):
    """Return a secret key's bytes from its file; refuse a file that others may read."""
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
# a study that was begun by another version finishes by that one: stages, and what each spends, are the version's
VERSION = 6
# Bytes of a letter, its integers not counted.
LARGEST = 1 << 16
# Of a laboratory, so that sums stay within 64 bits.
MOST_PEOPLE = 1 << 20
MEMBERS = ("letter.npy", "part.npy")
# Bytes of a part beside letter and integers: two headers and the archive's directory.
ARCHIVE_ROOM = 1 << 12
# The last bytes of an archive without a comment.
END, END_MARK = struct.Struct("<4s4H2LH"), b"PK\x05\x06"
# Before them, where an archive has another directory, of any size.
LARGE_MARK, LARGE_ROOM = b"PK\x06\x07", 20
SHORT = {"type": "string", "maxLength": 100, "pattern": r"^[ -~]*$(?!\n)"}
DIGEST = {"type": "string", "pattern": r"^[0-9a-f]{64}$(?!\n)"}
DAY = {"type": "string", "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$(?!\n)"}
LINE = {"entry": {"type": "integer", "minimum": 0}, "digest": DIGEST, "mu": {"type": "number"}, "date": DAY}
# Of the content, by kind; people and round key have words of their own.
FIELDS = {
    HELLO: {"people": {}, "round_key": {}, "template": SHORT, "variation": SHORT, "software": SHORT},
    PART: {
        "roster": DIGEST,
        "integers": DIGEST,
        "count": {"type": "integer"},
        "ledger": {"type": "object", "properties": LINE, "required": list(LINE), "additionalProperties": False},
    },
}


def sign_letter(head, content, key):
    """Return a letter, as a dict, with the signature by which other laboratories know its sender.

    Parameters
    ----------
    head : dict
        kind, study, round and lab.
    content : dict
        JSON values.
    key : Ed25519PrivateKey
        Of the laboratory.
    """
    letter = {"shapedp": VERSION, **head, **content}
    return {**letter, "signature": key.sign(_encode_canonical(letter)).hex()}


def pack_part(letter, part):
    """Return the file in which a laboratory sends its part of a joint sum: its letter, its masked integers (N,) uint64.

    Whoever combines the parts reads it; the masks fall out of the sum of all.
    Equal content gives equal bytes.
    """
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, array in (("letter", np.frombuffer(_encode_canonical(letter), dtype=np.uint8)), ("part", part)):
            member = io.BytesIO()
            np.lib.format.write_array(member, np.ascontiguousarray(array), allow_pickle=False)
            # A fixed date, so that equal content gives equal bytes.
            archive.writestr(zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0)), member.getvalue())
    return stream.getvalue()


def read_hello(path, head, public):
    """Return a laboratory's hello, the letter by which it enters a round of a joint release, once it is checked.

    Checked are its head, signature and fields. public : the key that the study lists
    """
    lab = head["lab"]
    letter = _check_letter(_parse_letter(_read_content(path, lab, LARGEST), path, lab, HELLO), path, head, public)
    people = letter["people"]
    # True is an int, too, and no number of people.
    if type(people) is not int or not 1 <= people <= MOST_PEOPLE:
        raise _make_refusal(path, lab, f"says {people!r:.40} people; expected a whole number from 1 to {MOST_PEOPLE}")
    if not _is_round_key(letter["round_key"]):
        raise _make_refusal(path, lab, "holds a round key that cannot be used; ask it for a new hello")
    return letter


def read_part(path, head, public, roster, count):
    """Return (letter, integers (count,) uint64), a laboratory's masked share of a joint sum, from a file, checked.

    Nothing in the file is packed, so that it is no smaller than what it holds, and no header of it is believed: each is
    compared with the one that `pack_part` writes. The integers are looked at once the letter's signature holds.

    Parameters
    ----------
    path : path
        The file.
    head : dict
        What the letter must bear.
    public : str
        The key that the study lists.
    roster : str
        Digest of the round's hellos.
    count : int
        Integers that the study asks for.
    """
    lab = head["lab"]
    content = _read_content(path, lab, LARGEST + ARCHIVE_ROOM + 8 * count)
    try:
        text, integers = _read_members(content)
        text = _read_plain(text, np.uint8)
    except (ValueError, RuntimeError, EOFError, OSError, struct.error, zipfile.BadZipFile) as error:
        raise _make_refusal(path, lab, "is not a part that shapedp wrote") from error
    if len(text) > LARGEST:
        raise _make_refusal(path, lab, f"has a text of more than {LARGEST} bytes")
    letter = _check_letter(_parse_letter(text.tobytes(), path, lab, PART), path, head, public)
    try:
        part = _read_plain(integers, np.uint64)
    except ValueError:
        part = ()
    if len(part) != count:
        raise _make_refusal(
            path, lab, f"does not hold the {count} unsigned integers of 64 bits that the study asks for"
        )
    if letter["integers"] != digest_integers(part) or letter["count"] != count:
        raise _make_refusal(path, lab, "holds integers that its sender did not sign")
    if letter["roster"] != roster:
        raise _make_refusal(path, lab, "was made for other hellos than those that lie here")
    return letter, part


def _read_members(content):
    """Return the bytes of the two members of a part's archive, however hostile it is.

    ValueError, or an error of zipfile, where it is another. The directory is bounded before it is read, and so is each
    member, since none may be packed.
    """
    if len(content) < END.size:
        raise ValueError("too short")
    mark, _, _, entries_here, entries, size, _, comment = END.unpack_from(content, len(content) - END.size)
    if (mark, entries_here, entries, comment) != (END_MARK, 2, 2, 0) or size > ARCHIVE_ROOM:
        raise ValueError("another directory")
    # An archive with a second directory, of any size, could show other members to another reader.
    if content[: -END.size][-LARGE_ROOM:].startswith(LARGE_MARK):
        raise ValueError("a second directory")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = archive.infolist()
        is_plain = all(
            member.compress_type == zipfile.ZIP_STORED and member.file_size == member.compress_size
            for member in members
        )
        if tuple(member.filename for member in members) != MEMBERS or not is_plain:
            raise ValueError("other members")
        return [archive.read(member) for member in members]


def _make_header(dtype, count):
    """Return the bytes that must stand before so many numbers in a part; any other header is refused unread."""
    stream = io.BytesIO()
    descr = np.lib.format.dtype_to_descr(np.dtype(dtype))
    np.lib.format.write_array_header_1_0(stream, {"descr": descr, "fortran_order": False, "shape": (count,)})
    return stream.getvalue()


def _read_plain(member, dtype):
    """Return the numbers of one member of a part's archive; ValueError where its header is not a part's."""
    room, size = len(_make_header(dtype, 0)), np.dtype(dtype).itemsize
    count, rest = divmod(len(member) - room, size)
    if count < 0 or rest or not member.startswith(_make_header(dtype, count)):
        raise ValueError("another header")
    return np.frombuffer(member, dtype, offset=room)


def _parse_letter(content, path, lab, kind):
    """Return a letter from its text, unchecked but for what it takes to find its signature."""
    try:
        return foreign.parse_json(content)
    except ValueError as error:
        raise _make_refusal(path, lab, f"is not a {kind} that shapedp wrote") from error


def digest_integers(part):
    """Return SHA-256 of a part's integers, little-endian."""
    return hashlib.sha256(np.ascontiguousarray(part, dtype="<u8").tobytes()).hexdigest()


def digest_value(value):
    """Return SHA-256 of the canonical JSON text of a value."""
    return hashlib.sha256(_encode_canonical(value)).hexdigest()


def _check_letter(letter, path, head, public):
    """Return the letter, if it bears this head, is signed with the listed key, and says what such a letter says."""
    lab, fields = head["lab"], FIELDS[head["kind"]]
    if not isinstance(letter, dict) or set(letter) != {"shapedp", *head, *fields, "signature"}:
        raise _make_refusal(path, lab, "lacks fields of a letter, or has others")
    for name, value in head.items():
        if letter[name] != value:
            raise _make_refusal(
                path, lab, f"is for {name} {foreign.make_printable(letter[name])!r}; expected {value!r}"
            )
    unsigned = {key: value for key, value in letter.items() if key != "signature"}
    if not isinstance(letter["signature"], str) or not is_signed(
        public, letter["signature"], _encode_canonical(unsigned)
    ):
        raise _make_refusal(path, lab, "is not signed with the key that the study lists for this laboratory")
    if letter["shapedp"] != VERSION:
        raise _make_refusal(path, lab, f"is of another version than {VERSION}; all laboratories take the same shapedp")
    content = {name: letter[name] for name in fields}
    if faults := checks.find_faults(content, {"type": "object", "properties": fields}):
        raise _make_refusal(path, lab, f"does not have the form of a letter ({faults[0]})")
    return letter


def _is_round_key(digits):
    """Tell whether digits are a round key that hides masks: not one with which every shared secret is 0.

    Those are of small order, among points of 64 hexadecimal digits. An X25519 exchange multiplies by a multiple of 8,
    so any private key tells: it ends at 0 for these points alone.
    """
    try:
        X25519PrivateKey.generate().exchange(X25519PublicKey.from_public_bytes(parse_key(digits, "round key")))
    except (ConfigError, ValueError):
        return False
    return True


def _read_content(path, lab, largest):
    """Return the bytes of a letter's file; raise ConfigError where it is not there, or strange, unread."""
    try:
        return foreign.read_bytes(path, largest)
    except FileNotFoundError as error:
        raise _make_refusal(path, lab, "is not there; ask the laboratory for it") from error
    except ValueError as error:
        raise _make_refusal(path, lab, str(error)) from error


def _make_refusal(path, lab, reason):
    """Return the refusal of a laboratory's letter."""
    return ConfigError(f"{path}: the letter of laboratory '{lab}' {reason}. Nothing was spent")


def _encode_canonical(value):
    """Return canonical JSON, the bytes that are signed and digested: the same wherever they are made."""
    try:
        return population_ledger.to_canonical(value).encode("ascii")
    except (TypeError, ValueError) as error:
        raise ConfigError(f"a letter holds what JSON does not: {error}") from error
