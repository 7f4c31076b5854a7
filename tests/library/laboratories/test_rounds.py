"""A round of five laboratories: what it sums is exact, and whatever is wrong with a letter is refused in words."""

import io
import json
import shutil
import zipfile

import numpy as np
import pytest

from library.laboratories.five_labs import LABS, PEOPLE, WIDTH, NoNoise, WholeSums, make, part_of, people_of, sender
from shapedp.base.errors import ConfigError
from shapedp.base.storage import files
from shapedp.laboratories import letters, rounds

LEDGER = {"entry": 1, "digest": "0" * 64, "mu": 1.0, "date": "2026-01-01"}


def send_all(this, keys, source=None, labs=LABS):
    for lab in labs:
        content = sender(this, lab, keys).signed_part(part_of(this, lab, keys, source), LEDGER)
        with files.atomic(this.part_path(lab)) as partial:
            partial.write_bytes(content)


def answer(this):
    return rounds.compute_answer(this, WholeSums())


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """(Study, round, keys) with all parts there."""
    folder = tmp_path_factory.mktemp("rhine")
    study, this = make(folder)
    send_all(this, folder / "keys")
    return study, this, folder / "keys"


@pytest.fixture
def copied(finished, tmp_path):
    """The same in a folder that a test may spoil."""
    study, this, keys = finished
    shutil.copytree(this.folder, tmp_path / "letters")
    shutil.copytree(keys, tmp_path / "keys")
    return rounds.Round(study, tmp_path / "letters", 1, 0), keys


def test_the_sum_without_noise_is_that_of_one_laboratory_with_everybody(tmp_path):
    _, this = make(tmp_path)
    send_all(this, tmp_path / "keys", NoNoise())
    assert (answer(this) == sum(people_of(lab).sum(axis=0) for lab in LABS)).all()


def test_noise_of_the_sum_is_what_the_study_asks_for(finished):
    """Five shares of a fifth of the variance each, seen on 40 integers at 5 standard errors."""
    _, this, _ = finished
    noise = answer(this) - sum(people_of(lab).sum(axis=0) for lab in LABS)
    ratio = np.sqrt(np.mean((noise / 1e6) ** 2))
    assert abs(ratio - 1) < 5 / np.sqrt(2 * WIDTH)


def spoil_json(path, **changes):
    letter = json.loads(path.read_text())
    path.write_text(json.dumps({**letter, **changes}))


def hello(this, lab="graz"):
    return this.hello_path(lab)


def part(this, lab="graz"):
    return this.part_path(lab)


def repacked(this, change, lab="graz"):
    """A part whose letter and integers went through change(letter, integers), packed again without a new signature."""
    with np.load(part(this, lab)) as archive:
        letter, integers = json.loads(archive["letter"].tobytes()), archive["part"]
    part(this, lab).write_bytes(letters.pack_part(*change(letter, integers)))


def of_ulm(this):
    shutil.copy(hello(this, "ulm"), hello(this))


def edited_people(this):
    spoil_json(hello(this), people=PEOPLE + 1)


def swapped_round_key(this):
    spoil_json(hello(this), round_key=json.loads(hello(this, "ulm").read_text())["round_key"])


def resigned(this, **changes):
    """A member's own hello, signed by it with other content."""
    letter = json.loads(hello(this).read_text())
    content = {name: letter[name] for name in letters.FIELDS[letters.HELLO]} | changes
    key = letters.load_key(this.folder.parent / "keys" / "graz", "graz")
    hello(this).write_text(json.dumps(letters.sign_letter(this.make_head(letters.HELLO, "graz"), content, key)))


def round_key_of_small_order(this):
    resigned(this, round_key="00" * 32)


def round_key_in_words(this):
    resigned(this, round_key="a round key")


def no_people(this):
    resigned(this, people=0)


def people_in_words(this):
    resigned(this, people="8")


def other_template(this):
    spoil_json(hello(this), template="0" * 64)


def other_study(this):
    spoil_json(hello(this), study="0" * 64)


def earlier_round(this):
    spoil_json(hello(this), round="0-0")


def no_signature(this):
    spoil_json(hello(this), signature="")


def one_field_more(this):
    spoil_json(hello(this), note="")


def cut_off(this):
    hello(this).write_bytes(hello(this).read_bytes()[:-40])


def not_listed(this):
    shutil.copy(hello(this), hello(this, "oslo"))


def a_hello_after_the_parts(this):
    hello(this, "pisa").unlink()


def missing_part(this):
    part(this).unlink()


def part_of_ulm(this):
    shutil.copy(part(this, "ulm"), part(this))


def one_number_too_many(this):
    repacked(this, lambda letter, integers: (letter, np.append(integers, np.uint64(0))))


def floats(this):
    repacked(this, lambda letter, integers: (letter, np.full(len(integers), np.nan)))


def signed_numbers(this):
    repacked(this, lambda letter, integers: (letter, integers.view(np.int64)))


def zeros_without_masks(this):
    repacked(this, lambda letter, integers: (letter, np.zeros_like(integers)))


def one_bit(this):
    repacked(this, lambda letter, integers: (letter, integers ^ np.uint64(1)))


def other_roster(this):
    repacked(this, lambda letter, integers: ({**letter, "roster": "0" * 64}, integers))


def other_ledger_line(this):
    repacked(this, lambda letter, integers: ({**letter, "ledger": {"line": "another"}}, integers))


def another_version(this):
    letter = {key: one for key, one in json.loads(hello(this).read_text()).items() if key != "signature"}
    key = letters.load_key(this.folder.parent / "keys" / "graz", "graz")
    made = letters.sign_letter({}, {**letter, "shapedp": letters.VERSION + 1}, key)
    hello(this).write_text(json.dumps(made))


def digest_in_numbers(this):
    resigned(this, template=7)


def much_software(this):
    resigned(this, software="\x1b[31m" * 9)


def deep(this):
    hello(this).write_text('{"a":' * 20_000)


def no_number(this):
    hello(this).write_text('{"people": NaN}')


def more_digits_than_are_read(this):
    hello(this).write_text('{"people": ' + "9" * 6_000 + "}")


def a_key_twice(this):
    hello(this).write_text(hello(this).read_text().replace("{", '{"people": 1, "people": 2,', 1))


def numbers_of_another_round(this):
    spoil_json(hello(this), round=["\n" * 300])


def larger_than_a_letter(this):
    with hello(this).open("ab") as stream:
        stream.truncate(1 << 40)


def without_end(this):
    part(this).unlink()
    part(this).symlink_to("/dev/zero")


def archived(this, names=("letter.npy", "part.npy"), packing=zipfile.ZIP_STORED, more=b"", comment=b""):
    """The part in an archive of another make."""
    with zipfile.ZipFile(part(this)) as archive:
        held = [archive.read(one) + more for one in archive.namelist()]
    with zipfile.ZipFile(part(this), "w", packing) as archive:
        archive.comment = comment
        for name, content in zip(names, held, strict=True):
            archive.writestr(name, content)


def packed(this):
    archived(this, packing=zipfile.ZIP_DEFLATED)


def packed_zeros(this):
    archived(this, packing=zipfile.ZIP_DEFLATED, more=bytes(300 << 20))


def other_names(this):
    archived(this, names=("letter.npy", "../part.npy"))


def a_remark(this):
    archived(this, comment=b"PK")


def third_member(this):
    with zipfile.ZipFile(part(this), "a") as archive:
        archive.writestr("more", "")


def large_directory(this):
    content = part(this).read_bytes()
    part(this).write_bytes(content[:-22] + b"PK\x06\x07" + bytes(16) + content[-22:])


def encrypted(this):
    content = part(this).read_bytes()
    part(this).write_bytes(
        content.replace(b"PK\x01\x02\x14\x03\x14\x00\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01\x00")
    )


def header_in_code(this):
    repacked(this, lambda letter, integers: (letter, integers))
    content = part(this).read_bytes()
    part(this).write_bytes(content.replace(b"'fortran_order': False", b"'fortran_order': " + b"(" * 5))


def deep_letter_of_a_part(this):
    with zipfile.ZipFile(part(this)) as archive:
        held = archive.read("part.npy")
    text = io.BytesIO()
    np.save(text, np.frombuffer(b'{"a":' * 10_000, dtype=np.uint8))
    with zipfile.ZipFile(part(this), "w") as archive:
        archive.writestr("letter.npy", text.getvalue())
        archive.writestr("part.npy", held)


def signed_signs(this):
    signed_nonsense(this, LEDGER | {"an unknown key\n\x1b[31m": 1})


def signed_nonsense(this, said=None):
    """What a laboratory signs itself, and no letter says."""
    with np.load(part(this)) as archive:
        letter, integers = json.loads(archive["letter"].tobytes()), archive["part"]
    key = letters.load_key(this.folder.parent / "keys" / "graz", "graz")
    content = {name: letter[name] for name in letters.FIELDS[letters.PART]}
    content["ledger"] = said or {"date": 7}
    made = letters.sign_letter(this.make_head(letters.PART, "graz"), content, key)
    part(this).write_bytes(letters.pack_part(made, integers))


def replaced_by_a_hello(this):
    shutil.copy(hello(this), part(this))


def empty(this):
    part(this).write_bytes(b"")


def pickled(this):
    with part(this).open("wb") as stream:
        np.savez(stream, letter=np.array([{}], dtype=object), part=np.zeros(WIDTH, dtype=np.uint64))


ATTACKS = (
    of_ulm,
    edited_people,
    swapped_round_key,
    round_key_of_small_order,
    round_key_in_words,
    no_people,
    people_in_words,
    other_template,
    other_study,
    earlier_round,
    no_signature,
    one_field_more,
    cut_off,
    not_listed,
    a_hello_after_the_parts,
    missing_part,
    part_of_ulm,
    one_number_too_many,
    floats,
    signed_numbers,
    zeros_without_masks,
    one_bit,
    other_roster,
    other_ledger_line,
    replaced_by_a_hello,
    empty,
    pickled,
    another_version,
    digest_in_numbers,
    much_software,
    deep,
    no_number,
    more_digits_than_are_read,
    a_key_twice,
    numbers_of_another_round,
    larger_than_a_letter,
    without_end,
    packed,
    packed_zeros,
    other_names,
    a_remark,
    third_member,
    large_directory,
    encrypted,
    header_in_code,
    deep_letter_of_a_part,
    signed_nonsense,
    signed_signs,
)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda one: one.__name__)
def test_whatever_is_wrong_is_refused_naming_file_and_laboratory(copied, attack):
    this, _ = copied
    attack(this)
    with pytest.raises(ConfigError) as refusal:
        answer(this)
    told = str(refusal.value)
    assert "\n" not in told
    assert "laborator" in told and str(this.folder) in told and len(told) < 1000 and told.isprintable()


def test_too_few_laboratories_are_no_sum(copied):
    this, _ = copied
    for lab in LABS[1:]:
        hello(this, lab).unlink()
    with pytest.raises(ConfigError, match="at least two"):
        this.read_hellos()


def test_masks_of_two_rounds_differ(tmp_path):
    study, first = make(tmp_path)
    second = rounds.Round(study, first.folder, 2, 0)
    for lab in LABS:
        rounds.say_hello(second, lab, PEOPLE, tmp_path / "keys" / lab, "test")
    keys = tmp_path / "keys"
    assert not (part_of(first, "graz", keys, NoNoise()) == part_of(second, "graz", keys, NoNoise())).any()


def test_a_hello_is_said_once_a_round(finished):
    _, this, keys = finished
    before = hello(this).read_bytes()
    rounds.say_hello(this, "graz", PEOPLE, keys / "graz", "test")
    assert hello(this).read_bytes() == before


def test_another_s_key_cannot_say_hello(finished, tmp_path):
    study, _, keys = finished
    shutil.copytree(keys / "ulm", tmp_path / "keys")
    (tmp_path / "keys/ulm.key").rename(tmp_path / "keys/graz.key")
    again = rounds.Round(study, tmp_path, 1, 0)
    with pytest.raises(ConfigError, match="not the key that the study lists"):
        rounds.say_hello(again, "graz", PEOPLE, tmp_path / "keys", "test")
