"""A bad setting stops the run before any job, in one clear message."""

import pytest

from workflow import runs


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"faces.kernel.alpha": 2}, "faces.kernel.alpha: found 2, must be <= 1"),
        ({"faces.bach_size": 3}, "faces: unknown key 'bach_size'; did you mean 'batch_size'?"),
        ({"faces.scans": "nowhere/*.ply", "faces.releases": []}, "faces.scans: 'nowhere/*.ply' matches no scan"),
        ({"shapes.landmarks": "nowhere.tps", "shapes.releases": []}, "shapes.landmarks: there is no 'nowhere.tps'"),
        ({"shapes.center": "nowhere.tps"}, "shapes.center: there is no 'nowhere.tps'"),
        ({"faces.template": "nobody.ply", "faces.scans": "demo"}, "faces.template: found 'nobody.ply'"),
    ],
)
def test_a_bad_setting_is_told_before_any_job(tmp_path, changes, words):
    done = runs.snakemake(tmp_path, "--dry-run", settings=runs.tiny(changes), check=False)
    assert done.returncode != 0
    assert words in done.stderr + done.stdout
    assert not (tmp_path / "results/private/faces").exists()


def test_settings_on_the_command_line_are_checked_too(tmp_path):
    done = runs.snakemake(
        tmp_path, "--dry-run", "--config", "simulation={'scale': 'huge'}", settings=runs.tiny(), check=False
    )
    assert done.returncode != 0
    assert 'simulation.scale: found "huge", allowed: quick, paper' in done.stderr + done.stdout


def test_the_default_profile_is_picked_up_by_itself(tmp_path):
    done = runs.snakemake(tmp_path, "--dry-run", "--quiet", settings=runs.tiny())
    assert "workflow specific profile profiles/default" in done.stderr + done.stdout
