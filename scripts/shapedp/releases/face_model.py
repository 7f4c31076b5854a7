"""The release of a face model: clip, sum the moments, enter in the ledger, draw, publish; as `mean_face` does."""

from shapedp import artifacts
from shapedp.errors import RefusedRelease
from shapedp.mechanisms import noise
from shapedp.model import covariates, split, surface
from shapedp.model.mechanism import FaceModel
from shapedp.releases import declared, face_facts, fingerprints, model_files, publishing, spending
from shapedp.releases.mean_face import public_digests

ARTIFACT = "face_model.h5"


def release(ledger, people, coded, template, variation, entry, faces, privacy, output_dir):
    """The publishing.Outcome of one release.

    people : mean_face.People; coded : (rows, p) their covariates, by `covariates.table`
    template : {"curves", "radii", "scale", "public", "source"}; variation : of the public set
    entry : one of faces.releases; faces, privacy : the settings of those sections
    """
    if not variation.public:
        raise RefusedRelease(
            f"faces/{entry['name']}: a face model needs a public set to learn from. No noise was drawn"
        )
    variation.check(template["curves"].shape, template["curves"])
    made = FaceModel.of(
        variation,
        people.n,
        float(entry["budget"]["mu_total"]),
        covariates.of_settings(entry.get("covariates", {})),
        entry.get("modes", split.FIRST),
    )
    sums = made.total(people.read, people.rows, coded)
    randomness = noise.source(privacy["seed"])
    settings = face_facts.model_settings(entry, faces, made, variation, privacy)

    def draw():
        return {ARTIFACT: _packed(surface.fields(made, *made.draw(sums, randomness)), template, settings)}

    key = ledger.key()
    digests = [people.used, fingerprints.of_arrays(key, coded), *public_digests(key, template, variation)]
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
    facts = face_facts.facts(
        made, made.inputs(), people.n, variation, template, template["curves"], settings, people.evidence, randomness
    )
    return publishing.publish(ledger, request, facts, draw, output_dir)


def _packed(fields, template, settings):
    """The bytes of the released artifact."""
    values = {**fields, "radii": template["radii"], "scale": template["scale"]}
    return model_files.packed(artifacts.FACE_MODEL, values, settings)


def read(path):
    """The surface.Released of a released file, and its public settings."""
    values, asked, settings = model_files.read(path, artifacts.FACE_MODEL)
    return surface.Released.of(values, asked), settings
