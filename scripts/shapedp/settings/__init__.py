"""The settings: `schema` says what each key is and holds without being set, `checks` reads and checks a file."""

from shapedp.settings import schema
from shapedp.settings.checks import check, load
from shapedp.settings.schema import default, of_entry

__all__ = ["check", "default", "load", "of_entry", "schema"]
