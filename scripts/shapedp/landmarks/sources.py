"""The landmark files that the settings name, looked for before anything runs."""

from pathlib import Path

from shapedp.errors import ConfigError

CENTERS = ("demo", "reference_set", "private", "data")  # words for p0; anything else is a file


def find(shapes):
    """{setting: path} of the section `shapes`: landmarks, center, reference_set and sheet where they are files.

    Raises ConfigError for a path that does not exist, and where a setting needs another.
    """
    named = {"landmarks": shapes["landmarks"]} if shapes["landmarks"] != "demo" else {}
    if shapes["center"] not in CENTERS:
        named["center"] = shapes["center"]
    named |= {key: shapes[key] for key in ("reference_set", "sheet") if shapes.get(key)}
    for key, path in named.items():
        if not Path(path).exists():
            known = (
                f" or one of {', '.join(CENTERS)}" if key == "center" else " or `demo`" if key == "landmarks" else ""
            )
            raise ConfigError(f"shapes.{key}: there is no '{path}'; give a file or folder that exists{known}")
    if shapes["center"] == "reference_set" and "reference_set" not in named:
        raise ConfigError("shapes.reference_set: missing, and shapes.center is `reference_set`; name the public file")
    if shapes["center"] == "private":
        _of_nothing_public(shapes)
    return named


def _of_nothing_public(shapes):
    """What else `center: private` needs, and what it has no place for."""
    if not shapes.get("landmark_count"):
        raise ConfigError("shapes.landmark_count: missing, and with center: private no public shape says it")
    if given := [key for key in ("reference_set", "pairs", "semilandmarks", "size") if shapes.get(key)]:
        raise ConfigError(f"shapes.{given[0]}: has no meaning with center: private; leave it out, or name a center")
