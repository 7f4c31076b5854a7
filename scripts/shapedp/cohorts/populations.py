"""The populations of the face branch: the private cohort, and the public reference set that bounds are taken from."""

from collections import defaultdict
from dataclasses import replace
from pathlib import Path

from shapedp.cohorts import folders, samples
from shapedp.demo import names
from shapedp.errors import ConfigError
from shapedp.storage import identity

DEMO = "demo"
REFERENCE_SEED_SHIFT = 1_000_003  # the reference set must not be the cohort itself


def find(faces):
    """{cohort: samples}: `faces`, and `reference` if some release takes its bounds from a reference set."""
    cohorts = {"faces": _members(faces, "faces")}
    if needs_reference(faces):
        cohorts["reference"] = _members(faces, "reference")
    return cohorts


def needs_reference(faces):
    """Whether any release learns from the reference set how faces vary, or takes its bounds from it; or would where
    none is asked for yet.
    """
    default = faces["bounds"]["source"]
    return any(
        release.get("mechanism") == "shaped" or release.get("bounds", default) == "reference_set"
        for release in faces["releases"] or [{}]
    )


def source(faces, cohort):
    """The setting that names a cohort's scans."""
    return faces["scans"] if cohort == "faces" else faces["bounds"]["reference_set"]


def is_demo(faces, cohort):
    """Whether a cohort is drawn from the built-in face model."""
    return source(faces, cohort) == DEMO


def demo_settings(faces, cohort):
    """count, bad and seed of a demo cohort; the reference set has its own seed and no broken scans."""
    if cohort == "faces":
        return faces["demo"]
    seed = faces["demo"]["seed"] + REFERENCE_SEED_SHIFT
    return {"count": faces["bounds"]["reference_count"], "bad": 0, "seed": seed}


def _members(faces, cohort):
    if is_demo(faces, cohort):
        settings = demo_settings(faces, cohort)
        folder = f"data/demo/{cohort}"
        listed = names.scans(settings["count"], settings["bad"])
        told = _demo_covariates(faces, settings) if cohort == "faces" else {}
        return [
            samples.Sample(name, f"{folder}/{file}", name, covariates=told.get(index, ()))
            for index, (name, file) in enumerate(listed)
        ]
    persons = faces["persons"] if cohort == "faces" else "average"
    members = samples.find(source(faces, cohort), persons)
    return members if cohort == "faces" else [replace(member, group="") for member in members]


def _demo_covariates(faces, settings):
    """{index: (name, cell) each} of demo people, as in their sheet, if any model asks for covariates; not of scans that
    are broken.
    """
    if not any(release.get("covariates") for release in faces["releases"]):
        return {}
    from shapedp.demo import covariates, scans  # numpy, which the workflow starts without

    people = (scans.truth(settings["seed"], index) for index in range(settings["count"]))
    return {index: tuple(covariates.of(one.weights).items()) for index, one in enumerate(people)}


def corresponding(faces):
    """Paths of the public meshes in correspondence; none of the built-in model's faces, nor where there are none."""
    named = faces["correspondence"]
    if named in (None, DEMO):
        return []
    found = [member.path for member in samples.find(named, "refuse")]
    if not found:
        raise ConfigError(f"faces.correspondence: '{named}' holds no meshes")
    return found


def refuse_private(faces, cohorts):
    """Refuse a reference set or a template file that is private data itself, by path, link, inode or content."""
    private = [one.path for one in cohorts["faces"]]
    shared = identity.pairs([one.path for one in cohorts.get("reference", [])], private)
    if shared:
        raise ConfigError(
            f"faces.bounds.reference_set: '{faces['bounds']['reference_set']}' holds {len(shared)} scan(s) of "
            f"faces.scans, by path, link or content, such as '{shared[0][0]}'; bounds from private people are not "
            "public. Name another set, give numbers (bounds.source: public), or set bounds.source: data, which is "
            "labelled not private"
        )
    if found := identity.pairs(corresponding(faces), private):
        raise ConfigError(
            f"faces.correspondence: '{faces['correspondence']}' holds {len(found)} scan(s) of faces.scans, by path, "
            f"link or content, such as '{found[0][0]}'; what the registration learns must be public. Name other meshes"
        )
    if _is_file(faces, cohorts) and (found := identity.pairs([faces["template"]], private)):
        raise ConfigError(
            f"faces.template: '{faces['template']}' is '{found[0][1]}', a scan of faces.scans, by path, link or "
            "content; a template from private people is not public. Name another file, or the face by its id, which is "
            "labelled not private"
        )


def refuse_unknown_columns(faces, members):
    """Refuse a model whose covariates are no columns of the sample sheet: its header is no person's record."""
    columns = {name for name, _ in members[0].covariates}
    for release in faces["releases"]:
        if missing := sorted(set(release.get("covariates", {})) - columns):
            raise ConfigError(
                f"faces.releases '{release['name']}': the covariate(s) {', '.join(missing)} are no columns of "
                f"'{faces['scans']}'; its own columns are: {', '.join(sorted(columns)) or 'none'}"
            )


def told_repeats(members):
    """One line for each scan file that stands under several persons' names, for the operator alone."""
    named = defaultdict(list)
    for one in members:
        named[str(one.path)].append(one)
    for group in identity.repeats(named):
        same = sorted((one for path in group for one in named[path]), key=lambda one: one.id)
        if len({one.person for one in same}) > 1:
            ids = ", ".join(f"'{one.id}' ({Path(one.path).name})" for one in same)
            yield (
                f"the same scan stands under {len(same)} ids: {ids}. If it is one person, n is too large and the "
                "guarantee is for half a person: keep one, or name the person in the sample sheet"
            )


def told_unused(faces):
    """One line for each file beside the scans that is left out, for the operator alone."""
    return folders.unused(faces["scans"])


def template_scan(faces, cohorts):
    """The file that the template is made from, or None for the built-in template."""
    if faces["template"] == DEMO:
        return None
    of_id = {sample.id: sample.path for sample in cohorts["faces"]}
    if faces["template"] in of_id:
        return of_id[faces["template"]]
    if not Path(faces["template"]).is_file():
        raise ConfigError(
            f"faces.template: found '{faces['template']}', which is neither `demo`, a file, nor a face's id"
        )
    return faces["template"]


def template_is_private(faces, cohorts):
    """Whether the template is a face of the cohort, by its id, so that no release can be private."""
    return faces["template"] != DEMO and not _is_file(faces, cohorts)


def _is_file(faces, cohorts):
    return faces["template"] != DEMO and faces["template"] not in {one.id for one in cohorts["faces"]}
