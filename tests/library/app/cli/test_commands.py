"""The command `shapedp`: help, results, one line an error, exit codes that mean something."""

import json
import subprocess
import sys

import numpy as np
import pytest

import shapedp as package
from library.privacy.cohort import Workspace
from plan_release import plan_release
from shapedp.app.cli import commands
from shapedp.base import artifacts
from shapedp.base.settings import checks
from shapedp.surfaces.chain.cohort import bound_curves, learn_variation

LEARNED = {
    "directions": 4,
    "harmonics": 4,
    "quantile": 0.95,
    "assumed_mean_shift": 0.35,
    "assumed_shift_outside_modes": 1.2,
}

RUN = "import sys; sys.path.insert(0, {!r}); from shapedp.app.cli.commands import main; sys.exit(main())"


def shapedp(root, *arguments):
    """Run the command as a user does."""
    code = RUN.format(str(root / "scripts"))
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, check=False, cwd=root
    )


@pytest.fixture
def within(root, monkeypatch):
    """The same command in this process, which has imported all that a new one would wait for: its exit code."""

    def run(*arguments):
        monkeypatch.chdir(root)
        monkeypatch.setattr(sys, "argv", ["shapedp", *map(str, arguments)])
        try:
            return commands.main()
        except SystemExit as end:
            return end.code

    return run


@pytest.fixture
def release(tmp_path):
    return a_mean_face(tmp_path / "mean_face.h5")


def a_mean_face(path):
    """A released mean face of three curves."""
    theta = 2 * np.pi * np.arange(8) / 8
    radii = np.array([0.3, 0.6, 1.0])
    ring = np.stack([np.cos(theta), np.sin(theta), 0 * theta])
    with artifacts.writer(path, artifacts.MEAN_FACE) as out:
        out.set(
            curves=radii[:, None, None] * ring,
            noise_sd=np.full((3, 3), 0.01),
            noise_mm=np.ones((3, 8)),
            noise_draws=np.zeros((3, 3, 3, 8)),
            radii=radii,
            scale=100.0,
            settings="{}",
        )
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", ["describe", "doctor", "ledger", "new", "plan", "inspect", "status", "export", "map"]
)
def test_each_command_has_help_with_an_example(root, command):
    done = shapedp(root, command, "--help")
    assert done.returncode == 0
    assert f"Example: shapedp {command}" in done.stdout


@pytest.mark.slow
def test_describe_prints_what_a_file_holds(root, release):
    done = shapedp(root, "describe", release)
    assert done.returncode == 0
    assert "a released mean face, noise included" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".ply", ".glb", ".obj", ".stl", ".csv", ".npz"])
def test_export_writes_each_format(within, release, tmp_path, ending):
    output = tmp_path / f"mean{ending}"
    assert not within("export", release, output)
    assert output.stat().st_size > 100


def test_a_folder_of_a_release_is_exported_and_described_as_its_file_is(within, release, tmp_path, capsys):
    assert not within("export", release.parent, tmp_path / "mean.csv")
    assert not within("describe", release.parent)
    assert "a released mean face, noise included" in capsys.readouterr().out


@pytest.mark.slow
def test_exported_numbers_are_millimetres(within, release, tmp_path):
    within("export", release, tmp_path / "mean.csv")
    first = (tmp_path / "mean.csv").read_text(encoding="utf-8").splitlines()[1].split(",")
    assert [float(value) for value in first[:5]] == [1, 1, 30, 0, 0]
    assert float(first[5]) == pytest.approx(1.0)


def test_it_says_which_one_it_is(root):
    assert shapedp(root, "--version").stdout == f"shapedp {package.__version__}\n"


@pytest.mark.slow
def test_plan_runs_without_options_and_names_its_bounds(root):
    done = shapedp(root, "plan", "--results", "nowhere")
    assert done.returncode == 0
    assert "mm (rms at a point)" in done.stdout
    assert "about those of the built-in model" in done.stdout


def test_completion_is_offered(root):
    assert "--install-completion" in shapedp(root, "--help").stdout


@pytest.mark.slow
def test_plan_says_how_many_people_a_target_takes(root):
    done = shapedp(root, "plan", "--tau", 0.022, 0.038, 0.032, "-n", 300, "--target", 0.5)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    error = float(lines[0].split("error ")[1].split()[0])
    [people] = [int(line.split(": ")[1].split()[0]) for line in lines if line.startswith("for 0.5 mm at mu = 1 ")]
    assert people == pytest.approx(300 * error / 0.5, rel=0.01)
    assert "(strong)" in done.stdout


@pytest.mark.slow
def test_after_a_run_plan_gives_the_numbers_of_its_table(root, tmp_path):
    """What `snakemake plan` writes and what the command says of the same people are one number."""
    workspace = Workspace(tmp_path)
    stack, private = workspace.stack(), tmp_path / "results/private"
    (private / "reference").mkdir(parents=True)
    (tmp_path / "template.h5").rename(private / "template.h5")
    learn_variation(stack, private / "template.h5", private / "reference/variation.h5", LEARNED, "a public set")
    limits = private / "faces/bounds/reference_set_template.h5"
    settings = {"quantile": 0.95, "margin": 1.2, "reference_set": "a public set"}
    bound_curves(stack, private / "template.h5", limits, settings, "reference_set", "template")
    paths = {key: tmp_path / f"{key}.tsv" for key in ("table", "answers", "settings")} | {"picture": tmp_path / "p.png"}
    kernel = checks.load(root / "config.yaml")["faces"]["kernel"]
    plan_release(limits, private / "reference/variation.h5", private / "template.h5", paths, kernel, None)
    rows = [line.split("\t") for line in paths["table"].read_text().splitlines()]
    for name in ("shaped", "matched_joint"):
        [row] = [row for row in rows if row[:3] == [name, "300", "1"]]
        done = shapedp(root, "plan", "-n", 300, "--mechanism", name, "--results", tmp_path / "results")
        assert float(done.stdout.split("error ")[1].split()[0]) == pytest.approx(float(row[5]), rel=0.01)
    (private / "settings.json").write_text(json.dumps(checks.load(root / "config.yaml") | {"faces": None}))
    assert shapedp(root, "plan", "--tau", 1, 1, 1, "--results", tmp_path / "results").returncode == 0, (
        "reads no settings"
    )
    refused = shapedp(root, "plan", "--results", tmp_path / "results")
    assert "settings.json: has no section `faces`" in refused.stderr, "the run's own settings are read"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("describe", "nothing.h5"), 4, "no such file"),
        (("describe", "README.md"), 4, "not an artifact"),
        (("ledger", "nobody", "--folder", "nowhere"), 3, "holds no release of 'nobody'"),
        (("plan", "--tau", "1", "1", "1", "-n", "0"), 3, "n must be a positive number, found 0"),
        (("plan", "--tau", "1", "1", "-1"), 5, "three positive numbers"),
        (("assess", "scan.ply", "nowhere", "--side", "right"), 4, "no such file or folder"),
        (("inspect", "face_0001", "--results", "nowhere"), 4, "run snakemake first"),
        (("plan", "--tau", "1", "1", "1", "--config", "nowhere.yaml"), 3, "nowhere.yaml: no such settings file"),
        (("describe", "README.md", "--table"), 2, "give a FILE or --table"),
        (("dance",), 2, "No such command"),
    ],
)
def test_an_error_is_one_line_and_a_code(within, capsys, arguments, code, words):
    assert within(*arguments) == code
    said = capsys.readouterr().err
    assert words in said
    if code > 2:
        assert len(said.strip().splitlines()) == 1


def test_the_help_says_what_the_exit_codes_mean(root):
    said = " ".join(shapedp(root, "--help").stdout.split())
    for meaning in ("0 done", "2 wrong usage", "3 a setting", "4 a file", "5 refused"):
        assert meaning in said


@pytest.mark.slow
def test_output_may_be_cut_off(root):
    code = RUN.format(str(root / "scripts"))
    command = [sys.executable, "-c", code, "describe", "--table"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=root) as process:
        process.stdout.close()
        assert process.stderr.read() == b""


def test_status_is_of_the_settings_that_the_run_left(tmp_path, capsys):
    found = checks.load()
    found["faces"] |= {"scans": str(tmp_path / "scans"), "releases": [], "batch_size": 1}
    for path in ("scans/a.ply", "scans/c.ply", "results/private/faces/mesh/1.h5"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    (tmp_path / "results/private/settings.json").write_text(json.dumps(found), encoding="utf-8")
    commands.status(tmp_path / "results", None)
    assert "faces: 0 of 2 scans done; batches done: mesh_faces 1 of 2" in capsys.readouterr().out
