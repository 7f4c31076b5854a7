"""Which measures have names on a subject, those that settings name besides, and those that a template carries."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from shapedp.base.errors import ArtifactError, ConfigError
from shapedp.base.settings import checks, schema, subjects
from shapedp.base.settings.subjects import FACE, Subject
from shapedp.surfaces import curve_mesh
from shapedp.surfaces.human_face import distances
from shapedp.surfaces.measures import Catalogue, Measures

# Of a subject without a catalogue the distances between its own marks are measured.
CATALOGUES: Mapping[str, Catalogue] = {FACE: distances.CATALOGUE}
# Of a whole face, in its tables beside the measures.
TAKEN = ("asymmetry index",)
# Distances that settings may name.
MOST_STATED = 200
Ends = Mapping[str, tuple[str, ...]]


def make_measures(template: Mapping[str, Any], subject: Subject) -> Measures:
    """Return the Measures that releases report of a template: those named on faces, or those between a subject's marks.

    Parameters
    ----------
    template : mapping
        A template's artifact, or its fields.
    subject : Subject
        What it shows.
    """
    if subject.is_face:
        return distances.FaceMeasures.from_template(template)
    return Measures.from_marks(template)


def state_measures(faces: Mapping[str, Any]) -> dict[str, Any]:
    """Return the landmarks and distances that a user named, {"measures": ...}, for a release to state; {} without any.

    What the catalogue names is measured besides, and need not be stated.

    Parameters
    ----------
    faces : mapping
        The section `faces` of the settings.
    """
    stated: dict[str, Any] = {
        "landmarks": list(faces.get("landmarks") or ()),
        "distances": [{"name": name, "ends": list(ends)} for name, ends in (faces.get("distances") or {}).items()],
    }
    stated = {key: values for key, values in stated.items() if values}
    return {"measures": stated} if stated else {}


def name_stated_distances(distances_stated: Any) -> dict[str, tuple[str, ...]]:
    """Return {measure: its landmarks} as a release states them, to name rows of tables by."""
    name = schema.load_schema()["$defs"]["landmark"]
    ends = {"type": "array", "minItems": 2, "maxItems": 3, "items": {"anyOf": [name, {"type": "integer"}]}}
    entry = {"type": "object", "required": ["name", "ends"], "properties": {"name": name, "ends": ends}}
    _refuse_strange("distances", distances_stated, entry)
    return {entry["name"]: tuple(map(str, entry["ends"])) for entry in distances_stated}


def _name_stated_landmarks(own):
    """Return the names of a template's own landmarks as a release states them; own : `measures` of its settings."""
    names = own.get("landmarks", [])
    if names:
        _refuse_strange("landmarks", names, schema.load_schema()["$defs"]["landmark"])
    return names


def _refuse_strange(what, entries, form):
    """Refuse what a release states otherwise than settings may: it comes into tables and pages of whoever reads them.

    what : for the message; entries : as stated; form : JSON schema of one
    """
    if faults := checks.find_faults(entries, {"type": "array", "maxItems": MOST_STATED, "items": form}):
        raise ArtifactError(f"the {what} of the release: {faults[0]}; ask whoever released it for the folder")


def list_own_landmarks(stated: Mapping[str, Any]) -> list[str]:
    """Return the names of a template's own landmarks, without those of its subject that a user has placed himself.

    Parameters
    ----------
    stated : mapping
        The release's public settings.
    """
    known = _known(CATALOGUES.get(subjects.from_settings(stated).word))
    return [name for name in _name_stated_landmarks(stated.get("measures", {})) if name not in known]


def name_measures(stated: Mapping[str, Any]) -> Ends:
    """Return {measure: its landmarks} that the tables of a release of surfaces may hold.

    They are those that have names on its subject, and those that its settings name: without names of distances, each
    two of the landmarks that are its template's own.

    Parameters
    ----------
    stated : mapping
        The release's public settings.
    """
    catalogue = CATALOGUES.get(subjects.from_settings(stated).word)
    ends_of = dict(catalogue.ends_of) if catalogue else {}
    if named := stated.get("measures", {}).get("distances"):
        return ends_of | name_stated_distances(named)
    pairs = combinations(list_own_landmarks(stated), 2)
    return ends_of | {f"{start} to {end}": (start, end) for start, end in pairs}


def list_landmarks(stated: Mapping[str, Any]) -> set[str]:
    """Return the names of landmarks that a release of surfaces may hold; stated : its public settings."""
    catalogue = CATALOGUES.get(subjects.from_settings(stated).word)
    return {*_known(catalogue), *_name_stated_landmarks(stated.get("measures", {}))}


def make_table_measures(template: Mapping[str, Any], faces: Mapping[str, Any]) -> Measures:
    """Return the Measures that tables of a release hold; without landmarks where there are none.

    Raises ConfigError for a distance that the settings name and the template cannot have.

    Parameters
    ----------
    template : mapping
        Fields of the template's artifact, with its own landmarks where the settings name some.
    faces : mapping
        The section `faces` of the settings.
    """
    shown, stated = subjects.from_settings(faces), state_measures(faces)
    of_stated = {key: faces[key] for key in subjects.STATED_SETTINGS if key in faces} | stated
    names, weights = (), np.zeros((0, len(template["radii"]), np.shape(template["curves"])[-1]))
    if shown.is_face:
        carried = distances.FaceMeasures.from_template(template)
        # What settings place on the template takes the place of what public people have there.
        kept = [at for at, name in enumerate(carried.landmarks) if name not in (faces.get("landmarks") or {})]
        names, weights = tuple(carried.landmarks[at] for at in kept), carried.weights[kept]
    if faces.get("landmarks"):
        own = tuple(template["landmark_names"])
        names, weights = (*names, *own), np.concatenate([weights, _find_weights(template)])
    measures = Measures(names, weights, name_measures(of_stated))
    _refuse_unknown(faces, measures, CATALOGUES.get(shown.word))
    return measures


def _known(catalogue):
    """Return the landmarks that have names on a subject."""
    return catalogue.vertices if catalogue else {}


def _find_weights(template):
    """Return (l, J, m) weights of the curves' points, by which released curves tell where the template's landmarks are.

    They are of the landmarks that settings place on the template.
    """
    radii, samples = template["radii"], np.shape(template["curves"])[-1]
    # They lie on its surface; the curves of a subject are those of its specimens' mean, whose points correspond.
    vertices, triangles = curve_mesh.mesh(curve_mesh.extract(template["f"], radii, samples), radii)
    triangle, shares, _ = curve_mesh.nearest(np.reshape(template["landmark_points"], (-1, 3)), vertices, triangles)
    return curve_mesh.weights(triangle, shares, triangles, radii, samples)


def _refuse_unknown(faces, measures, catalogue):
    """Refuse names of measures that stand for others, and measures of landmarks that the template does not have."""
    for name, ends in (faces.get("distances") or {}).items():
        if name in TAKEN or (catalogue and name in catalogue.ends_of):
            raise ConfigError(f"faces.distances.{name}: is measured under this name already; give it another one")
        if unknown := [end for end in ends if end not in measures.landmarks]:
            raise ConfigError(
                f"faces.distances.{name}: '{unknown[0]}' is no landmark of the template; name it in faces.landmarks, "
                f"or take one of {_join(measures.landmarks)}"
            )
    if faces.get("landmarks") and not measures.names:
        raise ConfigError("faces.landmarks: nothing is measured between fewer than two landmarks; name another one")


def _join(names: Sequence[str]) -> str:
    """Return names with commas between them, for a message."""
    return ", ".join(names) or "those that it will have: there is none now"
