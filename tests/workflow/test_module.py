"""The workflow as a module of another one, as Snakemake's catalogue proposes it and `snakedeploy` writes it."""

import shutil
import subprocess
import sys

import pytest
import yaml

from workflow import runs

pytestmark = pytest.mark.thorough

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


def test_its_records_stand_where_its_rules_say_and_those_of_other_rules_where_theirs_do(done):
    logs = sorted(path.name for path in (done / "results/private/logs").iterdir())
    assert logs == ["make_demo_outlines.log", "read_shapes.log"]
    assert (done / "count.log").is_file()


def test_the_catalogue_reads_how_it_is_used(root):
    entry = yaml.safe_load((root / ".snakemake-workflow-catalog.yml").read_text(encoding="utf-8"))
    assert entry["usage"]["software-stack-deployment"]["conda"] is True
    assert entry["usage"]["report"] is True


DEPLOYED = "results/private/shapes/landmarks.h5"


def deployed(folder):
    """A folder that snakedeploy made from a clone of this checkout; its configuration is as small as can be."""
    if shutil.which("snakedeploy") is None:
        pytest.skip("snakedeploy is not installed")
    clone, place = folder / "clone", folder / "deployed"
    subprocess.run(["git", "clone", "--quiet", runs.ROOT, clone], check=True, capture_output=True)
    command = ["snakedeploy", "deploy-workflow", clone, place, "--branch", "main", "--name", "shapedp"]
    subprocess.run(command, check=True, capture_output=True)
    snakefile = place / "workflow/Snakefile"  # of a clone, snakedeploy writes a place that only holds on a server
    written = snakefile.read_text(encoding="utf-8")
    assert written.count('"workflow/Snakefile"') == 1
    snakefile.write_text(written.replace('"workflow', f'"{clone}/workflow'), encoding="utf-8")
    given = yaml.safe_load((place / "config/config.yaml").read_text(encoding="utf-8"))
    assert given == yaml.safe_load((runs.ROOT / "config.yaml").read_text(encoding="utf-8")), "not the demo's"
    settings = yaml.safe_dump(runs.tiny(), sort_keys=False)
    (place / "config/config.yaml").write_text(settings, encoding="utf-8")
    return place


def snakemake(place, *arguments):
    command = [sys.executable, "-m", "snakemake", "--cores", "1", *arguments]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False, env=runs.environment())
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout + done.stderr


def test_what_snakedeploy_writes_plans_the_demo_and_makes_its_first_artifact(tmp_path):
    place = deployed(tmp_path)
    told = snakemake(place, "--dry-run")
    assert "release_faces" in told and "release_shapes" in told
    snakemake(place, DEPLOYED)
    assert (place / DEPLOYED).is_file()


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_what_snakedeploy_writes_runs_the_demo_whole(tmp_path):
    place = deployed(tmp_path)
    snakemake(place)
    for release in ("faces/mean_face", *(f"shapes/{one['name']}" for one in runs.tiny()["shapes"]["releases"])):
        assert (place / "results/release" / release / "index.html").is_file()
    assert "will spend" not in snakemake(place, "--dry-run")
