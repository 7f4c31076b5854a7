"""The settings: `schema` says what each key is and holds without being set, `checks` reads and checks a file."""

from shapedp.base.settings import schema
from shapedp.base.settings.checks import OF_LAST_RUN, check, load, of_run
from shapedp.base.settings.schema import default, of_entry

__all__ = ["OF_LAST_RUN", "check", "default", "load", "of_entry", "of_run", "schema"]
