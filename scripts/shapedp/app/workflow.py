"""What the rules of `workflow/` call: the settings and the people of a run, checked, and the paths of what it makes."""

import hashlib
import json
import os
import shlex
import sys
from collections import Counter
from contextlib import chdir
from dataclasses import replace
from pathlib import Path
from typing import Any

from shapedp.base import settings
from shapedp.base.errors import ConfigError, ShapedpError
from shapedp.base.runs import code_digest, logs, remaining, status, view
from shapedp.base.settings import read_entry, registry, schema, subjects
from shapedp.base.storage import files
from shapedp.people import populations, samples
from shapedp.releases import kinds
from shapedp.releases.kinds.kind import VARIATION
from shapedp.surfaces.subjects.drawn import cells_of_drawn

PRIVATE = Path("results/private")
# The settings of the people whose results lie there: after other people's run, nothing there is told of these.
PEOPLE_OF_RESULTS = PRIVATE / "people.json"
DATA_SETTINGS = {"faces": ("scans", "demo"), "shapes": ("landmarks", "sheet", "leave_out", "demo")}
# Of `releases.look`: at whom a look is finished, with which settings.
LOOK_FILE = PRIVATE / "looked.json"
# Markers of the releases that are shown; they stand for the releases, which no rule may delete.
SHOWN_MARKERS = "results/private/shown"
# Sections whose change makes a mean another one; a release is made again for these alone.
FOR_MEANS = ("kernel", "bounds", "variation", "curves", "persons")
# The rows of everybody, which all releases share that take no rows of their own.
EVERYBODYS_ROWS = {"faces": "results/private/faces/curves.h5", "shapes": "results/private/shapes/shapes.h5"}
# People's rows that one release alone takes, or what public people teach of such rows.
RELEASE_ROWS = "results/private/{}/of_releases/{}.h5"


class DigestedList(list):
    """A parameter of many entries that is recorded, and told when it changes, by their number and a digest.

    Snakemake lists a parameter as it was and as it is: every sample twice, in each job. Scripts get a plain list.
    """

    def __repr__(self):
        return f"{len(self)} entries, {hashlib.sha256(repr(list(self)).encode()).hexdigest()[:16]}"

    def __reduce__(self):
        return list, (list(self),)


class Run:
    """One run: its settings, its cohorts in batches, and the paths that follow from them.

    config : the settings, which are completed in place; named : the files they come from, for complaints
    root : the checkout; first : whether this is the process that plans the run, and no job of it
    """

    def __init__(self, config: dict[str, Any], named: str, root: Path, first: bool):
        # What Snakemake itself notes of a run, too, holds ids and groups.
        os.umask(0o077)
        self.config, self.root = config, root
        try:
            # A job takes settings that were checked when its run was planned.
            config.update(settings.check(config, named) if first else schema.complete_settings(config))
            self.faces = config["faces"]
            self.shapes = config["shapes"] and populations.renumber_landmarks(config["shapes"])
            self.cohorts = populations.find(self.faces, cells_of_drawn) if self.faces else {}
            self.template_scan = self.faces and populations.find_template_scan(self.faces, self.cohorts)
            self.landmark_files = populations.find_landmark_files(self.shapes) if self.shapes else {}
            self.joint_release = self._read_joint_release()
            self.repeats = self._check_once(named) if first else []
            self._frames, self.spends = {}, False
        except ConfigError as error:
            # One line and no traceback: whoever starts a run wrote the settings, not the program.
            sys.exit(f"shapedp: {'' if str(error).startswith(named) else f'{named}: '}{error}")
        except ShapedpError as error:
            sys.exit(f"shapedp: {error}")
        # Batches follow from the frame alone, so that what a scan holds never moves another scan to another job.
        self.batches = {
            cohort: samples.split_batches(members, self.faces["batch_size"]) for cohort, members in self.cohorts.items()
        }

    def _check_once(self, settings_paths):
        """Return lines on scans that stand under several names, once all that jobs need not check again is checked."""
        for path in settings_paths.split(", "):
            if Path(path).is_file():
                settings.checks.refuse_repeated_keys(path)
        for branch, count in self.people.items():
            where = self.config[branch]["scans"]
            populations.refuse_other_number(branch, self.config["privacy"]["people"], count, where)
        sheets = {"faces.scans": self.faces and self.faces["scans"], "shapes.sheet": self.landmark_files.get("sheet")}
        for setting, sheet in sheets.items():
            if sheet:
                populations.refuse_unreviewed(setting, sheet, self.config["privacy"].get("reviewed"))
                populations.refuse_movable_groups(setting, sheet, self.config["privacy"].get("groups"))
        if public_sheet := self.landmark_files.get("reference_sheet"):
            populations.refuse_unheeded(public_sheet)
        for folder in (PRIVATE, ".snakemake"):
            files.make_private_folder(folder)
        files.forget_lost_markers(SHOWN_MARKERS, "results/release")
        public_groups = self.config["privacy"]["groups"]["membership"] == "public"
        repeats = []
        if shapes := self.shapes:
            if shapes.get("landmark_count") is not None:
                # Late: it imports numpy, which most runs start without.
                from shapedp.landmarks import declared

                declared.refuse_other_count(shapes)
            self._check_sheet(shapes["releases"], shapes.get("sheet"), public_groups)
        if faces := self.faces:
            members = self.cohorts["faces"]
            populations.refuse_private(faces, self.cohorts)
            columns = dict(members[0].covariates)
            populations.refuse_unknown_columns("faces", faces["releases"], columns, faces["scans"])
            populations.refuse_lacking_times("faces", faces["releases"], members, faces["scans"])
            if public_groups:
                populations.refuse_lacking_groups("faces", faces["releases"], members, faces["scans"])
            repeats = list(populations.describe_repeats(members))
            unread_cells = [notice for sample in members for notice in sample.notices]
            notices = (
                *populations.describe_copies(faces, self.cohorts),
                *unread_cells,
                *samples.describe_unused(faces["scans"]),
            )
            logs.warn_operator([*repeats, *notices], PRIVATE / "logs/repeats.log")
        # Scans are not among them: their dates are part of `stamp_batch`.
        files.refuse_future([*(self.root / "scripts").rglob("*.py"), *PRIVATE.rglob("*.h5")])
        return repeats

    @staticmethod
    def _check_sheet(releases, path, public_groups):
        """Refuse releases of landmarks for which their sheet has no column, or too few people at a time or in a group.

        So a run stops before it starts. public_groups : whether it is public who is in which
        """
        if not any(
            populations.list_columns("shapes", row) or samples.list_times(row) or "group" in row for row in releases
        ):
            return
        # Late: it imports numpy, which most runs start without.
        from shapedp.landmarks import sheet

        columns, members = (sheet.list_covariates(path), sheet.read_samples(path)) if path else ([], [])
        populations.refuse_unknown_columns("shapes", releases, columns, path)
        populations.refuse_lacking_times("shapes", releases, members, path)
        if public_groups:
            groups = sheet.read_sheet(path, [row.id for row in members]).groups
            members = [replace(row, group=group) for row, group in zip(members, groups, strict=True)]
            populations.refuse_lacking_groups("shapes", releases, members, path or "shapes.sheet")

    def _read_joint_release(self):
        """Return the release that laboratories make together, like an entry of `releases`; nothing without a study."""
        if not self.faces or not self.faces["study"]:
            return {}
        from shapedp.laboratories import study

        agreed = study.load(self.faces["study"]["file"])
        agreed.refuse_other_settings(self.faces)
        return {} if agreed.is_plan else agreed.release

    @property
    def people(self) -> dict[str, int]:
        """The public n of the faces; that of shapes is known once they are read."""
        return {"faces": len({sample.person for sample in self.cohorts["faces"]})} if self.faces else {}

    @property
    def populations(self) -> set[str]:
        """Names of those whose budget this run's releases spend."""
        return set(self.config["privacy"]["population"].values())

    def describe_spending(self, planned: bool = True) -> list[str]:
        """Return the lines a run begins and ends with: what was, will be and can still be spent, what to stop at.

        planned : whether this run makes the releases that the settings ask for
        """
        from shapedp.app.forecast import budgets
        from shapedp.surfaces.scans import limits

        counts = (
            [(entry, self.count_people(entry)) for entry in self.entries_with_forecast]
            if self.faces and self.faces["releases"]
            else []
        )
        people = self.people | budgets.count_partial(counts, self.people.get("faces"))
        spending_lines = budgets.describe_spending(self.config, planned=planned, members=self.cohorts.get("faces", ()))
        foreign_code = registry.describe_foreign_code(self.config)
        largest = max((len(batch) for cohort in self.batches.values() for batch in cohort.values()), default=0)
        limit_lines = [f"caution: {line}" for line in limits.short_limits(largest)] if self.faces else []
        return [
            *foreign_code,
            *spending_lines,
            *limit_lines,
            *budgets.caution_settings(self.config, people),
            *self.list_cautions(),
        ]

    def list_cautions(self) -> list[str]:
        """Return cautions that an operator reads before a release: many rejections, lookalikes, people shared.

        They are from sheets and ledgers, and from results where these are of the same people.
        """
        from shapedp.app.forecast import budgets

        # Results of other people say nothing of these.
        results = self.config | {branch: None for branch in DATA_SETTINGS if branch not in self.known_people()}
        sheets = self.config | {"shapes": results["shapes"]}
        privacy, scans = self.config["privacy"], self.list_scans_of_people()
        branches = [branch for branch in DATA_SETTINGS if sheets[branch]]
        shared = [line for branch in branches for line in budgets.caution_shared_people(branch, privacy, scans)]
        cells = budgets.caution_cells(sheets, self.cohorts["faces"] if self.faces else [])
        return [*budgets.caution_results(results), *cells, *shared]

    def known_people(self) -> list[str]:
        """Return the branches of which the results in the folder are of these people: of others' nothing is told."""
        noted = json.loads(PEOPLE_OF_RESULTS.read_text(encoding="utf-8")) if PEOPLE_OF_RESULTS.is_file() else {}
        return [
            branch
            for branch, data_settings in self._select_data_settings().items()
            if noted.get(branch) == data_settings
        ]

    def note_people(self, finished: bool) -> None:
        """Note whom the results are of once a run has `finished`; before it, forget those it may replace.

        `known_people` then never takes others' results for these people's.
        """
        noted = self._select_data_settings()
        settings_noted = noted if finished else {branch: noted[branch] for branch in self.known_people()}
        files.write_text(PEOPLE_OF_RESULTS, json.dumps(settings_noted, sort_keys=True))

    def _select_data_settings(self):
        """Return, by branch, the settings that name a run's people: with others, results are of other people."""
        sections = {branch: self.config[branch] for branch in DATA_SETTINGS if self.config[branch]}
        return {
            branch: {key: section.get(key) for key in DATA_SETTINGS[branch]} for branch, section in sections.items()
        }

    def list_scans_of_people(self) -> list[tuple[str, str]]:
        """Return (person, path) of each scan of the cohort."""
        return DigestedList((sample.person, sample.path) for sample in self.cohorts["faces"]) if self.faces else []

    def select_ledger_settings(self) -> dict[str, Any]:
        """Return the settings that say which people may stand in which ledgers."""
        return {key: self.config["privacy"][key] for key in ("ledger", "population", "disjoint_from")}

    @property
    def looks_first(self) -> bool:
        """Tell whether a plain run makes everything up to the releases, and target `release` alone spends."""
        return self.config["privacy"]["look_first"]

    def prepare_look(self, branch: str, name: str | None = None) -> dict[str, Any]:
        """Return what is noted of an operator's look at a branch: whom a release is of, its public ranges and bounds.

        With the name of a release, return the same of this release, to compare it with what was noted.
        """
        from shapedp.releases import look

        joint_entries = [self.joint_release] if branch == "faces" and self.joint_release else []
        entries = [
            entry for entry in (*self.config[branch]["releases"], *joint_entries) if name in (None, entry["name"])
        ]
        return look.make_look(
            branch, self.config[branch], self.config["privacy"], self._read_frame_once(branch), entries
        )

    def prepare_looks(self) -> list[dict[str, Any]]:
        """Return what a look notes of each branch."""
        return [self.prepare_look(branch) for branch in DATA_SETTINGS if self.config[branch]]

    def _read_frame_once(self, branch):
        """Return the sampling frame of a branch, read once: what an operator's look notes of whom a release is of.

        These are the rows of the sheet, or the names of the files: nothing that stands in a record. A sheet that cannot
        be read ends the program.
        """
        if branch not in self._frames:
            try:
                self._frames[branch] = self._read_frame(branch)
            except ShapedpError as error:
                sys.exit(f"shapedp: {error}")
        return self._frames[branch]

    def _read_frame(self, branch):
        """Return who is listed in a branch, as a look notes it: releases of others are refused before another look."""
        from shapedp.releases import look

        if branch == "faces":
            return look.read_frame(self.cohorts["faces"], self.config["privacy"])
        if path := self.landmark_files.get("sheet"):
            # Late: it imports numpy, which most runs start without.
            from shapedp.landmarks import sheet

            return [(row.id, row.person, row.time) for row in sheet.read_samples(path)]
        # Landmarks that are drawn have no file: the settings say all of them.
        if "landmarks" not in self.landmark_files:
            return []
        path = Path(self.landmark_files["landmarks"])
        return [(row.name,) for row in sorted(path.iterdir())] if path.is_dir() else [(path.name,)]

    def refuse_unlooked(self, jobs: list[Any]) -> None:
        """Stop before the first job if nobody has looked at the people of the releases that these jobs make."""
        from shapedp.releases import look

        try:
            for job in jobs:
                look.refuse_unlooked(LOOK_FILE, job.params.look, self.config["privacy"])
        except ShapedpError as error:
            sys.exit(f"shapedp: {error}")

    def describe_look(self, targets: list[str]) -> list[str]:
        """Return the lines that a look ends with: what lies beyond ranges, what releases would be worth, what spends.

        The last is the command to go on with. targets : of this run, which stand in it; nothing is told where the
        settings do not ask to look first
        """
        from shapedp.app.forecast import looks
        from shapedp.releases import look

        if not (self.looks_first and LOOK_FILE.is_file()):
            return []
        settings_known = self.config | {branch: None for branch in DATA_SETTINGS if branch not in self.known_people()}
        members = self.cohorts["faces"] if self.faces else []
        change_lines = [
            line for look_noted in self.prepare_looks() for line in look.list_changes(LOOK_FILE, look_noted)
        ]
        lines = [
            *looks.describe_records(settings_known, members, Path("results")),
            *looks.describe_worth(settings_known, Path("results")),
            *change_lines,
        ]
        markers = [
            f"{SHOWN_MARKERS}/{branch}/{name}.json" for branch in DATA_SETTINGS for name in self._list_all_names(branch)
        ]
        if markers and all(Path(marker).is_file() for marker in markers):
            return [*lines, "this run spent nothing, and all releases of the settings are made"]
        decision = "" if markers else "write what you decide to release into `releases`, and "
        command = shlex.join(["snakemake", "release", *(word for word in sys.argv[1:] if word not in targets)])
        return [*lines, f"this run spent nothing; to spend, {decision}start:", f"  {command}"]

    def _list_all_names(self, branch):
        return [entry["name"] for entry in (self.config[branch] or {"releases": []})["releases"]]

    def list_mean_budgets(self, branch: str) -> list[tuple[str, dict[str, Any]]]:
        """Return (mechanism, budget) of each mean that the settings ask for, which the forecast has rows of."""
        return [
            (entry["mechanism"], entry["budget"])
            for entry in self.config[branch]["releases"]
            if kinds.find_entry(branch, entry).is_mean
        ]

    def refuse_overspending(self) -> None:
        """Stop before the first job if the releases of a run exceed a cap together."""
        from shapedp.app.forecast import budgets

        try:
            budgets.refuse_together(self.config, members=self.cohorts.get("faces", ()))
        except ShapedpError as error:
            sys.exit(f"shapedp: {error}")

    def describe_spent(self, branch: str) -> Any:
        """Return what the ledger holds, a parameter by which a forecast is made again as soon as more was spent.

        There is none where the settings ask for releases, since the run itself then changes it and a second run has
        nothing to do.
        """
        from shapedp.app.forecast import budgets

        if self.config[branch]["releases"]:
            return None
        return budgets.describe_spent(budgets.read_budget(branch, self.config["privacy"]))

    def digest_code(self, script: str) -> str:
        """Return a digest of a script and the library modules it imports, by which Snakemake knows outdated jobs.

        Jobs run again when what they compute may have changed, not for a comment, a renamed local or a moved checkout.
        """
        return code_digest.digest_script(self.root / "scripts" / f"{script}.py")

    def tell(self, *lines: str) -> None:
        """Print lines for the operator, in the words of what the scans show."""
        print_for_operator(*map(self.shown.in_words, lines))

    @property
    def shown(self) -> subjects.Subject:
        """What the scans show."""
        return subjects.from_settings(self.faces)

    def select_sections(self, keys: tuple[str, ...]) -> dict[str, Any]:
        """Return the sections of `faces` with these keys."""
        return {key: self.faces[key] for key in keys}

    def list_scans(self, cohort: str, batch: str) -> list[tuple]:
        """Return what chain.Scan takes of each scan of a batch, see `Sample.given`."""
        return DigestedList(sample.scan_inputs for sample in self.batches[cohort][batch])

    def estimate_minutes(self, cohort: str, batch: str) -> int:
        """Return for how many minutes a batch's job asks a cluster, whatever its scans are."""
        from shapedp.surfaces.scans import limits

        return limits.minutes(len(self.batches[cohort][batch]))

    def list_stacked(self, cohort: str) -> list[tuple]:
        """Return (id, person, group) of each scan that a cohort's stack of curves is made of."""
        members = populations.select_stacked(self.faces, cohort, self.cohorts[cohort])
        return DigestedList((sample.id, sample.person, sample.group) for sample in members)

    def find_scan(self, face: str) -> tuple:
        """Return what the chain takes of one face of the cohort, to inspect it: (id, path, its row of the sheet)."""
        matches = [
            (sample.id, sample.path, *sample.scan_inputs[2:]) for sample in self.cohorts["faces"] if sample.id == face
        ]
        if not matches:
            raise ConfigError(f"no face '{face}' in faces.scans; `shapedp inspect` lists them")
        return matches[0]

    def find_drawn_sheet(self, cohort: str) -> str | list:
        """Return the sheet of people that are drawn, by which a rule knows when their scans change.

        Scans that are brought are no inputs: see `stamp_batch`.
        """
        return f"data/demo/{cohort}/samples.tsv" if populations.find_drawn_word(self.faces, cohort) else []

    def list_public_files(self, *settings: str) -> list[str]:
        """Return the files that these settings of `shapes` name, as inputs of rules: they may come to hold others."""
        return [self.landmark_files[setting] for setting in settings if setting in self.landmark_files]

    def stamp_batch(self, cohort: str, batch: str) -> str:
        """Return what changes when a batch has another scan in the place of one: then the batch is made again.

        A parameter, because scans as inputs are slow: each time that Snakemake looks for a job to start it asks for the
        size of every input of every waiting batch. Under `--rerun-triggers mtime`, which ignores parameters, a changed
        scan goes unnoticed.
        """
        samples_brought = populations.select_brought(self.faces, cohort, self.batches[cohort][batch])
        return samples.digest_stats([sample.path for sample in samples_brought])

    def list_specimens(self) -> list[tuple]:
        """Return the public set, as scans, by which a subject that is no face is judged; of faces a laboratory's own
        public ones, where the template is its own, too.
        """
        public = self.cohorts.get("reference", [])
        # A face is judged by what is known of faces; another subject by its own public specimens.
        if self.shown.is_face:
            has_own = populations.has_own_public_faces(self.faces)
            public = populations.select_brought(self.faces, "reference", public) if has_own else []
        return DigestedList(sample.scan_inputs for sample in public)

    def stamp_specimens(self) -> str:
        """Return what changes when another scan stands in the place of one of them."""
        return samples.digest_stats([path for _, path, *_ in self.list_specimens() if path])

    def stamp_folders(self) -> str:
        """Return what changes when a file in a folder of landmarks does, by which Snakemake reads landmarks again.

        The folder's own date tells of new names alone.
        """
        setting_paths = (Path(self.landmark_files[file_path]) for file_path in sorted(self.landmark_files))
        folder_files = (file_path for path in setting_paths if path.is_dir() for file_path in sorted(path.iterdir()))
        return samples.digest_stats([file_path for file_path in folder_files if file_path.is_file()])

    def list_artifacts(self, cohort: str, kind: str) -> list[str]:
        """Return the artifacts of one kind of all batches of a cohort."""
        return [f"results/private/{cohort}/{kind}/{batch}.h5" for batch in self.batches[cohort]]

    def find_entry(self, branch: str, name: str) -> dict[str, Any]:
        """Return the entry of a branch's `releases` that has this name."""
        return next(entry for entry in self.config[branch]["releases"] if entry["name"] == name)

    def list_names(self, branch: str, *words: str) -> list[str]:
        """Return names of a branch's releases, or of those of these kinds."""
        entries = self.config[branch]["releases"]
        return [entry["name"] for entry in entries if not words or read_entry(branch, entry, "kind") in words]

    def match_names(self, branch: str, *words: str) -> str:
        """Return a pattern of their names, which matches nothing where there is none."""
        return "|".join(self.list_names(branch, *words)) or "(?!)"

    def list_means(self, branch: str) -> list[str]:
        """Return the names of a branch's releases that are means."""
        return [entry["name"] for entry in self.config[branch]["releases"] if kinds.find_entry(branch, entry).is_mean]

    def list_markers_and_pages(self, branch: str) -> list[str]:
        """Return what a run must make for a branch's releases to be done: the marker that each is shown, and its page.

        The release itself is no output: Snakemake deletes outputs before a job and after one that failed, and what was
        published must stay whole when another release is refused.
        """
        names = self.list_names(branch)
        markers = [f"{SHOWN_MARKERS}/{branch}/{name}.json" for name in names]
        return markers + [f"results/release/{branch}/{name}/index.html" for name in names]

    def locate_rows(self, branch: str, name: str) -> str:
        """Return the curves or shapes that a release is of: everybody's, or rows of its own."""
        has_own_rows = samples.takes_own_rows(self.find_entry(branch, name))
        return RELEASE_ROWS.format(branch, name) if has_own_rows else EVERYBODYS_ROWS[branch]

    def locate_variation(self, entry: dict[str, Any]) -> str:
        """Return what a release by `shaped` learns from: how public faces vary, or how public differences do."""
        differs = kinds.find_entry("faces", entry).is_difference
        return RELEASE_ROWS.format("reference", entry["name"]) if differs else VARIATION

    @property
    def entries_with_forecast(self) -> list[dict[str, Any]]:
        """Return the entries of faces that the forecast has lines on, since its table is about means of everybody.

        They are those asked for that are no such mean; where nothing is asked for, a model and the changes that the
        sheet's times allow, at mu = 1.
        """
        if not self.faces["releases"] and "reference" in self.cohorts:
            return samples.list_possible_releases(self.cohorts["faces"])
        return [
            entry for entry in self.faces["releases"] if not kinds.find_entry("faces", entry).is_mean or "time" in entry
        ]

    def find_learned(self, entry: dict[str, Any]) -> str | None:
        """Return the file of what public people teach for a release that has lines of its own in the forecast.

        A mean has None: the forecast's table is about it.
        """
        return None if kinds.find_entry("faces", entry).is_mean else self.locate_variation(entry)

    def count_groups(self, members: list) -> dict[str, int]:
        """Return how many of these samples' people are in each group, as far as that is public, for forecasts."""
        groups, group_of = self.config["privacy"]["groups"], {sample.person: sample.group for sample in members}
        counts = Counter(filter(None, group_of.values()))
        return groups["sizes"] if groups["membership"] == "private" else dict(sorted(counts.items()))

    def count_people(self, entry: dict[str, Any]) -> int:
        """Return the public n of a release of faces, by which its forecast and cautions are."""
        persons = set(samples.list_people(entry, self.cohorts["faces"]))
        members = [sample for sample in self.cohorts["faces"] if sample.person in persons]
        return self.count_groups(members).get(entry["group"], 0) if "group" in entry else len(persons)

    def list_people(self, name: str) -> list[str]:
        """Return whose rows a release of faces takes, by the frame alone."""
        return samples.list_people(self.find_entry("faces", name), self.cohorts["faces"])

    def select_release_sections(self, name: str) -> dict[str, Any]:
        """Return the sections of `faces` that a release takes, parameters by which it is made again when they change.

        A person with scans of several times is averaged.
        """
        is_model = kinds.find_entry("faces", self.find_entry("faces", name)).has_covariates
        keys = ("bounds", "variation", "curves", "persons") if is_model else FOR_MEANS
        has_several_scans = len({sample.person for sample in self.cohorts["faces"]}) < len(self.cohorts["faces"])
        subject_keys = () if self.shown.is_face else subjects.STATED_SETTINGS
        return {key: self.faces[key] for key in (*keys, *subject_keys)} | (
            {"persons": "average"} if has_several_scans else {}
        )

    def list_inputs(self, name: str) -> dict[str, str | list]:
        """Return the files that a release of faces is made from, beside the template, which its rule waits for.

        They are people's curves, what clips them or what its mechanism learns from, and what else its kind takes.
        """
        entry = self.find_entry("faces", name)
        return kinds.find_entry("faces", entry).inputs(entry, self)

    def list_cells(self, name: str) -> list[tuple]:
        """Return (person, {column: text}) of each scan, whose cells tell the covariates of a release of faces.

        They are empty for a release without covariates.
        """
        entry = self.find_entry("faces", name)
        has_covariates = kinds.find_entry("faces", entry).has_covariates
        return DigestedList(samples.list_cells(entry, self.cohorts["faces"]) if has_covariates else ())

    def list_public_cells(self, name: str) -> list[tuple]:
        """Return the same of public people, for a release that takes them."""
        takes_public = kinds.find_entry("faces", self.find_entry("faces", name)).takes_public_people
        return DigestedList(samples.list_cells({}, self.cohorts.get("reference", [])) if takes_public else ())

    def locate_bounds(self, release: dict[str, Any]) -> str | list:
        """Return the file of bounds that a release of faces clips people to; none where settings give numbers."""
        source = release.get("bounds", self.faces["bounds"]["source"])
        reference = read_entry("faces", release, "reference")
        return [] if source == "public" else f"results/private/faces/bounds/{source}_{reference}.h5"

    def review_files(self, branch: str) -> list[str]:
        """Return the files that an operator looks at before a release: quality, review page, forecast, comparison.

        The last is there once a release is asked for.
        """
        section, folder = self.config[branch], f"results/private/{branch}"
        if not section:
            return []
        quality = [f"{folder}/quality.tsv"] if branch == "faces" else []
        comparison_files = [f"{folder}/comparison.tsv"] if section["releases"] else []
        return [*quality, f"{folder}/review.html", f"{folder}/forecast.tsv", *comparison_files]

    def select_public_markers(self, paths: list[str]) -> list[str]:
        """Return the markers among the paths whose releases may leave the house, to be packed: reproductions stay."""
        markers = [Path(path) for path in paths if path.startswith(SHOWN_MARKERS)]
        names_by_path = {str(marker): (marker.parent.name, marker.stem) for marker in markers}
        entries = {path: (branch, self.find_entry(branch, name)) for path, (branch, name) in names_by_path.items()}
        return [path for path, (branch, entry) in entries.items() if not read_entry(branch, entry, "reproduction")]

    def find_extra_releases(self) -> list[tuple[str, str]]:
        """Return (branch, name) of shown releases that no entry of the settings asks for: joint and pooled ones.

        They are packed and listed with the others.
        """
        pooled = [(path.parent.name, path.stem) for path in sorted(PRIVATE.glob("pooled/*/*.json"))]
        joint_names = [("faces", self.joint_release["name"])] if self.joint_release else []
        release_root = Path("results/release")
        return [
            release
            for release in [*joint_names, *pooled]
            if (release_root / release[0] / release[1] / "index.html").is_file()
        ]

    def tell_when_idle(self, view_at_end: Any, folder: Path, targets: list[str]) -> None:
        """Print, at the end of a run that had nothing to do, what is there already, and what can still be spent."""
        if view_at_end.is_idle:
            # Snakemake has left the folder by then.
            with chdir(folder):
                self.tell("", "shapedp: nothing to do; all of this is there already:")
                self.tell(*status.describe_results(timed=False, populations=self.populations))
                print_for_operator(*self.describe_spending(), *self.describe_look(targets))


def release_folder(marker: str | Path) -> str:
    """Return the folder of a release: results/private/shown/<branch>/<name>.json -> results/release/<branch>/<name>."""
    marker = Path(marker)
    return str(marker.parents[3] / "release" / marker.parent.name / marker.stem)


def print_for_operator(*lines: str) -> None:
    """Print lines for the operator; on standard error, since graphs go to standard output."""
    print(*(view.wrap_at_words(line, sys.stderr) for line in lines), sep="\n", file=sys.stderr, flush=True)


def make_view(workflow: Any, run: Run, folder: Path, last_rules: set[str]) -> view.View | view.Screen:
    """Return what stands in place of Snakemake's lines on the screen; a filter of them where all are asked for.

    All are shown with `--verbose`, `--printshellcmds` (`-p`) and `--quiet`, in a dry run, in a process of a job, and to
    whoever uses this workflow as a module of their own. folder : the checkout
    """
    output = workflow.output_settings
    all_lines = output.dryrun or output.verbose or output.quiet or output.printshellcmds
    is_ours = Path(workflow.main_snakefile).parent.resolve() == folder.resolve()
    # Whoever asks for Snakemake's own lines, or has built a workflow around this one, gets them.
    if all_lines or not is_ours or not workflow.is_main_process:
        return view.Screen()
    return view.View(last_rules, run.shown.in_words)


def make_schedule(workflow: Any, run: Run) -> remaining.Schedule:
    """Return the jobs that a run will do, what each waits for, how many run side by side, to say how long it takes."""
    dag = workflow.dag
    open_jobs = list(dag.needrun_jobs())
    number_of = {job: dag.jobid(job) for job in open_jobs}
    jobs = {}
    for job in open_jobs:
        wildcards = dict(job.wildcards_dict)
        cohort, batch = wildcards.get("cohort"), wildcards.get("batch")
        members = run.batches.get(cohort, {}).get(batch) if batch else run.cohorts.get(cohort)
        dependencies = (number_of[needed] for needed in dag.dependencies[job] if needed in number_of)
        label = "/".join([job.rule.name, *wildcards.values()])
        log = Path(str(job.log[0])) if job.log else None
        jobs[number_of[job]] = remaining.Job(
            job.rule.name, label, len(members or ()), cohort, frozenset(dependencies), log, is_empty=job.rule.norun
        )
    workers = workflow.cores if workflow.local_exec else workflow.nodes
    return remaining.Schedule(jobs, workers or 1, {cohort: len(members) for cohort, members in run.cohorts.items()})
