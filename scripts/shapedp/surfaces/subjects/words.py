"""What is added to reasons and remedies where more is known of a subject than its surface."""

from shapedp.base.settings.subjects import Subject
from shapedp.surfaces.human_face import words as words_of_faces


def say_how_to_mark(subject: Subject) -> str:
    """Return the end of a sentence on what helps a scan that was refused: a mark, where the subject has a place."""
    return words_of_faces.TO_MARK if subject.is_face else ""


def explain(reason: str, subject: Subject) -> str:
    """Return why a scan was refused, in the words of its subject, with the causes that such scans have, for its owner.

    Parameters
    ----------
    reason : str
        As steps of the chain say it of any surface.
    subject : Subject
        What the scan shows.
    """
    return words_of_faces.explain(reason) if subject.is_face else subject.in_words(reason)
