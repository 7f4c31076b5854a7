"""The bytes of a released model, and what is read from them again."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

from shapedp import artifacts
from shapedp.model import covariates


def packed(kind, values, settings):
    """The bytes of the released artifact; it holds the declared fields and nothing else."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{kind.name}.h5"
        with artifacts.writer(path, kind) as out:
            out.set(**values, settings=json.dumps(settings, sort_keys=True))
        return path.read_bytes()


def read(path, kind):
    """(fields, covariates.Covariate each, public settings) of a released file."""
    with artifacts.reader(path, kind) as source:
        values = {name: source[name] for name in kind.fields}
    settings = json.loads(values.pop("settings"))
    asked = {one["name"]: {key: part for key, part in one.items() if key != "name"} for one in settings["covariates"]}
    return values, covariates.of_settings(asked), settings
