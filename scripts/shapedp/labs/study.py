"""A study: what several laboratories agree on before anybody looks, in one public file.

    study.yaml       laboratories and their keys, how many may conspire, the release, the settings that decide it
    template.h5      the template that all register to
    variation.h5     what was learned from public people, where the release is shaped by it

A plan lists no laboratories: it fixes what releases need in common to be pooled (`planned_for` of how many people).

The digest of a study covers the agreement and the two files, to the last bit: letters are signed over it, so that
laboratories whose copies differ cannot be summed by mistake.

What a joint release guarantees a person against laboratories that conspire is (13.2) of docs/mathematics.md: it is
drawn for mu_0, which the world faces, so that t laboratories that conspire face the mu of the study.
"""

import copy
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from shapedp.errors import ConfigError
from shapedp.labs import letters
from shapedp.storage import files

FILE, TEMPLATE, VARIATION = "study.yaml", "template.h5", "variation.h5"
NO_FILE = "none"


def _object(required, optional=None):
    """The JSON schema of an object with these properties and no others."""
    properties = {**required, **(optional or {})}
    return {"type": "object", "additionalProperties": False, "required": list(required), "properties": properties}


PEOPLE = {"type": "integer", "maximum": letters.MOST_PEOPLE}
LABORATORY = _object({"key": {"type": "string"}, "people": {**PEOPLE, "minimum": 1}})
SCHEMA = _object(
    {
        "study": {"type": "string", "pattern": "^[a-z0-9][a-z0-9_-]{0,31}$"},
        "labs": {"type": "object", "additionalProperties": LABORATORY},
        "conspiring": {"type": "integer", "minimum": 0},
        "overlap": {"enum": ["none", "possible"]},
        "release": {"type": "object", "required": ["name", "mechanism", "budget"]},
        "settings": {"type": "object"},
        "sources": {"type": "object", "required": ["settings", "template", "bounds"]},
        "statement": {"type": "object"},
        "files": _object({"template": {"type": "string"}, "variation": {"type": "string"}}),
    },
    optional={"planned_for": {**PEOPLE, "minimum": 2}},
)


@dataclass(frozen=True)
class Study:
    """folder : where its files lie; agreed : the checked content of study.yaml."""

    folder: Path
    agreed: dict

    @property
    def name(self) -> str:
        """The study's name, part of the names of its folders."""
        return self.agreed["study"]

    @property
    def labs(self) -> dict:
        """{laboratory: {"key": public key, "people": how many it expects}}."""
        return self.agreed["labs"]

    @property
    def conspiring(self) -> int:
        """t: up to how many other laboratories the budget is promised against."""
        return self.agreed["conspiring"]

    @property
    def records_a_person(self) -> int:
        """How many of the summed records one person may have, at most: two where somebody may be in two laboratories.

        What a part costs, what the statement promises and what each number of conspirators faces are this many times
        what one record costs.
        """
        return 2 if self.agreed["overlap"] == "possible" else 1

    @property
    def release(self) -> dict:
        """The entry of `releases:` that is made together."""
        return self.agreed["release"]

    @property
    def is_plan(self) -> bool:
        """Whether each laboratory releases by itself, for as many people as `planned_for`, and releases are pooled."""
        return not self.labs

    def refuse_other_settings(self, faces: Mapping[str, Any]) -> None:
        """Refuse settings that decide a person's curves, and releases of a plan, that are not what was agreed on."""
        for key, agreed in self.agreed["settings"].items():
            if faces[key] != agreed:
                raise ConfigError(
                    f"faces.{key}: {faces[key]!r} is not what the study agreed on, {agreed!r}; take over its settings "
                    "and run snakemake again. Nothing was spent"
                )
        for entry in faces["releases"] if self.is_plan else ():
            unlike = [key for key, agreed in self.release.items() if key != "name" and entry.get(key) != agreed]
            if entry.get("planned_for") is not None and unlike:
                raise ConfigError(
                    f"faces.releases: {entry['name']}: `{unlike[0]}` is {entry.get(unlike[0])!r}, and the study plan "
                    f"has {self.release[unlike[0]]!r}; what is planned for others follows the plan"
                )

    @property
    def digest(self) -> str:
        """SHA-256 of all that was agreed on."""
        return letters.digest(self.agreed)

    @property
    def template(self) -> Path:
        """The template's file."""
        return self.folder / TEMPLATE

    @property
    def variation(self) -> Path | None:
        """The file of what was learned from public people; None where the release does not rest on it."""
        return None if self.agreed["files"]["variation"] == NO_FILE else self.folder / VARIATION

    def key_of(self, lab: str) -> str:
        """The public key that the study lists for a laboratory."""
        if lab not in self.labs:
            raise ConfigError(
                f"{self.folder / FILE}: lists no laboratory '{lab}'; it lists {', '.join(sorted(self.labs))}"
            )
        return self.labs[lab]["key"]


def load(path: Path) -> Study:
    """The study of a study.yaml, or of the folder that holds it, checked against the files beside it."""
    path = Path(path)
    path = path / FILE if path.is_dir() else path
    try:
        agreed = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ConfigError(f"{path}: there is no study here; `shapedp study new` makes one") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not valid YAML: {error}") from error
    study = Study(path.parent, check(agreed, path))
    for name, kept in (("template", study.template), ("variation", study.variation)):
        if kept is not None and (not kept.exists() or files.digest(kept) != agreed["files"][name]):
            raise ConfigError(
                f"{kept}: is not the {name} that {path.name} was agreed on with; ask for the study's file"
            )
    return study


def check(agreed: dict, source: Path) -> dict:
    """The agreement, if it is whole and promises something."""
    faults = sorted(jsonschema.Draft202012Validator(SCHEMA).iter_errors(agreed), key=lambda one: list(one.path))
    if faults:
        key = ".".join(map(str, faults[0].absolute_path)) or "top level"
        raise ConfigError(f"{source}: {key}: {faults[0].message}")
    for lab, told in agreed["labs"].items():
        letters.check_name(lab)
        letters.key_bytes(told["key"], f"{source}: labs.{lab}.key")
    keys = [told["key"] for told in agreed["labs"].values()]
    if len(set(keys)) < len(keys):
        raise ConfigError(
            f"{source}: labs: two laboratories have the same key; each makes its own with `shapedp lab key`"
        )
    if keys or "planned_for" not in agreed:
        check_conspiring(len(keys), agreed["conspiring"])
    return agreed


def write(folder: Path, agreed: dict, template: Path, variation: Path | None) -> Study:
    """Write a study's files into a new folder, and read it again as every laboratory will."""
    folder = Path(folder)
    if (folder / FILE).exists():
        raise ConfigError(f"{folder / FILE}: there is a study here already; give another folder")
    agreed = copy.deepcopy(agreed)
    given = {"template": template, "variation": variation}
    agreed["files"] = {name: files.digest(path) if path else NO_FILE for name, path in given.items()}
    check(agreed, folder / FILE)
    for name, path in ((TEMPLATE, template), (VARIATION, variation)):
        if path:
            with files.atomic(folder / name) as partial:
                partial.write_bytes(Path(path).read_bytes())
    files.write_text(folder / FILE, yaml.safe_dump(agreed, sort_keys=False))
    return load(folder)


def faced(world, labs):
    """[mu_c] for c = 0..L - 1 laboratories that conspire with whoever looks; world : mu_0."""
    return [world * math.sqrt(labs / (labs - c)) for c in range(labs)]


def of_the_world(mu, labs, conspiring):
    """mu_0: what the joint release is drawn for, so that t laboratories that conspire face mu."""
    check_conspiring(labs, conspiring)
    return mu * math.sqrt((labs - conspiring) / labs)


def log10_distance(scale, labs):
    """log10 of tau, (13.3), for a laboratory's noise of this scale in steps of the grid; LEAST where it is less."""
    exponents = [-2 * math.pi**2 * scale**2 * k / (k + 1) for k in range(1, labs)]
    largest = max(exponents)
    total = sum(math.exp(one - largest) for one in exponents)
    return max(LEAST, (largest + math.log(10 * total)) / math.log(10))


LEAST = -1e17  # in a statement; all that is below is zero as well


def check_conspiring(labs, conspiring):
    """Refuse numbers that promise nothing."""
    if labs < 2:
        raise ConfigError(f"labs: {labs}; a joint release takes at least two laboratories")
    if not 0 <= conspiring < labs:
        raise ConfigError(f"conspiring: {conspiring}; must be at least 0 and below the number of laboratories, {labs}")
