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
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from shapedp.base.errors import ConfigError
from shapedp.base.settings import checks, registry, schema
from shapedp.base.storage import files, foreign
from shapedp.laboratories import letters

FILE, TEMPLATE, VARIATION = "study.yaml", "template.h5", "variation.h5"
NO_FILE = "none"
# Bytes of a study.yaml; a thousand laboratories take half.
LARGEST = 1 << 18
# Sections of the settings that decide a person's curves.
AGREED = (
    "mesh",
    "center",
    "extent",
    "surface",
    "registration",
    "gates",
    "expression",
    "curves",
    "variation",
    "bounds",
    "persons",
    "kernel",
)
SOURCES = ("settings", "template", "bounds")
# What laboratories can release together.
JOINT_KINDS = ("mean_face", "face_model")
DIGEST = {"type": "string", "pattern": r"^[0-9a-f]{64}$(?!\n)", "description": "64 hexadecimal digits"}


def _declare_object(required, optional=None):
    """Return the JSON schema of an object with these properties and no others."""
    properties = {**required, **(optional or {})}
    return {"type": "object", "additionalProperties": False, "required": list(required), "properties": properties}


@cache
def make_schema() -> dict[str, Any]:
    """Return the JSON schema that a study.yaml is checked by; what settings say, too, has the settings' own."""
    people = {"type": "integer", "maximum": letters.MOST_PEOPLE}
    name_schema = {"type": "string", "pattern": letters.NAMED, "description": letters.NAME_WORDS}
    laboratory = _declare_object({"key": DIGEST, "people": {**people, "minimum": 1}})
    entry = copy.deepcopy(schema.find_meaning("faces.releases[]"))
    entry["properties"]["mechanism"] = {
        "enum": [name for name, mechanism_traits in registry.BUILT_IN["faces"].items() if mechanism_traits.private],
        "description": "a mechanism of the library: a study names no code of its own",
    }
    entry["retired"] = {
        "group": "a study releases everybody of each laboratory; take it out",
        "reproduction": "what laboratories release together has a guarantee; take it out",
    }
    for name in entry["retired"]:
        del entry["properties"][name]
    faces, sources = schema.find_meaning("faces")["properties"], schema.find_meaning("privacy.sources")
    settings = {"additionalProperties": False, "properties": {name: faces[name] for name in AGREED}}
    agreement = _declare_object(
        {
            "study": name_schema,
            "labs": {"type": "object", "propertyNames": name_schema, "additionalProperties": laboratory},
            "conspiring": {"type": "integer", "minimum": 0, "maximum": letters.MOST_PEOPLE},
            "overlap": {"enum": ["none", "possible"]},
            "release": entry,
            "settings": {"type": "object", "retired": schema.find_meaning("faces")["retired"], **settings},
            "sources": _declare_object({name: sources["properties"][name] for name in SOURCES}),
            "statement": schema.find_meaning("privacy.statement"),
            "files": _declare_object(
                {name: {"anyOf": [DIGEST, {"const": NO_FILE}]} for name in ("template", "variation")}
            ),
        },
        optional={"planned_for": {**people, "minimum": 2}},
    )
    return {**agreement, "$defs": schema.load_schema()["$defs"]}


@dataclass(frozen=True)
class Study:
    """folder : where its files lie; agreed : the checked content of study.yaml."""

    folder: Path
    agreed: dict

    @property
    def name(self) -> str:
        """Return the study's name, part of the names of its folders."""
        return self.agreed["study"]

    @property
    def labs(self) -> dict:
        """Return {laboratory: {"key": public key, "people": how many it expects}}."""
        return self.agreed["labs"]

    @property
    def conspiring(self) -> int:
        """Return t: up to how many other laboratories the budget is promised against."""
        return self.agreed["conspiring"]

    @property
    def records_a_person(self) -> int:
        """Return how many of the summed records one person may have, at most: by so much costs are larger.

        It is two where somebody may be in two laboratories. What a part costs, what the statement promises and what
        each number of conspirators faces are this many times what one record costs.
        """
        return 2 if self.agreed["overlap"] == "possible" else 1

    @property
    def release(self) -> dict:
        """Return the entry of `releases:` that is made together."""
        return self.agreed["release"]

    @property
    def section(self) -> dict:
        """Return the settings `faces` that the study agreed on, completed."""
        return _complete_faces(self.agreed["settings"])

    def locate_folder_in(self, releases: Path) -> Path:
        """Return the folder of the joint release among the releases of faces, and of nothing that lies elsewhere."""
        return Path(releases) / checks.check_name(self.release["name"], f"{self.folder / FILE}: release.name")

    @property
    def is_plan(self) -> bool:
        """Tell whether each laboratory releases by itself, for `planned_for` people, and releases are pooled after."""
        return not self.labs

    def refuse_other_settings(self, faces: Mapping[str, Any]) -> None:
        """Refuse a laboratory's settings that decide curves or releases otherwise than the study agreed on."""
        for key, agreed_value in self.agreed["settings"].items():
            if faces[key] != agreed_value:
                raise ConfigError(
                    f"faces.{key}: {faces[key]!r} is not what the study agreed on, {agreed_value!r}; take over its "
                    "settings "
                    "and run snakemake again. Nothing was spent"
                )
        for entry in faces["releases"] if self.is_plan else ():
            differing = [
                key for key, agreed_value in self.release.items() if key != "name" and entry.get(key) != agreed_value
            ]
            if entry.get("planned_for") is not None and differing:
                raise ConfigError(
                    f"faces.releases: {entry['name']}: `{differing[0]}` is {entry.get(differing[0])!r}, and the "
                    f"study plan has {self.release[differing[0]]!r}; a release planned with others has the "
                    "plan's settings, so take it over"
                )

    @property
    def digest(self) -> str:
        """Return the SHA-256 of all that was agreed on."""
        return letters.digest_value(self.agreed)

    @property
    def template(self) -> Path:
        """Return the template's file."""
        return self.folder / TEMPLATE

    @property
    def variation(self) -> Path | None:
        """Return the file of what was learned from public people; None where the release does not rest on it."""
        return None if self.agreed["files"]["variation"] == NO_FILE else self.folder / VARIATION

    def find_key(self, lab: str) -> str:
        """Return the public key that the study lists for a laboratory, by which its letters are checked."""
        if lab not in self.labs:
            raise ConfigError(
                f"{self.folder / FILE}: lists no laboratory '{lab}'; it lists {', '.join(sorted(self.labs))}"
            )
        return self.labs[lab]["key"]


def load(path: Path) -> Study:
    """Return the study of a study.yaml, or of the folder that holds it, checked against the files beside it."""
    path = Path(path)
    path = path / FILE if path.is_dir() else path
    try:
        agreed = foreign.parse_yaml(foreign.read_bytes(path, LARGEST))
    except FileNotFoundError as error:
        raise ConfigError(f"{path}: there is no study here; `shapedp study new` makes one") from error
    except ValueError as error:
        raise ConfigError(f"{path}: {error}; ask whoever made the study for the file") from error
    study = Study(path.parent, check(agreed, path))
    for name, kept_file in (("template", study.template), ("variation", study.variation)):
        if kept_file is not None and (not kept_file.exists() or files.digest_file(kept_file) != agreed["files"][name]):
            raise ConfigError(
                f"{kept_file}: is not the {name} that {path.name} was agreed on with; ask for the study's file"
            )
    return study


def check(agreed: dict, source: Path) -> dict:
    """Return a study's agreement, if it is whole and promises something; refuse it otherwise.

    Parameters
    ----------
    agreed : dict
        What a study.yaml holds.
    source : path
        The file, for the message.
    """
    faults = checks.find_faults(agreed, make_schema())
    if not faults:
        entry_faults = checks.find_release_faults(agreed["release"], _complete_faces(agreed["settings"]))
        faults = [*_find_disagreements(agreed), *entry_faults]
    if faults:
        raise ConfigError("\n".join(f"{source}: {fault}" for fault in sorted(set(faults))))
    for lab, laboratory in agreed["labs"].items():
        letters.parse_key(laboratory["key"], f"{source}: labs.{lab}.key")
    keys = [laboratory["key"] for laboratory in agreed["labs"].values()]
    if len(set(keys)) < len(keys):
        raise ConfigError(
            f"{source}: labs: two laboratories have the same key; each makes its own with `shapedp lab key`"
        )
    if keys or "planned_for" not in agreed:
        check_conspiring(len(keys), agreed["conspiring"])
    return agreed


def _complete_faces(settings):
    """Return a whole section `faces` of the part of it that a study fixes, so that it can be checked as settings are.

    Of bounds, which settings always have, it may be silent.
    """
    return schema.complete_settings({"bounds": {"source": "reference_set"}, **settings}, schema.find_meaning("faces"))


def _find_disagreements(agreed):
    """Yield what is wrong with the release that laboratories would agree on, beyond what the schema can say."""
    release = agreed["release"]
    if "mu_total" not in release["budget"]:
        yield "release.budget: a study is agreed on with mu_total, the mu of the whole release"
    if agreed["labs"]:
        if (kind := schema.read_entry("faces", release, "kind")) not in JOINT_KINDS:
            yield f"release.kind: laboratories release {' or '.join(JOINT_KINDS)} together, no {kind}"
        if release["mechanism"] != registry.MODEL_MECHANISM:
            yield f"release.mechanism: laboratories release together by `{registry.MODEL_MECHANISM}` alone"
        if "time" in release:
            yield "release.time: laboratories release together from all scans; leave it out"


def write(folder: Path, agreed: dict, template: Path, variation: Path | None) -> Study:
    """Write a study's files into a new folder, and read it again as every laboratory will.

    Parameters
    ----------
    folder : path
        Where no study lies yet.
    agreed : dict
        The agreement, without the digests of its files.
    template : path
        The template that all register to.
    variation : path or None
        What was learned from public people.
    """
    folder = Path(folder)
    if (folder / FILE).exists():
        raise ConfigError(f"{folder / FILE}: there is a study here already; give another folder")
    agreed = copy.deepcopy(agreed)
    public_files = {"template": template, "variation": variation}
    agreed["files"] = {name: files.digest_file(path) if path else NO_FILE for name, path in public_files.items()}
    check(agreed, folder / FILE)
    for name, path in ((TEMPLATE, template), (VARIATION, variation)):
        if path:
            with files.atomic(folder / name) as partial:
                partial.write_bytes(Path(path).read_bytes())
    files.write_text(folder / FILE, yaml.safe_dump(agreed, sort_keys=False))
    return load(folder)


def list_mu_faced(mu_to_world, labs):
    """Return [mu_c] that c = 0..L - 1 laboratories face who conspire with whoever looks; mu_to_world : mu_0."""
    return [mu_to_world * math.sqrt(labs / (labs - c)) for c in range(labs)]


def find_mu_to_world(mu, labs, conspiring):
    """Return mu_0: what the joint release is drawn for, so that t laboratories that conspire face mu, (13.2).

    Parameters
    ----------
    mu : float
        Of the study.
    labs : int
        How many laboratories.
    conspiring : int
        t, how many of them may conspire.
    """
    check_conspiring(labs, conspiring)
    return mu * math.sqrt((labs - conspiring) / labs)


def bound_log10_distance(scale, labs):
    """Return log10 of tau, (13.3), by which the shares' noise together may miss the whole noise's law: stated.

    scale : of a laboratory's noise, in steps of the grid. LEAST where it is less.
    """
    exponents = [-2 * math.pi**2 * scale**2 * k / (k + 1) for k in range(1, labs)]
    # The largest exponent is taken out of the sum, so that not all of it underflows.
    largest = max(exponents)
    total = sum(math.exp(exponent - largest) for exponent in exponents)
    return max(LEAST, (largest + math.log(10 * total)) / math.log(10))


# In a statement; all that is below is zero as well.
LEAST = -1e17


def check_conspiring(labs, conspiring):
    """Refuse numbers of laboratories and conspirators under which a joint release would promise nothing."""
    if labs < 2:
        raise ConfigError(f"labs: {labs}; a joint release takes at least two laboratories")
    if not 0 <= conspiring < labs:
        raise ConfigError(f"conspiring: {conspiring}; must be at least 0 and below the number of laboratories, {labs}")
