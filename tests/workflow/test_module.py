"""The workflow as a module of another one, as Snakemake's catalogue proposes it."""

import subprocess
import sys

import pytest
import yaml

from workflow import runs

PARENT = """
configfile: "parent.yaml"

module means:
    snakefile: "{root}/Snakefile"
    config: config["means"]

use rule * from means as means_*

rule count:
    default_target: True
    input: "results/private/shapes/landmarks.h5"
    output: "bytes.txt"
    log: "count.log"
    shell: "wc -c < {{input}} > {{output}} 2> {{log}}"
"""


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """The folder of another workflow that needs an artifact of this one."""
    folder = tmp_path_factory.mktemp("parent")
    (folder / "Snakefile").write_text(PARENT.format(root=runs.ROOT), encoding="utf-8")
    settings = {"means": runs.tiny(), "own": 1}
    (folder / "parent.yaml").write_text(yaml.safe_dump(settings, sort_keys=False), encoding="utf-8")
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--directory", str(folder)]
    ran = subprocess.run(
        [*command, "--snakefile", str(folder / "Snakefile")],
        capture_output=True,
        text=True,
        check=False,
        env=runs.environment(),
        stdin=subprocess.DEVNULL,
    )
    assert ran.returncode == 0, ran.stderr[-4000:]
    return folder


def test_another_workflow_uses_its_artifacts(done):
    made = done / "results/private/shapes/landmarks.h5"
    assert int((done / "bytes.txt").read_text(encoding="utf-8")) == made.stat().st_size


def test_its_rules_bear_the_prefix_in_their_records_and_the_others_are_left_alone(done):
    logs = sorted(path.name for path in (done / "results/private/logs").iterdir())
    assert logs == ["means_make_demo_outlines.log", "means_read_shapes.log"]
    assert (done / "count.log").is_file()


def test_the_catalogue_reads_how_it_is_used(root):
    entry = yaml.safe_load((root / ".snakemake-workflow-catalog.yml").read_text(encoding="utf-8"))
    assert entry["usage"]["software-stack-deployment"]["conda"] is True
    assert entry["usage"]["report"] is True
