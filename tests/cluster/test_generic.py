"""The profile for any cluster, with a submit command that starts the job script on this machine."""

import yaml

from shapedp.surfaces.scans import limits
from workflow import runs

PROFILE = runs.ROOT / "workflow/profiles/generic"
SUBMIT = "sh -c 'echo {resources.mem_mb} {resources.runtime} >>asked.txt; setsid sh \"$0\" >/dev/null 2>&1 & echo $!'"
TARGET = "results/private/faces/mesh/1.h5"


def test_a_batch_goes_through_the_submit_command_and_gives_the_bytes_of_a_local_run(tmp_path):
    local, remote = tmp_path / "local", tmp_path / "remote"
    for folder in (local, remote):
        folder.mkdir()
    runs.snakemake(local, TARGET, settings=runs.tiny(runs.TWO_FACES))
    command = ["--workflow-profile", str(PROFILE), "--cluster-generic-submit-cmd", SUBMIT]
    runs.snakemake(remote, TARGET, *command, settings=runs.tiny(runs.TWO_FACES), cores=None)
    assert (remote / TARGET).read_bytes() == (local / TARGET).read_bytes()
    memory, minutes = map(int, (remote / "asked.txt").read_text().split())
    assert memory == limits.JOB_MB
    assert minutes == limits.minutes(2)


def test_each_line_of_the_profile_is_explained():
    lines = (PROFILE / "config.yaml").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if "#" not in line] == []
    settings = yaml.safe_load("\n".join(lines))
    assert settings["executor"] == "cluster-generic"
    assert "{resources.mem_mb}" in settings["cluster-generic-submit-cmd"]
