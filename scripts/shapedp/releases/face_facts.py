"""What the face release states about itself: its public settings, and the facts that its conditions are checked on."""

from dataclasses import dataclass, replace

from shapedp.mechanisms import curve_mechanisms
from shapedp.releases import parts
from shapedp.releases.facts import Bound, Facts, Origin

BUILT_IN = "demo"


@dataclass(frozen=True)
class Evidence:
    """What was found when the records were read; see facts.Facts.

    made_of : kinds of artifacts; listed, used, persons : how many people the cohort lists, how many rows the curves
    have, how many different names these rows bear; named : whether the sample sheet says whose each scan is
    """

    made_of: tuple
    listed: int
    used: int
    persons: int
    named: bool


def settings(entry, faces, n, bounds, privacy):
    """The public settings of a release, without names and paths."""
    asked = {"mechanism": entry["mechanism"], "budget": entry["budget"]}
    asked["reference"] = entry.get("reference", "template")
    asked["bounds"] = _bounds_settings(bounds, faces)
    asked |= parts.stated(entry, privacy, n)
    section = curve_mechanisms.MECHANISMS[entry["mechanism"]].section
    asked |= {section: faces[section], "curves": faces["curves"], "persons": faces["persons"]}
    return {**asked, "tuned_on": privacy["tuned_on"]}


def _bounds_settings(bounds, faces):
    if bounds.deviations is None:
        return {"source": "public", "tau": faces["bounds"]["tau"]}
    if not bounds.public:
        return {"source": "data"}
    return {"source": "reference_set", "quantile": bounds.quantile, "margin": bounds.margin}


def model_settings(entry, faces, made, variation, privacy):
    """The same of a face model: mechanism.FaceModel `made` from the public `variation`."""
    named = [{"name": name, **entry["covariates"][name]} for name in sorted(entry.get("covariates", {}))]
    asked = {"kind": entry["kind"], "mechanism": made.name, "budget": entry["budget"], "modes": made.asked}
    asked |= {"covariates": named, "bounds": _bounds_settings(variation, faces)}
    asked |= parts.stated(entry, privacy, made.n)
    asked |= {key: faces[key] for key in ("variation", "curves", "persons")}
    return {**asked, "tuned_on": privacy["tuned_on"]}


def facts(made, symbols, n, bounds, template, reference, asked, evidence, randomness):
    """The facts of a mechanism `made` for n people; symbols : what its sensitivity follows from; asked : settings."""
    source = BUILT_IN if template["source"] == BUILT_IN else "file"
    return Facts(
        branch="faces",
        n=n,
        mechanism=made.name,
        sensitivity=made.cost().mu,
        sensitivity_unit="standard deviations of the noise",
        sensitivity_inputs=symbols,
        bounds=_bounds(made, _origin(bounds)),
        template=Origin(source if template["public"] else "data"),
        reference=Origin("none" if reference is None else source if template["public"] else "data"),
        clipping=made.clipping,
        noise_secure=randomness.secure,
        sampler=made.sampler,
        grid=made.grid(),
        rounding_counted=True,
        within_bounds=True,
        made_of=tuple(evidence.made_of),
        rejected_become="reference" if evidence.used == evidence.listed else "dropped",
        persons=_persons(asked, evidence),
        discretisation=made.discretisation(),
        calibration=made.calibration,
        tuned_on=asked["tuned_on"],
        noise_mm=float(template["scale"]) * made.noise_size(),
    )


def _persons(asked, evidence):
    if evidence.persons != evidence.used:
        return "repeated"
    return asked["persons"] if evidence.named else "declared"


def _origin(bounds):
    if bounds.deviations is None:
        return Origin("config")
    if not bounds.public:
        return Origin("data")
    return Origin("reference_set", bounds.quantile, bounds.margin, len(bounds.deviations))


def _bounds(made, origin):
    if origin.source == "reference_set":
        origin = replace(origin, margin=origin.margin * made.loose)
    if made.clipping == "range" and origin.source == "reference_set":
        origin = replace(origin, quantile=1.0)  # ranges span the whole set, whatever the quantile of the norms
    return tuple(Bound(*stated, origin) for stated in made.stated_bounds())
