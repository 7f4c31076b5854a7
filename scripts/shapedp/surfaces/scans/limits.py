"""Say what scans may take of a machine, by public numbers, and in words where the machine gives less.

Jobs ask a cluster for as much, so that no scan costs more than its own place. The bench `privacy` measures hostile
files against SECONDS and against half of JOB_MB.
"""

import math
import resource

from shapedp.people.samples import MOST as LARGEST_BATCH

# Of processor time a scan.
SECONDS = 30
# Seconds of processor time that a job takes besides.
START = 60
# Bytes of addresses of a process; a mesh of six million triangles takes 1.3 of these 2 GB.
ADDRESSES = 2 << 30
# Of a job: a process that reads scans, MeshLab's beside it, and Snakemake's own.
JOB_MB = 4000
# Bytes of a scan in a file of its batch: the largest mesh.
RECORD = 10 << 20
# Bytes of a file that goes to MeshLab or comes back.
WRITTEN = 512 << 20
# Of a job that reads no scans.
MINUTES = 30


def minutes(scans):
    """Return for how many minutes a job asks that takes so many scans, each of them as slow as a scan may be."""
    return MINUTES + math.ceil(scans * SECONDS / 60)


def short_limits(scans=LARGEST_BATCH):
    """Return, a sentence each, which hard limits of this machine leave less than a batch of scans may take, to warn
    beforehand.
    """
    short = []
    for limit, most, option, unit, size in (
        (resource.RLIMIT_AS, ADDRESSES, "-v", "MB of addresses", 1 << 20),
        (resource.RLIMIT_CPU, START + scans * SECONDS, "-t", "s of processor time", 1),
        (resource.RLIMIT_FSIZE, max(WRITTEN, scans * RECORD), "-f", "MB a file", 1 << 20),
    ):
        hard = resource.getrlimit(limit)[1]
        if hard != resource.RLIM_INFINITY and hard < most:
            short.append(
                f"ulimit {option} leaves {hard // size} {unit}, and a batch of {scans} scans may need "
                f"{most // size}: a scan that needs more is rejected here though another machine would take it, "
                "or it stops the run; raise the limit"
            )
    return short
