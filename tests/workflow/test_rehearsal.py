"""No batch of people goes through a step that the public template has not come through."""

import re

import pytest

from workflow import runs

pytestmark = pytest.mark.thorough

ASKED = "results/private/faces/curves.h5"
NODE, EDGE = re.compile(r'(\d+)\[label = "(\w+)'), re.compile(r"(\d+) -> (\d+)")


def needs(folder, *targets):
    """{job: (rule, rules of the jobs that it waits for directly)} of what a run would do."""
    text = runs.snakemake(folder, *targets, "--dag", "dot").stdout
    rules = dict(NODE.findall(text))
    return {job: (rule, {rules[a] for a, b in EDGE.findall(text) if b == job}) for job, rule in rules.items()}


def planned(folder, settings):
    """Return the rules that a run with these settings would start, from a dry run's table of jobs."""
    done = runs.snakemake(folder, ASKED, "--dry-run", settings=settings)
    return set(re.findall(r"^(\w+) +\d+$", done.stdout + done.stderr, re.MULTILINE))


@pytest.mark.parametrize(("rule", "first"), [("mesh_faces", "rehearse_disks"), ("register_surfaces", "rehearse_chain")])
def test_a_batch_waits_for_the_rehearsal_of_its_step(tmp_path, rule, first):
    runs.write_settings(tmp_path, runs.tiny(runs.TWO_FACES | {"faces.batch_size": 1}))
    batches = [before for name, before in needs(tmp_path, ASKED).values() if name == rule]
    assert len(batches) == 2
    assert all(first in before for before in batches)


def test_a_batch_that_is_one_job_waits_for_the_whole_rehearsal(tmp_path):
    runs.write_settings(tmp_path, runs.tiny({"faces.keep": ["curves"]}))
    jobs = needs(tmp_path, ASKED, "results/private/reference/curves.h5")
    batches = [before for name, before in jobs.values() if name == "make_curves"]
    assert len(batches) >= 2
    assert all("rehearse_chain" in before for before in batches)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A folder with the curves of two faces; (the folder, its settings)."""
    folder, settings = tmp_path_factory.mktemp("rehearsed"), runs.tiny(runs.TWO_FACES)
    runs.snakemake(folder, ASKED, settings=settings)
    return folder, settings


def test_a_finished_run_is_not_rehearsed_again(finished):
    folder, settings = finished
    assert "to its surface" in (folder / "results/private/rehearsed_disks.txt").read_text()
    assert "to its curves" in (folder / "results/private/rehearsed.txt").read_text()
    assert planned(folder, settings) == set()


def test_other_settings_of_a_step_are_rehearsed_before_it_and_earlier_steps_stay(finished):
    folder, settings = finished
    changed = settings | {"faces": settings["faces"] | {"gates": {"energy": 0.29}}}
    again = planned(folder, changed)
    assert {"rehearse_chain", "register_surfaces"} <= again
    assert {"rehearse_disks", "mesh_faces", "prepare_template"}.isdisjoint(again)


def test_another_template_is_rehearsed_before_anything(finished):
    folder, settings = finished
    changed = settings | {"faces": settings["faces"] | {"surface": {"rings": 40, "angles": 96}}}
    assert {"prepare_template", "rehearse_disks", "mesh_faces", "rehearse_chain", "register_surfaces"} <= planned(
        folder, changed
    )
