"""The house itself: how long its lanes take, how large its largest module is, how far a new mechanism reaches.

check, test : `make check` and `make test` in this checkout, with the environment and the loops ready; ci : `.ci/run` in
a clone of the last commit, environment and loops included; all : `make test-all` in that, lint beside it. demo : the
demo's first run on two cores, environment and loops ready. kinds : files outside a kind's folder that name it; files
outside its folder that a new kind is written into; whether a checkout without growth builds.
results : released files that have changed. core, face : imports of the core from the rest of the
library, and of what knows a face from elsewhere. files_touched : files of the checkout that an own mechanism would have
to be written into, its class apart.
stops, modules : functions that receive an entry of `releases:`, or what was made of it, from the rule's script to the
written file, and the modules they stand in. rerun : jobs that a finished checkout would make again, moved, with another
comment, with another constant. plan_s : `snakemake -n`, beside that of the commit before the rooms became wings.
names, docstrings, comments, readme : what a reader of the code meets.
"""

import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from benchmarks import prose_counts, seeded_releases
from library.privacy import cohort
from library.releases.followed import Followed
from shapedp.base.runs import code_digest
from shapedp.base.settings import pages, read_default, registry, schema
from shapedp.surfaces.chain import cohort as cohort_steps
from shapedp.surfaces.chain import to_template
from shapedp.surfaces.chain.steps import SETTINGS, STEPS
from workflow import runs

POPULATIONS = ("checkout",)
SEEDS = "none"
TARGETS = {
    "kinds growth_files_outside": "<= 6",
    "kinds mean_change_files_outside": "<= 10",
    "kinds files_for_a_new_kind": "<= 1",
    "kinds removed_build": ">= 1",
    "core foreign_imports": "<= 0",
    "face imports_outside": "<= 0",
    "face texts_outside": "<= 0",
    "results digests_changed": "<= 0",
    "release modules": "<= 8",
    "release returns": "<= 8",
    "rerun moved_checkout_jobs": "<= 0",
    "rerun comment_jobs": "<= 0",
    "rerun constant_jobs_missed": "<= 0",
    "plan_s ratio": "<= 1.05",
    "names vague": "<= 150",
    "names splats": "<= 60",
    "names of_functions": "<= 10",
    "docstrings with_sections_share": ">= .9",
    "comments share": ">= .015",
    "readme words": "<= 700",
    "tests test_s": "<= 480",
    "tests all_s": "<= 1500",
    "tests ci_s": "<= 1500",
    "run demo_s": "<= 65",
    "start step_worst_cpu_s": "<= .45",
}
BEFORE_WINGS = "83c6997f"  # the commit before rooms became wings
# The page beside this file has the same name, is made from these rows, and must not mark them as changed.
FIRST_PAGE = (runs.ROOT / "README").with_suffix(".md")
PLANS = 3  # times that `snakemake -n` is timed
RULE = re.compile(r"^(?=(?:rule|checkpoint) )", re.MULTILINE)
RULE_AND_SCRIPT = re.compile(r"^(?:rule|checkpoint) (\w+):.*scripts/(\w+\.py)", re.DOTALL)
TIMED = re.compile(r"^(\d+) s by the clock")  # what make prints of a lane
JOB_ROW = re.compile(r"^(\w+) +(\d+)$", re.MULTILINE)  # of the table that `snakemake -n` ends with
CHANGED_MODULE = "scripts/shapedp/surfaces/meshing/clouds.py"
WHOLE_LIBRARY = True
LIBRARY, RULES = runs.ROOT / "scripts", runs.ROOT / "workflow/rules"
AGAIN = re.compile(r'\b(?:entry|release|settings|section|faces|shapes|one)\.get\("(\w+)", (?!None|default)')
OWN_IMPORT = re.compile(r"^ *(?:from|import) shapedp\.([\w.]+)", re.MULTILINE)
IMPORTED_NAMES = re.compile(r"^ *(?:from|import) shapedp\.([\w.]+)(?: +import +(\([^)]*\)|.*))?", re.MULTILINE)
KIND_NAMES = "scripts/shapedp/releases/kinds/__init__.py"
NAMED_LAST = '    "growth",\n'
NO_KINDS = ("privacy", "reproduction", "surfaces")  # wings where growth is that of a volume, or a size
OTHER_KINDS = (
    *("tests/library/releases/kinds", "tests/library/releases/statement", "tests/library/releases/test_allow_list.py"),
    *(
        "tests/library/releases/test_faces.py",
        "tests/library/base/settings",
        "tests/scripts/test_release_face_model.py",
    ),
    *("tests/scripts/test_release_shape_model.py", "tests/scripts/test_release_mean_shape.py"),
)
WRITTEN = (".py", ".smk", ".yaml", ".json", ".js", ".html", ".md")
STRANGER = """
class Own:
    branch, name, label, words, formula, clipping, sampler = "{}", *6 * ("own",)
    budgets = ("mu_total",)
"""


STARTS = 3  # processes of each step
NAMED = {"template": "formula", "center": "nose"}
START = """
from shapedp.base.runs.logs import logged
from shapedp.surfaces.chain import step
from {module} import {name} as chosen
chosen.prepared(step.ChainSettings({settings!r}, {template!r}))
"""


@dataclass(frozen=True)
class Size:
    """lanes : {measure: command}, timed here; clone : whether CI is run in a clone."""

    lanes: dict
    clone: bool


FULL = Size({"check_s": ("make", "check"), "test_s": ("make", "test")}, True)
TINY = Size({"check_s": ("make", "--dry-run", "check")}, False)


def lane_rows(size):
    """Yield how long the lanes take."""
    # All before the first row: a test fails where a table has a row that its page does not show yet.
    took = {measure: seconds(command, runs.ROOT) for measure, command in size.lanes.items()}
    for measure, lane_seconds in took.items():
        yield "tests", measure, lane_seconds, "s"


def ci_rows(size):
    """Yield how long CI takes in a clone, and all tests in it; nothing at the tiny size."""
    if size.clone:
        with tempfile.TemporaryDirectory() as folder:
            clone = Path(folder) / "clone"
            subprocess.run(["git", "clone", "--quiet", str(runs.ROOT), str(clone)], check=True)
            # Tests on real data look for it beside the checkout, as they do here.
            (clone.parent / "shared").symlink_to(runs.ROOT.parent / "shared")
            ci_seconds, all_seconds = time_ci(clone)
        yield "tests", "ci_s", ci_seconds, "s"
        yield "tests", "all_s", all_seconds, "s"


def demo_rows(size):
    """Yield how long the demo's first run takes; nothing at the tiny size."""
    if size.clone:
        clock, processor = demo()
        yield "run", "demo_s", clock, "s"
        yield "run", "demo_cpu_s", processor, "s"


def module_rows(_):
    """Yield how large modules are, and what is said twice."""
    modules = [path for path in LIBRARY.rglob("*.py") if "__pycache__" not in path.parts]
    yield "modules", "largest_lines", max(lines(path) for path in modules), "lines"
    yield "modules", "files", len(modules), "files"
    yield "modules", "lines", sum(map(lines, modules)), "lines"
    yield "modules", "one_importer_under_60_lines", sum(1 for _ in crumbs()), "modules"
    yield "settings", "keys_with_two_sources", len(said_again()), "keys"
    yield "mechanism", "files_touched", max(len(touched(branch)) for branch in registry.BUILT_IN), "files"


def start_rows(_):
    """Yield how long a step of the chain takes to start."""
    yield "start", "step_worst_cpu_s", max(starts().values()), "s"


def kind_rows(_):
    """Yield how far a kind of release reaches, and how much of the core and of faces stands elsewhere."""
    yield "kinds", "growth_files_outside", len(files_that_name(r"growth", "releases/kinds/growth", NO_KINDS)), "files"
    outside = len(files_that_name(r"mean_change|asymmetry", "releases/kinds/change"))
    yield "kinds", "mean_change_files_outside", outside, "files"
    yield "core", "foreign_imports", len(list(imports_of("privacy", {"privacy", "base.errors"}))), "imports"
    outside = imports_from_outside("surfaces.human_face", "surfaces/subjects")
    yield "face", "imports_outside", len(list(outside)), "imports"


def copy_rows(size):
    """Yield whether a kind can be added and taken out in a copy of the checkout; nothing at the tiny size."""
    if not size.clone:
        return
    with tempfile.TemporaryDirectory() as folder:
        yield "kinds", "files_for_a_new_kind", len(files_for_a_new_kind(checkout_in(folder, "with"))), "files"
        yield "kinds", "removed_build", float(builds_without_growth(checkout_in(folder, "without"))), "1 if it does"


def result_rows(size):
    """Yield how many released files are other than before the last move; nothing at the tiny size."""
    if size.clone:
        names, count = seeded_releases.changed()
        seeds = f"of {count} files of seeded releases of every kind and branch, beside {seeded_releases.BEFORE}"
        yield "results", "digests_changed", len(names), "files", seeds


def prose_rows(_):
    """Yield what a reader of the code meets: names, docstrings, comments, texts that know a face, words of README."""
    prose = prose_counts.count_prose()
    yield "names", "vague", prose.names.total(), "names"
    yield "names", "splats", prose.splats.total(), "calls"
    yield "names", "of_functions", len(prose.of_functions), "functions"
    yield "docstrings", "with_sections_share", prose_counts.share_with_sections(), "share"
    yield "comments", "share", prose.comments / prose.lines, "share of lines"
    yield "face", "texts_outside", len(prose_counts.texts_that_know_a_face()), "texts"
    yield "readme", "words", len(FIRST_PAGE.read_text(encoding="utf-8").split()), "words"


def rerun_rows(size):
    """Yield the jobs that a finished checkout would make again; nothing at the tiny size."""
    if not size.clone:
        return
    with tempfile.TemporaryDirectory() as folder:
        finished = copy_for_a_run(Path(folder) / "finished")
        runs.write_settings(finished, runs.tiny())
        all_jobs = jobs_to_make(finished)
        snakemake_in(finished)
        moved = Path(folder) / "moved"
        subprocess.run(["cp", "-a", str(finished), str(moved)], check=True)
        yield "rerun", "moved_checkout_jobs", sum(jobs_to_make(moved).values()), "jobs"
        module = moved / CHANGED_MODULE
        text = module.read_text(encoding="utf-8")
        module.write_text(f"{text}\n# A remark.\n", encoding="utf-8")
        yield "rerun", "comment_jobs", sum(jobs_to_make(moved).values()), "jobs"
        module.write_text(f"{text}\nNEW = 1\n", encoding="utf-8")
        missed = rules_that_run(CHANGED_MODULE) & set(all_jobs) - set(jobs_to_make(moved))
        yield "rerun", "constant_jobs_missed", len(missed), "rules"


def plan_rows(size):
    """Yield how long `snakemake -n` of a fresh checkout takes beside that of an earlier commit, in turns."""
    if not size.clone:
        return
    with tempfile.TemporaryDirectory() as folder:
        places = [checkout_in(folder, "now"), checkout_in(folder, "before", BEFORE_WINGS)]
        times = [[plan_seconds(place) for place in places] for _ in range(PLANS)]
        now, before = (sorted(column)[PLANS // 2] for column in zip(*times, strict=True))
        yield "plan_s", "ratio", now / before, "ratio of processor time"


def release_rows(_):
    """Yield the stops and modules that an entry of `releases:` passes."""
    found = followed()
    yield "release", "stops", len(found.stops), "functions"
    yield "release", "modules", len(found.modules), "modules"
    yield "release", "returns", found.returns, "returns"


PARTS = {
    "lanes": lane_rows,
    "ci": ci_rows,
    "demo": demo_rows,
    "modules": module_rows,
    "start": start_rows,
    "kinds": kind_rows,
    "copies": copy_rows,
    "results": result_rows,
    "release": release_rows,
    "prose": prose_rows,
    "rerun": rerun_rows,
    "plan": plan_rows,
}


def run(_, size):
    """Yield the rows of each part in turn: (case, measure, value, unit)."""
    for part in PARTS.values():
        yield from part(size)


def checkout_in(folder, name, commit="HEAD"):
    """Return a copy of a commit, in a folder of this name."""
    place = Path(folder) / name
    place.mkdir()
    archived = subprocess.run(["git", "archive", commit], cwd=runs.ROOT, check=True, stdout=subprocess.PIPE).stdout
    subprocess.run(["tar", "-x", "-C", str(place)], input=archived, check=True)
    return place


def files_for_a_new_kind(checkout):
    """Return the files outside its folder that a new kind is written into; it is walked through by its test."""
    named = checkout / KIND_NAMES
    shutil.copytree(checkout / "tests/library/releases/kinds/middle_kind", named.parent / "middle")
    named.write_text(named.read_text(encoding="utf-8").replace(NAMED_LAST, f'{NAMED_LAST}    "middle",\n'), "utf-8")
    test = "tests/library/releases/kinds/test_folders.py::test_a_further_kind_is_a_folder_and_its_name"
    in_checkout(runs.ROOT, "pytest", "-q", "-n", "0", test, check=True)
    return [name for name in (KIND_NAMES,) if (checkout / name).read_bytes() != (runs.ROOT / name).read_bytes()]


def builds_without_growth(checkout):
    """Whether a checkout passes lint and the tests of the other kinds once growth's folder, its word and tests go.

    Its word stands where kinds are named, and as one of the words that settings and statements may hold.
    """
    named = checkout / KIND_NAMES
    named.write_text(named.read_text(encoding="utf-8").replace(NAMED_LAST, ""), "utf-8")
    for schema_name, word in (("config.schema.yaml", " growth,"), ("statement.schema.json", '"face growth",')):
        path = checkout / "workflow/schemas" / schema_name
        path.write_text(path.read_text(encoding="utf-8").replace(word, "", 1), encoding="utf-8")
    shutil.rmtree(named.parent / "growth")
    shutil.rmtree(checkout / "tests/library/releases/kinds/growth")
    for path in (checkout / "tests").rglob("*.py"):
        if "kinds.growth" in path.read_text(encoding="utf-8"):
            path.unlink()
    (checkout / "tests/library/releases/kinds/test_folders.py").unlink()  # it takes growth out itself
    written = "from shapedp.app.cli.commands import main; main()"  # pages that follow from the schema
    there = os.environ | {"PYTHONPATH": str(checkout / "scripts")}
    subprocess.run([sys.executable, "-c", written, "settings", "--write"], cwd=checkout, env=there, check=True)
    steps = (
        ("ruff", "check", "scripts"),
        ("importlinter.cli", "lint-imports", "--no-cache"),
        ("pytest", "-q", "-n", "0", "-m", "not long and not thorough", "-p", "no:cacheprovider", *OTHER_KINDS),
    )
    return all(in_checkout(checkout, *step).returncode == 0 for step in steps)


def in_checkout(checkout, module, *arguments, check=False):
    """Return the finished process of a module that runs in a checkout, on the code that stands there."""
    there = os.environ | {"PYTHONPATH": os.pathsep.join([str(checkout / "scripts"), str(checkout / "tests")])}
    return subprocess.run([sys.executable, "-m", module, *arguments], cwd=checkout, env=there, check=check)


def starts():
    """{rule: processor time in s} until a step of the face chain could take its first face: imports, loops, template.

    The best of STARTS processes each, with the loops compiled before.
    """
    with tempfile.TemporaryDirectory() as folder:
        template = Path(folder) / "template.h5"
        shaping = {key: read_default(f"faces.{key}") for key in to_template.SETTINGS if key not in NAMED}
        cohort_steps.prepare_template(None, template, {**shaping, **NAMED}, False)
        settings = {key: read_default(f"faces.{key}") for key in SETTINGS if key not in NAMED} | NAMED
        return {step.name: min(_start(step, template, settings) for _ in range(STARTS)) for step in STEPS}


def _start(step, template, settings):
    code = START.format(
        module=step.prepared.__module__, name=step.name.upper(), template=str(template), settings=settings
    )
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True, cwd=LIBRARY)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def demo():
    """(s by the clock, s of processor time) of the demo's first run on two cores, environment and loops ready.

    In a copy of this checkout, compiled loops included, since a run leaves results and a ledger.
    """
    with tempfile.TemporaryDirectory() as folder:
        copy = copy_for_a_run(Path(folder) / "copy")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        env = os.environ | {"PYTHONPATH": str(copy / "scripts")}
        start = time.monotonic()
        subprocess.run([sys.executable, "-m", "snakemake", "--cores", "2"], cwd=copy, env=env, check=True)
        clock, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def copy_for_a_run(place):
    """Return a folder that holds what a run needs of this checkout, compiled loops included."""
    place.mkdir()
    for name in ("scripts", "workflow", "profiles", "envs"):
        shutil.copytree(runs.ROOT / name, place / name, symlinks=True)
    for name in ("Snakefile", "config.yaml", "requirements.lock"):
        shutil.copy(runs.ROOT / name, place)
    return place


def snakemake_in(checkout, *arguments):
    """Return what Snakemake says on the code and the settings of a checkout."""
    command = (sys.executable, "-m", "snakemake", "--cores", "2", *arguments)
    env = os.environ | {"PYTHONPATH": str(checkout / "scripts")}
    return subprocess.run(command, cwd=checkout, env=env, check=True, capture_output=True, text=True).stdout


def jobs_to_make(checkout):
    """{rule: number of jobs} that Snakemake would run in a checkout."""
    rows = JOB_ROW.findall(snakemake_in(checkout, "-n"))
    return {rule: int(number) for rule, number in rows if rule != "total"}


def rules_that_run(module):
    """The rules whose script imports a module of the library, directly or through others."""
    module = (runs.ROOT / module).resolve()
    texts = [path.read_text(encoding="utf-8") for path in RULES.glob("*.smk")]
    scripts = [pair for text in texts for part in RULE.split(text) for pair in RULE_AND_SCRIPT.findall(part)]
    return {rule for rule, name in scripts if module in files_behind(name)}


def files_behind(script):
    """The library's files that a script of the workflow imports, directly or through others."""
    return {Path(file).resolve() for file in code_digest.find_library_files(LIBRARY / script)}


def plan_seconds(checkout):
    """Processor time (s) of `snakemake -n` in a checkout."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    snakemake_in(checkout, "-n")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def seconds(command, folder):
    """By the clock; a lane that fails has no time."""
    start = time.monotonic()
    subprocess.run(command, cwd=folder, check=True)
    return time.monotonic() - start


def time_ci(clone):
    """Return what `.ci/run` takes in a clone, and what `make test-all` in it says to take, both by the clock."""
    start = time.monotonic()
    command = subprocess.Popen(
        ["bash", ".ci/run"], cwd=clone, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    said = []
    for line in command.stdout:
        sys.stdout.write(line)
        said += TIMED.findall(line)
    if command.wait():
        raise RuntimeError(f"{clone}: .ci/run failed; see what it printed")
    # the lane of other kernels comes after it
    return time.monotonic() - start, float(said[0])


def lines(path):
    """Lines of a file."""
    return len(path.read_text(encoding="utf-8").splitlines())


def crumbs():
    """Modules of the library under 60 lines that one other file of scripts/ imports, and no more."""
    importers = Counter(one for path in LIBRARY.rglob("*.py") for one in set(code_digest.find_imports(path)) - {path})
    for path in (LIBRARY / "shapedp").rglob("*.py"):
        if path.name != "__init__.py" and lines(path) < 60 and importers[path] == 1:
            yield path


def said_again():
    """Keys with a default in the schema that code gives one again, and written files that have fallen behind."""
    defaulted = {name.rsplit(".", 1)[-1] for name, one, _ in pages.list_keys(schema.load_schema()) if "default" in one}
    code = [path.read_text(encoding="utf-8") for path in (*LIBRARY.rglob("*.py"), *RULES.rglob("*.smk"))]
    given = {key for text in code for key in AGAIN.findall(text)} & defaulted
    old = {
        name for name, text in pages.compose_files().items() if (runs.ROOT / name).read_text(encoding="utf-8") != text
    }
    return given | old | {text for text in code if "as in config.yaml" in text}


def touched(branch):
    """The files of the checkout that an own mechanism of a branch has to be written into, its class apart.

    One that lists all of the library's is none of them if settings take an own mechanism without it: a class in a
    folder of its own is named as module:Class, and its traits are asked for, in a process of its own: one that has
    loaded a class lists it as a mechanism from then on.
    """
    asked = (
        f"from shapedp.base.settings import registry; print(registry.read_traits({branch!r}, 'strangers:Own').budgets)"
    )
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "strangers.py").write_text(STRANGER.format(branch), encoding="utf-8")
        there = os.environ | {"PYTHONPATH": folder}
        answer = subprocess.run([sys.executable, "-c", asked], env=there, capture_output=True, text=True)
    if answer.returncode:
        return [path for path in LIBRARY.rglob("*.py") if lists_all(path.read_text(encoding="utf-8"), branch)]
    return [] if answer.stdout.strip() == "('mu_total',)" else ["base/settings/registry.py"]


def files_that_name(pattern, home, apart=()):
    """Files of scripts/ and workflow/ outside the folder `home`, and wings set apart, that hold a word of a kind."""
    homes = [LIBRARY / "shapedp" / one for one in (home, *apart)]
    texts = (path for folder in (LIBRARY, RULES.parent) for path in folder.rglob("*") if path.suffix in WRITTEN)
    # what Python and the library keep beside modules is not written by hand
    written = (path for path in texts if "__pycache__" not in path.parts)
    outside = (path for path in written if not any(one in path.parents for one in homes))
    return {path.resolve() for path in outside if re.search(pattern, path.read_text(encoding="utf-8"))}


def imports_of(wing, allowed):
    """(module, what it imports) of a wing's imports from this library beyond those that are allowed."""
    for path in (LIBRARY / "shapedp" / wing.replace(".", "/")).rglob("*.py"):
        for name in OWN_IMPORT.findall(path.read_text(encoding="utf-8")):
            if not any(name == one or name.startswith(f"{one}.") for one in allowed):
                yield path, name


def imports_from_outside(wing, adapter):
    """(file, what it imports) of imports from a wing by files of scripts/ outside it and outside its adapter."""
    homes = [LIBRARY / "shapedp" / folder for folder in (wing.replace(".", "/"), adapter)]
    for path in LIBRARY.rglob("*.py"):
        if not any(home in path.parents for home in homes):
            for name, brought in IMPORTED_NAMES.findall(path.read_text(encoding="utf-8")):
                parts = re.findall(r"\w+", brought.partition("#")[0])
                if any(f"{one}.".startswith(f"{wing}.") for one in (name, *(f"{name}.{part}" for part in parts))):
                    yield path, name


def lists_all(text, branch):
    """Whether each of the library's mechanisms of a branch stands in a text as a word."""
    return all(re.search(rf"\b{name}\b", text) for name in registry.BUILT_IN[branch])


def followed():
    """The stops of a mean face's entry from its script to the written file, as its test counts them."""
    with tempfile.TemporaryDirectory() as folder:
        workspace = cohort.Workspace(Path(folder))
        stack = workspace.stack()
        with Followed() as found:
            workspace.release(stack, worth_it_anyway=True)
    return found
