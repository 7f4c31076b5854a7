"""Why a run stopped, in its own words, and whether starting it again is of any use."""

import re
from pathlib import Path

MENDABLE = re.compile(r"^\S+ \S+ ERROR (\w+): (.*)$", re.MULTILINE)  # what `runs.logs.logged` writes
HOPELESS = {"RefusedRelease", "ConfigError", "ArtifactError", "Rejected"}  # the same again ends the same way
AGAIN = "start the same command again to go on: what is finished is kept"
MEND = "mend that first; what is finished is kept"


def lines(logs, since):
    """The reasons from logs written after `since`, each once, and then what to do."""
    found = {}
    for path in sorted(Path(logs).rglob("*.log")):
        if path.stat().st_mtime >= since:
            for kind, words in MENDABLE.findall(path.read_text(encoding="utf-8", errors="replace")):
                found.setdefault((kind, words), path)
    for (_, words), path in found.items():
        yield f"  {words} (log: {path})"
    yield MEND if any(kind in HOPELESS for kind, _ in found) else AGAIN
