"""The release of a mean face: clip, sum, enter in the ledger, draw, publish; for whoever reads people's curves."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from shapedp import artifacts
from shapedp.mechanisms import curve_mechanisms, noise
from shapedp.releases import declared, face_facts, face_noise, fingerprints, publishing, spending


@dataclass(frozen=True)
class People:
    """Whose mean is released.

    n : public; rows : how many are summed; read (start, stop) -> their curves (..., J, 3, m), clipped or not, who was
        rejected as the reference
    records, used : keyed digests of all records as they came, and of which of them could be used
    group : spending.Group or None; evidence : see face_facts.Evidence
    """

    n: int
    rows: int
    read: Callable
    records: str
    used: str
    group: spending.Group | None
    evidence: face_facts.Evidence


def release(ledger, people, template, limits, entry, faces, privacy, output_dir):
    """The publishing.Outcome of one release.

    template : {"curves", "radii", "scale", "public", "source"}; limits : mechanisms.bounds.Bounds
    entry : one of faces.releases; faces, privacy : the settings of those sections
    """
    reference = template["curves"] if entry.get("reference", "template") == "template" else None
    made = curve_mechanisms.make(
        entry["mechanism"], template["curves"].shape, people.n, limits, reference, entry["budget"], faces["kernel"]
    )
    opening = made.opening(people.read, people.rows)
    randomness = noise.source(privacy["seed"])
    settings = face_facts.settings(entry, faces, people.n, limits, privacy)
    released = []

    def draw():
        settled, sums = made.settled(opening, people.read, people.rows, randomness)
        curves = settled.draw(sums, randomness)
        released.append((settled, curves))
        noise_fields = face_noise.fields(settled, curves, float(template["scale"]))
        if not limits.public:
            noise_fields = face_noise.withheld(noise_fields)
        return {"mean_face.h5": _packed(curves, noise_fields, template, settings)}

    def told(stated):
        if not limits.public:
            return stated
        settled, curves = released[0]
        noise_mm = float(template["scale"]) * settled.noise_size()
        return replace(stated, noise_mm=noise_mm, widened=settled.widened, unlike=settled.unlike(curves))

    digests = [people.used, *public_digests(ledger.key(), template, limits)]
    request = publishing.Request(
        population=privacy["population"]["faces"],
        branch="faces",
        name=entry["name"],
        settings=settings,
        records=people.records,
        inputs_digest=publishing.inputs_digest(digests, privacy["seed"]),
        cost=made.cost(),
        cap=spending.Cap(**privacy["cap"]["faces"]),
        group=people.group,
        reproduction=entry.get("reproduction", False),
        declared=declared.of(privacy, "faces"),
    )
    symbols = made.inputs(settings.get("kernel"))
    facts = face_facts.facts(
        made, symbols, people.n, limits, template, reference, settings, people.evidence, randomness
    )
    return publishing.publish(ledger, request, facts, draw, output_dir, told)


def public_digests(key, template, limits):
    """Keyed digests of the numbers of the template and of the bounds."""
    given = {key: value for key, value in asdict(limits).items() if key != "source" and value is not None}
    return [
        fingerprints.of_arrays(key, template["curves"], template["radii"], template["scale"]),
        *(fingerprints.of_arrays(key, name, given[name]) for name in sorted(given)),
    ]


def _packed(curves, noise_fields, template, settings):
    """The bytes of the released artifact; it holds the declared fields and nothing else."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "mean_face.h5"
        with artifacts.writer(path, artifacts.MEAN_FACE) as out:
            out.set(
                curves=curves,
                **noise_fields,
                radii=template["radii"],
                scale=template["scale"],
                settings=json.dumps(settings, sort_keys=True),
            )
        return path.read_bytes()
