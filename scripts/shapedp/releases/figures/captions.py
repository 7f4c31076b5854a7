"""What stands beside the pictures of a release, from its statement."""

import json

from shapedp.base.settings import subjects
from shapedp.releases.figures import face_means
from shapedp.releases.statement import statement_text


def read_subject(folder):
    """Return what the scans of a release show, a subjects.Subject."""
    return subjects.from_statement(_read_statement(folder))


def read_caption(folder):
    """Return the caption of a release's pictures."""
    return statement_text.caption(_read_statement(folder))


def read_noise_words(folder):
    """Return what the colours of a mean's noise map say, for the scale below it."""
    counts_unreleased = statement_text.counts_unreleased(_read_statement(folder))
    return face_means.UNRELEASED_WORDS if counts_unreleased else face_means.NOISE_WORDS


def _read_statement(folder):
    """Return the statement of a release's folder."""
    return json.loads((folder / "statement.json").read_text(encoding="utf-8"))
