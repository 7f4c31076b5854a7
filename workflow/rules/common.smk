"""Settings, cohorts and the library that all rules share."""

import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

ROOT = Path(workflow.basedir)
sys.path.insert(0, str(ROOT / "scripts"))

from shapedp import config as settings
from shapedp import cohorts, samples, sources, summary
from shapedp.errors import ConfigError

try:
    settings.check(config)
    COHORTS = cohorts.find(config["faces"])
    TEMPLATE_SCAN = cohorts.template_scan(config["faces"], COHORTS)
except ConfigError as error:
    raise WorkflowError(str(error))

BATCHES = {
    cohort: samples.batches(members, config["faces"]["batch_size"])
    for cohort, members in COHORTS.items()
}
PRIVATE = Path("results/private")
PRIVATE.mkdir(mode=0o700, parents=True, exist_ok=True)
ENVIRONMENT = str(ROOT / "envs/shapedp.yaml")


wildcard_constraints:
    cohort="faces|reference",
    batch=r"\d+",
    release=r"[A-Za-z0-9][A-Za-z0-9_-]*",
    source="reference_set|data",
    reference="template|none",


def library(script):
    """The library's files that a script depends on; as inputs, so that an edit reruns what uses it."""
    return sources.closure(ROOT / "scripts" / f"{script}.py")
