"""The tests of the ledger work in the same kind of folder as those of releases."""

from library.releases.conftest import tmp_path

__all__ = ["tmp_path"]
