"""Which measures have names on a subject, and those that a template carries."""

from collections.abc import Mapping
from typing import Any

from shapedp.base.settings.subjects import FACE, Subject
from shapedp.surfaces.human_face import distances
from shapedp.surfaces.measures import Catalogue, Measures

# Of a subject without a catalogue the distances between its own marks are measured.
CATALOGUES: Mapping[str, Catalogue] = {FACE: distances.CATALOGUE}


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
