"""What a job has used, as the system counts it: processor time and the most memory it held.

Snakemake's benchmark files look at a job every 30 seconds, so they miss what came after the last look.
"""

import re
import resource
from pathlib import Path

LINE = re.compile(r"used ([0-9.]+) s of processor time, ([0-9.]+) MB")
PEAK = re.compile(r"^VmHWM:\s+(\d+) kB", re.MULTILINE)


def words():
    """`used 12.3 s of processor time, 210 MB` of this process, its start included, and of its finished children."""
    seconds = sum(
        used.ru_utime + used.ru_stime
        for used in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )
    return f"used {seconds:.2f} s of processor time, {_peak():.0f} MB"


def _peak():
    """Most memory held at once in MB. Linux's ru_maxrss would also count what the parent held before the start."""
    status = Path("/proc/self/status")
    found = PEAK.search(status.read_text(encoding="ascii")) if status.exists() else None
    return int(found[1]) / 1024 if found else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def read(path):
    """(seconds of processor time, MB) from the last such line of a log, or None."""
    found = LINE.findall(Path(path).read_text(encoding="utf-8"))
    return tuple(map(float, found[-1])) if found else None
