"""How a subject's scans are registered to its template, and its template is made."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from shapedp.base.settings.subjects import Subject
from shapedp.surfaces.chain.step import ChainSettings, Scan


class Fit(Protocol):
    """What a module does that fits a subject."""

    def prepare(self, shared: ChainSettings) -> Callable[..., dict[str, Any]]:
        """Return the function of the step `register_surfaces`, which raises Rejected for what is no such subject."""

    def template_fields(self, face: Any, settings: Mapping[str, Any], specimens: Sequence[Scan] = ()) -> dict[str, Any]:
        """Return the fields of a template's artifact that follow from its alignment.Face and from public specimens."""


def fit_for(subject: Subject) -> Fit:
    """Return the module that registers a subject's surfaces and makes its template: faces have one, all others
    another.
    """
    # Late: each subject's room is loaded for that subject alone.
    if subject.is_face:
        from shapedp.surfaces.human_face import fit

        return fit
    from shapedp.surfaces.chain import subject as any_subject

    return any_subject


def map_built_in(word: str, shape: tuple[int, int]):
    """Return the alignment.Face of a template that ships with the library; there are such of faces alone.

    Parameters
    ----------
    word : str
        `faces.template`: built_in or formula.
    shape : (R, T)
        Of the polar grid.
    """
    from shapedp.surfaces.human_face import template_forms
    from shapedp.surfaces.registration import alignment

    return alignment.map_face(*template_forms.built_in_template(word), (*shape, 3), True)
