"""What stands beside the pictures of a release, from its statement."""

import json

from shapedp.base.settings import subjects
from shapedp.releases.statement import statement_text


def read_subject(folder):
    """Return what the scans of a release show, a subjects.Subject."""
    return subjects.from_statement(_read_statement(folder))


def read_caption(folder):
    """Return the caption of a release's pictures."""
    return statement_text.caption(_read_statement(folder))


def _read_statement(folder):
    return json.loads((folder / "statement.json").read_text(encoding="utf-8"))
