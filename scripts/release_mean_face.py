"""Clip, average, add noise, and enter the release in the ledger: the only face step that spends privacy."""

import json
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from shapedp import artifacts
from shapedp.cohorts import stacks
from shapedp.errors import RefusedRelease
from shapedp.mechanisms import bounds, curve_mean, curve_mechanisms, noise
from shapedp.releases import declared, face_facts, fingerprints, spending
from shapedp.releases import publishing as releases
from shapedp.releases.ledger import Ledger
from shapedp.runs.logs import log, logged
from shapedp.storage import marks


def release_mean_face(curves_path, template_path, bounds_path, output_dir, entry, faces, privacy, people, named):
    """entry : one of faces.releases; faces, privacy : the settings of those sections; bounds_path : None for numbers;
    people : how many the cohort lists; named : whether its sheet says whose each scan is
    """
    ledger = Ledger(privacy["ledger"])
    key = ledger.key()
    template = _template(template_path)
    limits = _limits(bounds_path, curves_path, faces, len(template["radii"]))
    reference = template["curves"] if entry.get("reference", "template") == "template" else None
    group = _group(entry, privacy)
    randomness = noise.source(privacy["seed"])
    with artifacts.reader(curves_path, artifacts.CURVES) as stack:
        if stack["template"] != artifacts.header(template_path)[2]:
            raise RefusedRelease(f"{curves_path}: these curves were taken with another template; run snakemake again")
        rows = stacks.of_group(stack, group)
        n = _count(group, len(rows), privacy["groups"])
        made = curve_mechanisms.make(
            entry["mechanism"], template["curves"].shape, n, limits, reference, entry["budget"], faces["kernel"]
        )
        sums = curve_mean.total(made, stacks.reading(stack, rows, template["curves"]), len(rows))
        ids, partition = stack["ids"], _partition(key, stack)
        records = fingerprints.of_records(key, lambda start, stop: stack.rows("curves", start, stop), len(ids))
        used = fingerprints.of_arrays(key, stack["ok"])
    settings = face_facts.settings(entry, faces, n, limits, privacy)

    def draw():
        curves = made.draw(sums, randomness)
        sd = made.noise_sd() if limits.public else np.full(curves.shape[:2], np.nan)
        return {"mean_face.h5": _packed(curves, sd, template, settings)}

    request = releases.Request(
        population=privacy["population"]["faces"],
        branch="faces",
        name=entry["name"],
        settings=settings,
        records=records,
        inputs_digest=releases.inputs_digest([used, *_public(key, template, limits)], privacy["seed"]),
        cost=made.cost(),
        cap=spending.Cap(**privacy["cap"]["faces"]),
        group=group and spending.Group(group, privacy["groups"]["membership"], partition),
        reproduction=entry.get("reproduction", False),
        declared=declared.of(privacy, "faces"),
    )
    evidence = face_facts.Evidence(artifacts.lineage(curves_path), people, len(ids), len(set(ids)), named)
    facts = face_facts.facts(made, n, limits, template, reference, settings, evidence, randomness)
    outcome = releases.publish(ledger, request, facts, draw, output_dir)
    log.info("release '%s': %s", entry["name"], "stored bytes returned" if outcome.reused else "drawn and recorded")
    return outcome.files


def _template(path):
    with artifacts.reader(path, artifacts.TEMPLATE) as source:
        return {key: source[key] for key in ("curves", "radii", "scale", "public", "source")}


def _limits(bounds_path, curves_path, faces, count):
    """The bounds; not public if they were computed from the very curves that are released, whatever they are called."""
    if bounds_path is None:
        return bounds.from_numbers(faces["bounds"]["tau"], count)
    limits, _ = bounds.load(bounds_path)
    with artifacts.reader(bounds_path, artifacts.BOUNDS) as source:
        private = artifacts.header(curves_path)[2] in source.provenance["inputs"].values()
    return replace(limits, public=limits.public and not private)


def _count(group, found, groups):
    """n, public: everybody, a group whose members are known, or the declared size of one whose members are not."""
    return groups["sizes"][group] if group and groups["membership"] == spending.PRIVATE else found


def _group(entry, privacy):
    group = entry.get("group")
    if group and privacy["groups"]["membership"] == spending.PRIVATE and group not in privacy["groups"]["sizes"]:
        raise RefusedRelease(f"group '{group}' needs a public size in privacy.groups.sizes")
    return group


def _partition(key, stack):
    """Keyed digest of who is in which group."""
    return fingerprints.of_arrays(
        key, *sorted(f"{name}={group}" for name, group in zip(stack["ids"], stack["groups"], strict=True))
    )


def _public(key, template, limits):
    """Keyed digests of the numbers of the template and of the bounds."""
    given = {key: value for key, value in asdict(limits).items() if key != "source" and value is not None}
    return [
        fingerprints.of_arrays(key, template["curves"], template["radii"], template["scale"]),
        *(fingerprints.of_arrays(key, name, given[name]) for name in sorted(given)),
    ]


def _packed(curves, noise_sd, template, settings):
    """The bytes of the released artifact; it holds the declared fields and nothing else."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "mean_face.h5"
        with artifacts.writer(path, artifacts.MEAN_FACE) as out:
            out.set(
                curves=curves,
                noise_sd=noise_sd,
                radii=template["radii"],
                scale=template["scale"],
                settings=json.dumps(settings, sort_keys=True),
            )
        return path.read_bytes()


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        shown = release_mean_face(
            snakemake.input.curves,
            snakemake.input.template,
            snakemake.input.get("bounds") or None,
            snakemake.params.folder,
            snakemake.params.release,
            snakemake.params.faces,
            snakemake.params.privacy,
            snakemake.params.people,
            snakemake.params.named,
        )
        marks.write(snakemake.output.mark, snakemake.params.folder, shown)
