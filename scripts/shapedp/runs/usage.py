"""What a job has used, as the system counts it: processor time and the most memory it held.

Snakemake's benchmark files look at a job every 30 seconds, so they miss what came after the last look.
"""

import re
import resource
from pathlib import Path

LINE = re.compile(r"used ([0-9.]+) s of processor time, ([0-9.]+) of them to start, and ([0-9.]+) MB")
PEAK = re.compile(r"^VmHWM:\s+(\d+) kB", re.MULTILINE)


def seconds():
    """Processor time of this process since it began, and of its children that are through."""
    counted = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in counted)


def words(start):
    """`used 12.3 s of processor time, 1.2 of them to start, and 210 MB`; start : `seconds()` when the work began."""
    return f"used {seconds():.2f} s of processor time, {start:.2f} of them to start, and {peak():.0f} MB"


def peak():
    """Most memory held at once in MB. Linux's ru_maxrss would also count what the parent held before the start."""
    status = Path("/proc/self/status")
    found = PEAK.search(status.read_text(encoding="ascii")) if status.exists() else None
    return int(found[1]) / 1024 if found else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def read(path):
    """(seconds of processor time, seconds to start, MB) from the last such line of a log, or None."""
    found = LINE.findall(Path(path).read_text(encoding="utf-8"))
    return tuple(map(float, found[-1])) if found else None
