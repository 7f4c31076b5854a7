"""What was released, read back."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from shapedp import artifacts
from shapedp.errors import ArtifactError

FILES = {"mean_face.h5": artifacts.MEAN_FACE, "mean_shape.h5": artifacts.RELEASED_SHAPE}


@dataclass(frozen=True)
class Release:
    """A release and what it says of itself.

    values : {field: array or number} as `shapedp describe` lists them; settings : public; statement : as
    statement.json has it, {} where only the data file was given
    """

    values: dict
    settings: dict
    statement: dict

    @property
    def formally_private(self):
        """Whether the guarantee holds, by the statement; False where there is none."""
        return self.statement.get("formally_private", False) is True

    @property
    def points(self):
        """(N, 3) points of a face in mm, curve after curve; (k, 2) landmarks of a shape."""
        if "landmarks" in self.values:
            return self.values["landmarks"]
        return np.moveaxis(self.values["curves"] * self.values["scale"], 1, 2).reshape(-1, 3)


def read_release(path):
    """Read a release: its folder, or the mean_face.h5 or mean_shape.h5 in it. Checks that the file is whole."""
    path = Path(path)
    if path.is_dir():
        found = [path / name for name in FILES if (path / name).is_file()]
        if len(found) != 1:
            raise ArtifactError(f"{path}: holds no release; give a folder with one of {', '.join(FILES)}")
        path = found[0]
    kind = next((one for one in FILES.values() if one.name == artifacts.header(path)[0]), None)
    if kind is None:
        raise ArtifactError(f"{path}: holds '{artifacts.header(path)[0]}', which is no release")
    with artifacts.reader(path, kind) as source:
        values = {name: source[name] for name in kind.fields}
    statement = path.with_name("statement.json")
    stated = json.loads(statement.read_text(encoding="utf-8")) if statement.is_file() else {}
    return Release(values, json.loads(values.pop("settings")), stated)
