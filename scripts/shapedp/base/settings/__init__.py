"""The settings: `schema` says what each key is and holds without being set, `checks` reads and checks a file."""

from shapedp.base.settings import schema
from shapedp.base.settings.checks import LAST_RUN_FILE, check, load, load_run
from shapedp.base.settings.schema import read_default, read_entry

__all__ = ["LAST_RUN_FILE", "check", "load", "load_run", "read_default", "read_entry", "schema"]
