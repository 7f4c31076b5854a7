"""What strangers send, made up by the thousand: studies, letters, sources of a pool, folders of releases.

Each goes through the command that reads it, in a folder where a ledger, scans and a thesis lie. It is taken, or refused
in one line that names a file; nothing is imported for it, and nothing but the output folder changes.
"""

import contextlib
import copy
import datetime
import hashlib
import io
import json
import os
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

import h5py
import numpy as np
import yaml

from benchmarks import fuzz_reading
from library.laboratories import five_labs, test_pooling
from shapedp.app.cli import commands
from shapedp.base import artifacts
from shapedp.base.errors import ShapedpError
from shapedp.laboratories import joint, letters, rounds
from shapedp.ledger.ledger_folder import Ledger
from shapedp.releases.allow_list import KINDS
from shapedp.releases.kinds.mean.release import MeanShape

CODE = "rhine_code"  # a module that lies where it could be imported, and never is
HOSTILE = (
    *(None, True, False, -1, 0, 1, 2**70, 1e308, -0.0, float("nan"), float("inf"), "", " ", ".", ".."),
    *("../../../data/ledger", "data/ledger", "/tmp/elsewhere", "thesis.txt", "scans", "together\n", "x" * 5000),
    *(f"{CODE}:Evil", f"{CODE}.evil:Evil", "os:system", "matched", "kng", "growth", "asymmetry", "0" * 64, "f" * 64),
    *(
        "<script>alert(1)</script>",
        "](javascript:alert(1))",
        "\x1b[31m",
        "\u202e",
        "\ud800".encode("utf-16", "surrogatepass"),
    ),
    *([], {}, [[]], {"a": 1}, {1: 2}, ["a"] * 50, datetime.date(2026, 1, 1), "NaN", "1e999", "0x" + "f" * 3000),
)
YAML_WORDS = (
    b"&a ",
    b"*a",
    b"!!python/name:os.system ",
    b"!!binary ",
    b"<<: ",
    b"[" * 60,
    b"{",
    b"\n- ",
    b"? ",
    b"%YAML 9",
    b"---\n",
)
TEXTS = (
    "a0: &a [x]\na1: [*a, *a]\n",
    "[" * 3000,
    "- " * 3000,
    "a: " * 300,
    "#" * (1 << 19),
    "\x00",
    "study: !!set {a}",
)


def listing(folder, apart):
    """{path: kind and digest} of all that lies under a folder, but for one place in it."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if not path.is_relative_to(apart):
            plain = path.is_file() and not path.is_symlink()
            found[path] = hashlib.sha256(path.read_bytes()).digest() if plain else path.lstat().st_mode
    return found


def spoiled(value, rng):
    """A copy of a tree of dictionaries and lists with one place in it replaced, removed, doubled or added to."""
    made = copy.deepcopy(value)
    here = made
    while True:
        keys = list(here) if isinstance(here, dict) else list(range(len(here)))
        if not keys:
            return made
        key = keys[rng.integers(len(keys))]
        deeper = isinstance(here[key], dict | list) and here[key]
        if deeper and rng.random() < 0.75:
            here = here[key]
            continue
        wrong = HOSTILE[rng.integers(len(HOSTILE))]
        change = rng.integers(4)
        if change == 0:
            del here[key]
        elif change == 1 and isinstance(here, dict):
            here[str(wrong)[:300] if rng.random() < 0.5 else "unknown"] = here[key]
        elif change == 2 and isinstance(here[key], int | float) and not isinstance(here[key], bool):
            here[key] = here[key] * float(rng.choice([-1, 0, 1e9, 0.5, 1e-300]))
        else:
            here[key] = wrong
        return made


@dataclass
class Workspace:
    """A folder in which strangers' files are met: what is in it, and the commands that read them."""

    folder: Path
    output: Path = field(init=False)

    def __post_init__(self):
        self.output = self.folder / "out"
        (self.folder / "scans").mkdir()
        (self.folder / "scans/p1.ply").write_bytes(b"ply")
        (self.folder / "thesis.txt").write_text("years of work")
        (self.folder / CODE).mkdir()
        for name in ("__init__.py", "evil.py"):
            (self.folder / CODE / name).write_text(f"open({str(self.folder / 'ran')!r}, 'w')\nclass Evil: pass\n")
        Ledger(self.folder / "data/ledger").key()
        study, this = five_labs.make(self.folder)
        self.study, self.round, self.agreed = study, this, study.agreed
        for lab in five_labs.LABS:
            part = five_labs.part_of(this, lab, self.folder / "keys", five_labs.NoNoise())
            line = {"entry": 1, "digest": "0" * 64, "mu": 1.0, "date": "2026-01-01"}
            content = five_labs.sender(this, lab, self.folder / "keys").signed_part(part, line)
            this.part_path(lab).write_bytes(content)
        public, p0 = test_pooling.outlines(60, rng := np.random.default_rng(1))
        given = [((test_pooling.as_complex(public), p0), test_pooling.outlines(50, rng)[0]) for _ in range(2)]
        labs = enumerate(given)
        self.sources = [
            test_pooling.lab_shape(self.folder, f"lab_{at}", rows, known, MeanShape) for at, (known, rows) in labs
        ]
        curves = self.folder / "faces"
        curves.mkdir()
        test_pooling.write_public(curves)
        self.faces = [test_pooling.lab_face(curves, f"lab_{at}", 50 + at) for at in range(2)]
        self.sound = {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
        self.folders = {path for path in self.folder.rglob("*") if path.is_dir()}

    def restore(self):
        """Put everything back as it was."""
        for path in sorted(self.folder.rglob("*"), reverse=True):
            if path.is_symlink() or (path.is_file() and path not in self.sound):
                path.unlink()
            elif path.is_dir() and path not in self.folders:
                path.rmdir()
        for path, content in self.sound.items():
            if not path.is_file() or path.read_bytes() != content:
                path.write_bytes(content)

    def met(self, work, named):
        """What became of a file: "taken", "refused", or "escaped: ..." with the reason; and how long it took, s.

        work : reads it; named : one of these places stands in the line of a refusal
        """
        self.output.mkdir(exist_ok=True)
        before, start = listing(self.folder, self.output), time.process_time()
        with contextlib.redirect_stderr(said := io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            found = _outcome(work, said, named)
        spent = time.process_time() - start
        if listing(self.folder, self.output) != before:
            found = "escaped: something else changed"
        if any(name.split(".")[0] in (CODE, "antigravity") for name in sys.modules) or (self.folder / "ran").exists():
            found = "escaped: imported"
        return found, spent

    def of_study(self, rng):
        """A study that somebody mailed, combined."""
        path = self.folder / "study" / "study.yaml"
        draw = rng.random()
        if draw < 0.15:
            path.write_text(TEXTS[rng.integers(len(TEXTS))])
        else:
            agreed = self.agreed
            for _ in range(rng.integers(1, 3)):
                agreed = spoiled(agreed, rng)
            try:
                content = yaml.safe_dump(agreed, sort_keys=False).encode("utf-8", "surrogateescape")
            except yaml.YAMLError:
                content = repr(agreed).encode("utf-8", "replace")
            if draw < 0.4:
                content = fuzz_reading.mutate(content, rng)
            elif draw < 0.55:
                place = rng.integers(len(content))
                content = content[:place] + YAML_WORDS[rng.integers(len(YAML_WORDS))] + content[place:]
            path.write_bytes(content)
        shown = {"statement.json": b"{}", "mean_face.h5": b"a release"}
        output = str(self.output / "release/faces")
        arguments = ["study", "combine", "study", "--letters", "letters", "--output", output]
        with mock.patch.object(joint, "combine_parts", lambda this: (shown, five_labs.LABS)):
            return self.met(lambda: command(*arguments), [path, "study.yaml", "study/", output])

    def of_letter(self, rng):
        """A letter of one laboratory, whose sum is asked for."""
        lab = five_labs.LABS[rng.integers(len(five_labs.LABS))]
        path = self.round.part_path(lab) if rng.random() < 0.6 else self.round.hello_path(lab)
        content, draw = path.read_bytes(), rng.random()
        if draw < 0.3:
            content = fuzz_reading.mutate(content, rng)
        elif path.suffix == ".json":
            letter = spoiled(json.loads(content), rng)
            content = _text(self._signed(letter, lab) if rng.random() < 0.5 else letter)
        else:
            with np.load(io.BytesIO(content)) as archive:
                letter, integers = json.loads(archive["letter"].tobytes()), archive["part"]
            if draw < 0.7:
                letter = spoiled(letter, rng)
                letter = self._signed(letter, lab) if rng.random() < 0.7 else letter
            else:
                makes = np.float64, np.int64, ">u8", np.uint8, np.complex128
                integers = integers[: rng.integers(len(integers) + 1)].astype(makes[rng.integers(len(makes))])
            stream = io.BytesIO()
            save = (np.savez, np.savez_compressed)[rng.integers(2)]
            save(stream, letter=np.frombuffer(_text(letter), np.uint8), part=integers)
            content = stream.getvalue()
        path.write_bytes(content)
        work = lambda: rounds.compute_answer(self.round, five_labs.WholeSums())  # noqa: E731
        return self.met(work, ["laboratory '"])  # a hello that is signed anew spoils the others' parts

    def _signed(self, letter, lab):
        """A letter that its laboratory signs itself, whatever it says."""
        unsigned = {key: one for key, one in letter.items() if key != "signature"}
        key = letters.load_key(self.folder / "keys" / lab, lab)
        try:
            return {**unsigned, "signature": key.sign(letters._encode_canonical(unsigned)).hex()}
        except (ShapedpError, TypeError, UnicodeEncodeError):
            return letter

    def of_source(self, rng):
        """One of two sources of a pool."""
        source = self.sources[rng.integers(2)]
        self._spoil(source, rng)
        arguments = ["pool", *map(str, self.sources), "--results", str(self.output)]
        name = HOSTILE[rng.integers(len(HOSTILE))]
        if rng.random() < 0.15 and isinstance(name, str) and "\0" not in name and name:
            arguments += [f"--name={name}"]
        drawn = mock.patch("shapedp.releases.figures.release_files.draw", lambda folder, branch, target: None)
        with drawn, mock.patch("shapedp.releases.viewer.release_page.render_page", lambda folder: ""):
            return self.met(lambda: command(*arguments), [str(source), "--name"])

    def of_folder(self, rng):
        """A released folder that is described, exported, compared, predicted from or assessed with."""
        folders = (self.sources, self.faces)[rng.integers(2)]
        self._spoil(folders[0], rng)
        first, out = str(folders[0]), self.output
        asked = (
            ["describe", first],
            ["export", first, str(out / "mean.csv")],
            ["export", first, str(out / "made"), "--as", "csv"],
            ["export", first, str(out / "mean.npz")],
            ["compare", first, str(folders[1]), "--output", str(out / "compared.csv")],
            ["predict", first, "--output", str(out / "predicted.csv")],
            ["assess", "scans/p1.ply", first, "--output", str(out / "assessed")],
        )
        return self.met(lambda: command(*asked[rng.integers(len(asked))]), [first, "scans/p1.ply"])

    def _spoil(self, folder, rng):
        """Change one file of a release: its bytes, its values under a new seal, or what kind of file it is."""
        path = sorted(folder.iterdir())[rng.integers(len(list(folder.iterdir())))]
        draw = rng.random()
        if draw < 0.1:
            path.unlink()
            (
                lambda: None,
                path.mkdir,
                lambda: path.symlink_to("/dev/zero"),
                lambda: path.symlink_to(self.folder / "thesis.txt"),
            )[rng.integers(4)]()
        elif path.suffix == ".h5" and draw < 0.7:
            _spoil_fields(path, rng)
        elif path.suffix == ".json" and draw < 0.8:
            path.write_bytes(_text(spoiled(json.loads(path.read_text()), rng)))
        else:
            path.write_bytes(fuzz_reading.mutate(path.read_bytes(), rng))
            if path.suffix == ".h5" and rng.random() < 0.7 and path.stat().st_size > artifacts.HEADER_BYTES:
                artifacts.seal(path, KINDS[path.name])


def _spoil_fields(path, rng):
    """Other values in one field of an HDF5 file, under a new seal."""
    with h5py.File(path, "r+") as file:
        names = list(file)
        name = names[rng.integers(len(names))]
        value, change = file[name][()], rng.integers(8)
        if change == 0:
            del file[name]
        elif isinstance(value, bytes):
            told = json.loads(value)
            text = _text(spoiled(told, rng)) if change < 6 else (b"[" * 9000, b"\xff", b"7", b"")[rng.integers(4)]
            del file[name]
            file.create_dataset(name, data=np.array(text, dtype=h5py.string_dtype("utf-8", max(1, len(text)))))
        elif change == 1:
            file.attrs["provenance"] = ("{}", "[" * 5000, '{"shapedp": 1, "settings": 2, "inputs": 3, "made_of": 4}')[
                rng.integers(3)
            ]
        elif change == 2:
            del file[name]
            file.create_dataset(
                name, (1 << 28, *np.shape(value)[1:]), np.asarray(value).dtype, chunks=True, compression="gzip"
            )
        elif change == 3:
            del file[name]
            file[name] = h5py.ExternalLink("/etc/passwd", "/") if rng.random() < 0.5 else h5py.SoftLink("/")
        else:
            wrong = np.array(value)
            flat = wrong.reshape(-1)
            if flat.size and wrong.dtype.kind in "fiu":
                with np.errstate(all="ignore"):
                    flat[rng.integers(flat.size)] = np.array(rng.choice([np.nan, np.inf, -1, 0, 1e300]), float).astype(
                        wrong.dtype
                    )
            keep = rng.integers(1, len(wrong) + 1) if wrong.ndim and len(wrong) and change == 4 else None
            del file[name]
            file[name] = wrong[:keep] if keep else wrong
    artifacts.seal(path, KINDS[path.name])


def _text(value):
    """JSON, as liberal as strangers are."""
    return json.dumps(value, default=str, skipkeys=True).encode("utf-8", "replace")


def command(*arguments):
    """Run `shapedp` with these arguments; its exit code."""
    with mock.patch.object(sys, "argv", ["shapedp", *arguments]):
        try:
            return commands.main()
        except SystemExit as done:
            return done.code


def _outcome(work, said, named):
    try:
        code = work()
    except ShapedpError as error:  # of what is called beside the command line
        said.write(f"shapedp: {error}\n")
        code = 3
    except BaseException as error:
        return f"escaped: {type(error).__name__}: {error}"
    if not isinstance(code, int) or code == 0:
        return "taken"
    lines = [line for line in said.getvalue().splitlines() if not line.startswith((" ", "/"))]  # warnings of libraries
    if len(lines) != 1 or not lines[0].isprintable() or len(lines[0]) > 3000:
        return f"escaped: {len(lines)} lines: {said.getvalue()[-300:]!r}"
    return "refused" if any(str(one) in lines[0] for one in named) else f"escaped: unnamed: {lines[0][:200]}"


SHARES = {"of_study": 0.45, "of_letter": 0.4, "of_source": 0.05, "of_folder": 0.1}


def fuzz(folder, inputs=10_000, seed=20261126, seen=None):
    """(inputs, escaped, longest time of one, s): meet so many files of strangers in a new folder.

    seen : a Counter of (kind, outcome) to fill, or None
    """
    rng, escaped, worst = np.random.default_rng(seed), 0, 0.0
    place, here = Workspace(Path(folder)), Path.cwd()
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    try:
        for _ in range(inputs):
            kind = rng.choice(list(SHARES), p=list(SHARES.values()))
            found, spent = getattr(place, kind)(rng)
            place.restore()
            escaped, worst = escaped + found.startswith("escaped"), max(worst, spent)
            if seen is not None:
                seen[kind, found] += 1
    finally:
        sys.path.remove(str(folder))
        os.chdir(here)
    return inputs, escaped, worst


def main():
    """Print what became of so many files: python -m benchmarks.fuzz_strangers FOLDER COUNT."""
    seen = Counter()
    print(fuzz(sys.argv[1], int(sys.argv[2]), seen=seen))
    for (kind, found), count in sorted(seen.items()):
        print(count, kind, found)


if __name__ == "__main__":
    main()
