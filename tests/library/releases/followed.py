"""Following one entry of `releases:` from its script to the written file: every function that receives it, in order."""

import sys
from collections.abc import Mapping
from itertools import groupby
from pathlib import Path

from shapedp.privacy.statistic import Statistic
from shapedp.releases.faces import ReleaseInputs
from shapedp.releases.protocol import Release, Request

# A model of faces: its class, what all releases of faces share, landmarks besides; and what an earlier version made.
MOST_STOPS, MOST_MODULES = 17, 7
SCRIPTS = Path(__file__).resolve().parents[3] / "scripts"
MADE_OF_IT = (ReleaseInputs, Release, Request, Statistic)


class Followed:
    """Records calls in which a function of the project is handed the entry, or what was made of it.

    Handed is what a parameter holds: the entry itself, and the plan, the release, the request and the statistics made
    of it. Of a method, `self` counts for a release alone: what a mechanism answers about itself is no step of its way.
    """

    def __init__(self):
        self.entry, self.stops = None, []  # the entry is the first that a function of the project is handed as such

    def __enter__(self):
        sys.setprofile(self._called)
        return self

    def __exit__(self, *_):
        sys.setprofile(None)

    @property
    def modules(self):
        """The modules that are entered, in order."""
        return list(dict.fromkeys(module for module, _ in self.stops))

    @property
    def returns(self):
        """How often the way enters a module that it has left before."""
        stays = [module for module, _ in groupby(module for module, _ in self.stops)]
        return len(stays) - len(self.modules)

    def _called(self, frame, event, _):
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(str(SCRIPTS)) or code.co_name.startswith("<"):
            return
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        if any(self._is_it(name, frame.f_locals.get(name)) for name in names):
            stop = str(Path(code.co_filename).relative_to(SCRIPTS)), code.co_qualname
            if stop not in self.stops:
                self.stops.append(stop)

    def _is_it(self, name, held):
        if isinstance(held, Mapping):
            self.entry = held if self.entry is None and name == "entry" else self.entry
            return held is self.entry
        return isinstance(held, MADE_OF_IT) and (name not in ("self", "cls") or isinstance(held, Release))


def check(followed):
    """That what was followed is short, and ends where the file is written; prints it where it is not."""
    listed = "\n".join(f"{module}  {function}" for module, function in followed.stops)
    assert len(followed.stops) <= MOST_STOPS and len(followed.modules) <= MOST_MODULES, listed
    assert {"publish", "Release.files"} <= {function for _, function in followed.stops}, listed
