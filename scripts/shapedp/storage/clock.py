"""Files dated after now, which a wrong clock leaves behind: what is made from them would never be up to date."""

import time
from datetime import datetime
from pathlib import Path

from shapedp.errors import StorageError

SHOWN = 5  # files that a message lists
SLACK = 2.0  # seconds; disks on the network date files by their own clock


def refuse_future(paths, now=None):
    """Refuse files whose date lies in the future, before hours of work are thrown away because of them."""
    now = time.time() if now is None else now
    ahead = [path for path in map(Path, paths) if path.exists() and path.stat().st_mtime > now + SLACK]
    if ahead:
        more = f" and {len(ahead) - SHOWN} more" if len(ahead) > SHOWN else ""
        raise StorageError(
            f"{len(ahead)} file(s) are dated after now ({datetime.fromtimestamp(now):%Y-%m-%d %H:%M:%S}): "
            f"{', '.join(map(repr, map(str, ahead[:SHOWN])))}{more}. A clock was or is wrong: set it, then date "
            "them anew (touch FILE ...) and start the same command again; nothing is lost"
        )
