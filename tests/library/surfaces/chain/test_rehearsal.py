"""The chain is rehearsed on the public template: where the program fails on it, no scan is to blame."""

from dataclasses import replace

import numpy as np
import pytest

from shapedp.base.errors import MachineError, ProgramError, Rejected
from shapedp.base.settings import pages, schema
from shapedp.surfaces.chain import cohort, rehearsal, steps, to_disk, to_template

FACES = schema.complete_settings(pages.make_demo())["faces"] | {
    "surface": {"rings": 48, "angles": 128},
    "registration": {"levels": 2, "basis": 60, "regularisation": 0.1, "search": "auto"},
    "curves": {"count": 23, "samples": 80, "spacing": "arc"},
}
CHAIN = {key: FACES[key] for key in steps.SETTINGS}


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """The built-in template's artifact."""
    path = tmp_path_factory.mktemp("template") / "template.h5"
    cohort.prepare_template(None, path, {key: FACES[key] for key in to_template.SETTINGS}, False)
    return path


@pytest.mark.slow
def test_the_template_comes_to_its_curves(template, tmp_path):
    rehearsal.rehearse_chain(template, steps.STEPS, CHAIN, tmp_path / "rehearsed.txt")
    assert "to its curves" in (tmp_path / "rehearsed.txt").read_text()


@pytest.mark.slow
def test_the_steps_to_the_disk_are_rehearsed_with_their_own_settings_alone(template, tmp_path):
    settings = {key: FACES[key] for one in to_disk.STEPS for key in one.settings}
    rehearsal.rehearse_chain(template, to_disk.STEPS, settings, tmp_path / "rehearsed_disks.txt")
    assert "to its surface" in (tmp_path / "rehearsed_disks.txt").read_text()


def failing(monkeypatch, error, at=1):
    """Let a step of the chain raise this."""

    def step(*_):
        raise error

    broken = [replace(one, prepared=lambda _: step) if row == at else one for row, one in enumerate(steps.STEPS)]
    monkeypatch.setattr(steps, "STEPS", broken)


@pytest.mark.slow
@pytest.mark.parametrize("at", [0, 1, 4, 5])
def test_a_program_that_fails_on_it_stops_the_run(template, tmp_path, monkeypatch, at):
    failing(monkeypatch, AttributeError("'NoneType' has no attribute 'points'"), at)
    with pytest.raises(ProgramError, match=r"fails on the public template: AttributeError.*no scan is to blame"):
        rehearsal.rehearse_chain(template, steps.STEPS, CHAIN, tmp_path / "rehearsed.txt")
    assert not (tmp_path / "rehearsed.txt").exists()


def test_a_template_that_settings_reject_stops_nothing(template, tmp_path, monkeypatch):
    """It is told: a template need not pass the gates of scans."""
    failing(monkeypatch, Rejected("large_hole", "a hole is too large"), 0)
    rehearsal.rehearse_chain(template, steps.STEPS, CHAIN, tmp_path / "rehearsed.txt")
    assert "a hole is too large" in (tmp_path / "rehearsed.txt").read_text()


def test_what_the_machine_lacks_is_no_fault_of_the_program(template, tmp_path, monkeypatch):
    failing(monkeypatch, MachineError("stopped"), 0)
    with pytest.raises(MachineError, match="stopped"):
        rehearsal.rehearse_chain(template, steps.STEPS, CHAIN, tmp_path / "rehearsed.txt")


def test_a_grid_becomes_a_disk_of_triangles():
    rings, angles = np.meshgrid(np.linspace(0.1, 1, 5), np.linspace(0, 2 * np.pi, 8, endpoint=False), indexing="ij")
    f = np.stack([rings * np.cos(angles), rings * np.sin(angles), np.zeros_like(rings)], axis=-1)
    points, triangles = rehearsal.as_mesh(f)
    sides = points[triangles[:, 1:]] - points[triangles[:, :1]]
    areas = np.cross(sides[:, 0], sides[:, 1])[:, 2] / 2
    assert (areas > 0).all(), "all turn the same way"
    assert areas.sum() == pytest.approx(4 * np.sin(np.pi / 4)), "the octagon's"
    edges = np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1)
    assert len(points) - len(np.unique(edges, axis=0)) + len(triangles) == 1, "a disk"


def test_the_rehearsal_takes_every_step():
    assert (*to_disk.STEPS, to_template.REGISTER_SURFACES, to_template.EXTRACT_CURVES) == steps.STEPS
