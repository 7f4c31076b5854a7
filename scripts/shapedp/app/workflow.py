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
from shapedp.base.settings import of_entry, registry, schema, subjects
from shapedp.base.storage import files
from shapedp.people import populations, samples
from shapedp.releases import kinds
from shapedp.releases.kinds.kind import VARIATION
from shapedp.surfaces.subjects.drawn import cells_of_drawn

PRIVATE = Path("results/private")
PEOPLE_OF_RESULTS = PRIVATE / "people.json"  # the settings of the people whose results lie there
NAMING = {"faces": ("scans", "demo"), "shapes": ("landmarks", "sheet", "leave_out", "demo")}
LOOKED = PRIVATE / "looked.json"  # of `releases.look`: at whom a look is finished, with which settings
SHOWN = "results/private/shown"  # markers of the releases that are shown
FOR_MEANS = ("kernel", "bounds", "variation", "curves", "persons")
EVERYBODYS = {"faces": "results/private/faces/curves.h5", "shapes": "results/private/shapes/shapes.h5"}
OF_RELEASES = "results/private/{}/of_releases/{}.h5"  # people's rows, or what public people teach of them


class Listed(list):
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
        os.umask(0o077)  # what Snakemake itself notes of a run, too, holds ids and groups
        self.config, self.root = config, root
        try:
            config.update(settings.check(config, named) if first else schema.completed(config))
            self.faces = config["faces"]
            self.shapes = config["shapes"] and populations.numbered_as_left(config["shapes"])
            self.cohorts = populations.find(self.faces, cells_of_drawn) if self.faces else {}
            self.template_scan = self.faces and populations.template_scan(self.faces, self.cohorts)
            self.landmark_files = populations.landmark_files(self.shapes) if self.shapes else {}
            self.together = self._together()
            self.repeats = self._begin(named) if first else []
            self._frames, self.spends = {}, False
        except ConfigError as error:
            sys.exit(f"shapedp: {'' if str(error).startswith(named) else f'{named}: '}{error}")
        except ShapedpError as error:
            sys.exit(f"shapedp: {error}")
        self.batches = {
            cohort: samples.batches(members, self.faces["batch_size"]) for cohort, members in self.cohorts.items()
        }

    def _begin(self, named):
        """What is checked once for all jobs; lines on scans that stand under several names."""
        for path in named.split(", "):
            if Path(path).is_file():
                settings.checks.refuse_repeated_keys(path)
        for branch, listed in self.people.items():
            where = self.config[branch]["scans"]
            populations.refuse_other_number(branch, self.config["privacy"]["people"], listed, where)
        sheets = {"faces.scans": self.faces and self.faces["scans"], "shapes.sheet": self.landmark_files.get("sheet")}
        for setting, sheet in sheets.items():
            if sheet:
                populations.refuse_unreviewed(setting, sheet, self.config["privacy"].get("reviewed"))
                populations.refuse_movable_groups(setting, sheet, self.config["privacy"].get("groups"))
        if public_sheet := self.landmark_files.get("reference_sheet"):
            populations.refuse_unheeded(public_sheet)
        for folder in (PRIVATE, ".snakemake"):
            files.private_folder(folder)
        files.forget_lost_markers(SHOWN, "results/release")
        public_groups = self.config["privacy"]["groups"]["membership"] == "public"
        repeats = []
        if shapes := self.shapes:
            if shapes.get("landmark_count") is not None:
                from shapedp.landmarks import declared  # numpy, which most runs start without

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
            repeats = list(populations.told_repeats(members))
            unread = [notice for one in members for notice in one.notices]
            others = *populations.told_copies(faces, self.cohorts), *unread, *samples.unused(faces["scans"])
            logs.warn_operator([*repeats, *others], PRIVATE / "logs/repeats.log")
        files.refuse_future([*(self.root / "scripts").rglob("*.py"), *PRIVATE.rglob("*.h5")])  # scans: see `stamp`
        return repeats

    @staticmethod
    def _check_sheet(releases, path, public_groups):
        """Refuse releases of landmarks for which their sheet has no column, or too few people at a time or in a group;
        public_groups : whether it is public who is in which
        """
        if not any(
            populations.columns_of("shapes", one) or samples.times_of(one) or "group" in one for one in releases
        ):
            return
        from shapedp.landmarks import sheet  # numpy, which most runs start without

        columns, members = (sheet.columns(path), sheet.samples_of(path)) if path else ([], [])
        populations.refuse_unknown_columns("shapes", releases, columns, path)
        populations.refuse_lacking_times("shapes", releases, members, path)
        if public_groups:
            groups = sheet.read_sheet(path, [one.id for one in members]).groups
            members = [replace(one, group=group) for one, group in zip(members, groups, strict=True)]
            populations.refuse_lacking_groups("shapes", releases, members, path or "shapes.sheet")

    def _together(self):
        """The release that laboratories make together, an entry like those of `releases`; nothing without a study."""
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

    def spending_lines(self, planned: bool = True) -> list[str]:
        """What was, will be and can still be spent, and what to stop at.

        planned : whether this run makes the releases that the settings ask for
        """
        from shapedp.app.forecast import budgets
        from shapedp.surfaces.scans import limits

        asked = [(one, self.counted(one)) for one in self.foretold] if self.faces and self.faces["releases"] else []
        people = self.people | budgets.of_some(asked, self.people.get("faces"))
        spends = budgets.lines(self.config, planned=planned, members=self.cohorts.get("faces", ()))
        foreign = registry.describe_foreign_code(self.config)
        largest = max((len(batch) for cohort in self.batches.values() for batch in cohort.values()), default=0)
        short = [f"caution: {line}" for line in limits.short_limits(largest)] if self.faces else []
        return [*foreign, *spends, *short, *budgets.cautions_of_settings(self.config, people), *self.cautions()]

    def cautions(self) -> list[str]:
        """What is known of these people: of their records what the results say, if they are of them."""
        from shapedp.app.forecast import budgets

        results = self.config | {branch: None for branch in NAMING if branch not in self.known_people()}
        sheets = self.config | {"shapes": results["shapes"]}
        of_whom = self.config["privacy"], self.scans_of_people()
        branches = [branch for branch in NAMING if sheets[branch]]
        shared = [line for branch in branches for line in budgets.cautions_of_shared_people(branch, *of_whom)]
        cells = budgets.cautions_of_cells(sheets, self.cohorts["faces"] if self.faces else [])
        return [*budgets.cautions_of_results(results), *cells, *shared]

    def known_people(self) -> list[str]:
        """The branches of which the results are of these people, as far as is known."""
        noted = json.loads(PEOPLE_OF_RESULTS.read_text(encoding="utf-8")) if PEOPLE_OF_RESULTS.is_file() else {}
        return [branch for branch, named in self._naming().items() if noted.get(branch) == named]

    def note_people(self, finished: bool) -> None:
        """Note which people the results are of once a run has `finished`; before it, forget those it may replace."""
        noted = self._naming()
        kept = noted if finished else {branch: noted[branch] for branch in self.known_people()}
        files.write_text(PEOPLE_OF_RESULTS, json.dumps(kept, sort_keys=True))

    def _naming(self):
        sections = {branch: self.config[branch] for branch in NAMING if self.config[branch]}
        return {branch: {key: one.get(key) for key in NAMING[branch]} for branch, one in sections.items()}

    def scans_of_people(self) -> list[tuple[str, str]]:
        """(person, path) of each scan of the cohort."""
        return Listed((one.person, one.path) for one in self.cohorts["faces"]) if self.faces else []

    def told_of_ledger(self) -> dict[str, Any]:
        """The settings that say which people may stand in which ledgers."""
        return {key: self.config["privacy"][key] for key in ("ledger", "population", "disjoint_from")}

    @property
    def looks_first(self) -> bool:
        """Whether a plain run makes everything up to the releases, and target `release` alone spends."""
        return self.config["privacy"]["look_first"]

    def look(self, branch: str, name: str | None = None) -> dict[str, Any]:
        """What a look at a branch notes, or, by the name of a release, what this release is compared by."""
        from shapedp.releases import look

        together = [self.together] if branch == "faces" and self.together else []
        entries = [one for one in (*self.config[branch]["releases"], *together) if name in (None, one["name"])]
        return look.look_of(branch, self.config[branch], self.config["privacy"], self._frame(branch), entries)

    def looks(self) -> list[dict[str, Any]]:
        """What a look notes of each branch."""
        return [self.look(branch) for branch in NAMING if self.config[branch]]

    def _frame(self, branch):
        """Whom the sheet lists, or which files there are: nothing that stands in a record."""
        if branch not in self._frames:
            try:
                self._frames[branch] = self._read_frame(branch)
            except ShapedpError as error:
                sys.exit(f"shapedp: {error}")
        return self._frames[branch]

    def _read_frame(self, branch):
        from shapedp.releases import look

        if branch == "faces":
            return look.frame_of(self.cohorts["faces"], self.config["privacy"])
        if path := self.landmark_files.get("sheet"):
            from shapedp.landmarks import sheet  # numpy, which most runs start without

            return [(one.id, one.person, one.time) for one in sheet.samples_of(path)]
        if "landmarks" not in self.landmark_files:  # drawn ones, which the settings tell
            return []
        path = Path(self.landmark_files["landmarks"])
        return [(one.name,) for one in sorted(path.iterdir())] if path.is_dir() else [(path.name,)]

    def refuse_unlooked(self, jobs: list[Any]) -> None:
        """Stop before the first job if nobody has looked at what these jobs release."""
        from shapedp.releases import look

        try:
            for job in jobs:
                look.refuse_unlooked(LOOKED, job.params.look, self.config["privacy"])
        except ShapedpError as error:
            sys.exit(f"shapedp: {error}")

    def look_lines(self, targets: list[str]) -> list[str]:
        """What a look ends with: what lies beyond ranges, what releases would be worth, and the command that spends.

        targets : of this run, which stand in its command; nothing is told where the settings do not ask to look first
        """
        from shapedp.app.forecast import looks
        from shapedp.releases import look

        if not (self.looks_first and LOOKED.is_file()):
            return []
        known = self.config | {branch: None for branch in NAMING if branch not in self.known_people()}
        members = self.cohorts["faces"] if self.faces else []
        changed = [line for one in self.looks() for line in look.changes(LOOKED, one)]
        told = [
            *looks.record_lines(known, members, Path("results")),
            *looks.worth_lines(known, Path("results")),
            *changed,
        ]
        asked = [f"{SHOWN}/{branch}/{name}.json" for branch in NAMING for name in self._all_names(branch)]
        if asked and all(Path(marker).is_file() for marker in asked):
            return [*told, "this run spent nothing, and all releases of the settings are made"]
        decide = "" if asked else "write what you decide to release into `releases`, and "
        command = shlex.join(["snakemake", "release", *(word for word in sys.argv[1:] if word not in targets)])
        return [*told, f"this run spent nothing; to spend, {decide}start:", f"  {command}"]

    def _all_names(self, branch):
        return [one["name"] for one in (self.config[branch] or {"releases": []})["releases"]]

    def budgets_of_means(self, branch: str) -> list[tuple[str, dict[str, Any]]]:
        """(mechanism, budget) of each mean that the settings ask for, which a forecast has rows of."""
        return [
            (one["mechanism"], one["budget"])
            for one in self.config[branch]["releases"]
            if kinds.find_entry(branch, one).is_mean
        ]

    def refuse_overspending(self) -> None:
        """Stop before the first job if the releases of a run exceed a cap together."""
        from shapedp.app.forecast import budgets

        try:
            budgets.refuse_together(self.config, members=self.cohorts.get("faces", ()))
        except ShapedpError as error:
            sys.exit(f"shapedp: {error}")

    def spent(self, branch: str) -> Any:
        """What the ledger holds, for a forecast that is made again as soon as it holds more; nothing where the settings
        ask for releases, since the run itself then changes it and a second run has nothing to do.
        """
        from shapedp.app.forecast import budgets

        if self.config[branch]["releases"]:
            return None
        return budgets.spent(budgets.of(branch, self.config["privacy"]))

    def code(self, script: str) -> str:
        """Return a digest of what a script and the library modules that it imports say, a parameter of its rule.

        Jobs run again when what they compute may have changed, not for a comment, a renamed local or a moved checkout.
        """
        return code_digest.digest_script(self.root / "scripts" / f"{script}.py")

    def tell(self, *lines: str) -> None:
        """Print lines for the operator, in the words of what the scans show."""
        tell(*map(self.shown.in_words, lines))

    @property
    def shown(self) -> subjects.Subject:
        """What the scans show."""
        return subjects.of_settings(self.faces)

    def sections(self, keys: tuple[str, ...]) -> dict[str, Any]:
        """The sections of `faces` with these keys."""
        return {key: self.faces[key] for key in keys}

    def samples_of(self, cohort: str, batch: str) -> list[tuple]:
        """What chain.Scan takes of each scan of a batch, see `Sample.given`."""
        return Listed(one.given for one in self.batches[cohort][batch])

    def minutes_of_batch(self, cohort: str, batch: str) -> int:
        """For how many minutes the job of a batch asks, whatever its scans are."""
        from shapedp.surfaces.scans import limits

        return limits.minutes(len(self.batches[cohort][batch]))

    def stacked(self, cohort: str) -> list[tuple]:
        """(id, person, group) of each scan that a cohort's stack of curves is made of."""
        members = populations.stacked(self.faces, cohort, self.cohorts[cohort])
        return Listed((one.id, one.person, one.group) for one in members)

    def sample_of(self, face: str) -> tuple:
        """The same of one face of the cohort."""
        found = [(one.id, one.path, *one.given[2:]) for one in self.cohorts["faces"] if one.id == face]
        if not found:
            raise ConfigError(f"no face '{face}' in faces.scans; `shapedp inspect` lists them")
        return found[0]

    def drawn_sheet(self, cohort: str) -> str | list:
        """The sheet of people that are drawn, which stands for their scans; other scans are no inputs: see `stamp`."""
        return f"data/demo/{cohort}/samples.tsv" if populations.drawn(self.faces, cohort) else []

    def public_files(self, *settings: str) -> list[str]:
        """The files that these settings of `shapes` name: inputs, since the same name may come to hold others."""
        return [self.landmark_files[one] for one in settings if one in self.landmark_files]

    def stamp(self, cohort: str, batch: str) -> str:
        """What changes when a batch has another scan in the place of one: then the batch is made again.

        A parameter, because scans as inputs are slow: each time that Snakemake looks for a job to start it asks for the
        size of every input of every waiting batch. Under `--rerun-triggers mtime`, which ignores parameters, a changed
        scan goes unnoticed.
        """
        brought = populations.brought(self.faces, cohort, self.batches[cohort][batch])
        return samples.stamp([one.path for one in brought])

    def specimens(self) -> list[tuple]:
        """The public set by which a subject that is no face is judged, as `samples_of`; of faces nothing."""
        is_face = self.shown.is_face
        return Listed(() if is_face else (one.given for one in self.cohorts.get("reference", ())))

    def stamp_of_specimens(self) -> str:
        """What changes when another scan stands in the place of one of them."""
        return samples.stamp([path for _, path, *_ in self.specimens() if path])

    def stamp_of_folders(self) -> str:
        """What changes when a file in a folder of landmarks does: the folder's own date tells of new names alone."""
        named = (Path(self.landmark_files[one]) for one in sorted(self.landmark_files))
        within = (one for path in named if path.is_dir() for one in sorted(path.iterdir()))
        return samples.stamp([one for one in within if one.is_file()])

    def of_cohort(self, cohort: str, kind: str) -> list[str]:
        """The artifacts of one kind of all batches of a cohort."""
        return [f"results/private/{cohort}/{kind}/{batch}.h5" for batch in self.batches[cohort]]

    def entry(self, branch: str, name: str) -> dict[str, Any]:
        """The entry of a branch's `releases` that has this name."""
        return next(one for one in self.config[branch]["releases"] if one["name"] == name)

    def names(self, branch: str, *words: str) -> list[str]:
        """Names of a branch's releases, or of those of these kinds."""
        entries = self.config[branch]["releases"]
        return [entry["name"] for entry in entries if not words or of_entry(branch, entry, "kind") in words]

    def pattern(self, branch: str, *words: str) -> str:
        """A pattern of their names, which matches nothing where there is none."""
        return "|".join(self.names(branch, *words)) or "(?!)"

    def means(self, branch: str) -> list[str]:
        """Return the names of a branch's releases that are means."""
        return [one["name"] for one in self.config[branch]["releases"] if kinds.find_entry(branch, one).is_mean]

    def released(self, branch: str) -> list[str]:
        """What stands for the releases of a branch: the marker that each is shown, and its page.

        The release itself is no output: Snakemake deletes outputs before a job and after one that failed, and what was
        published must stay whole when another release is refused.
        """
        names = self.names(branch)
        markers = [f"{SHOWN}/{branch}/{name}.json" for name in names]
        return markers + [f"results/release/{branch}/{name}/index.html" for name in names]

    def rows_of(self, branch: str, name: str) -> str:
        """The curves or shapes that a release is of: everybody's, or rows of its own."""
        own = samples.takes_own_rows(self.entry(branch, name))
        return OF_RELEASES.format(branch, name) if own else EVERYBODYS[branch]

    def variation_of(self, entry: dict[str, Any]) -> str:
        """What a release by `shaped` learns from: how public faces vary, or how public differences do."""
        differs = kinds.find_entry("faces", entry).is_difference
        return OF_RELEASES.format("reference", entry["name"]) if differs else VARIATION

    @property
    def foretold(self) -> list[dict[str, Any]]:
        """Entries of faces that have lines of their own in the forecast: those asked for that are no mean of everybody,
        or where nothing is, a model and the changes that the sheet's times allow, at mu = 1.
        """
        if not self.faces["releases"] and "reference" in self.cohorts:
            return samples.possible(self.cohorts["faces"])
        return [one for one in self.faces["releases"] if not kinds.find_entry("faces", one).is_mean or "time" in one]

    def learned_for(self, entry: dict[str, Any]) -> str | None:
        """What public people teach of a release with lines of its own; None of a mean, for which the table's do."""
        return None if kinds.find_entry("faces", entry).is_mean else self.variation_of(entry)

    def sizes(self, members: list) -> dict[str, int]:
        """Of each group, how many of its people are among these samples, as far as that is public."""
        groups, group_of = self.config["privacy"]["groups"], {one.person: one.group for one in members}
        counted = Counter(filter(None, group_of.values()))
        return groups["sizes"] if groups["membership"] == "private" else dict(sorted(counted.items()))

    def counted(self, entry: dict[str, Any]) -> int:
        """The public n of a release of faces."""
        listed = set(samples.listed(entry, self.cohorts["faces"]))
        members = [one for one in self.cohorts["faces"] if one.person in listed]
        return self.sizes(members).get(entry["group"], 0) if "group" in entry else len(listed)

    def listed(self, name: str) -> list[str]:
        """Whose rows a release of faces takes, by the frame alone."""
        return samples.listed(self.entry("faces", name), self.cohorts["faces"])

    def of_release(self, name: str) -> dict[str, Any]:
        """The sections of `faces` that a release takes; a person with scans of several times is averaged."""
        is_model = kinds.find_entry("faces", self.entry("faces", name)).has_covariates
        keys = ("bounds", "variation", "curves", "persons") if is_model else FOR_MEANS
        several = len({one.person for one in self.cohorts["faces"]}) < len(self.cohorts["faces"])
        shown = () if self.shown.is_face else subjects.STATED
        return {key: self.faces[key] for key in (*keys, *shown)} | ({"persons": "average"} if several else {})

    def inputs_of_release(self, name: str) -> dict[str, str | list]:
        """The files that a release of faces is made from, beside the template: people's curves, what clips them or what
        its mechanism learns from, and what else its kind takes.
        """
        entry = self.entry("faces", name)
        return kinds.find_entry("faces", entry).inputs(entry, self)

    def cells_of_release(self, name: str) -> list[tuple]:
        """(person, {column: text}) of each scan of a release of faces that has covariates; nothing of another."""
        entry = self.entry("faces", name)
        has_covariates = kinds.find_entry("faces", entry).has_covariates
        return Listed(samples.cells_of(entry, self.cohorts["faces"]) if has_covariates else ())

    def public_cells_of_release(self, name: str) -> list[tuple]:
        """The same of public people, for a release that takes them."""
        takes_public = kinds.find_entry("faces", self.entry("faces", name)).takes_public_people
        return Listed(samples.cells_of({}, self.cohorts.get("reference", [])) if takes_public else ())

    def bounds_of(self, release: dict[str, Any]) -> str | list:
        """The bounds a face release clips to; none where they are numbers in the settings."""
        source = release.get("bounds", self.faces["bounds"]["source"])
        reference = of_entry("faces", release, "reference")
        return [] if source == "public" else f"results/private/faces/bounds/{source}_{reference}.h5"

    def looked_at(self, branch: str) -> list[str]:
        """What an analyst looks at: the forecast, and the comparison once somebody has decided what to release."""
        section, folder = self.config[branch], f"results/private/{branch}"
        if not section:
            return []
        quality = [f"{folder}/quality.tsv"] if branch == "faces" else []
        compared = [f"{folder}/comparison.tsv"] if section["releases"] else []
        return [*quality, f"{folder}/review.html", f"{folder}/forecast.tsv", *compared]

    def public_markers(self, paths: list[str]) -> list[str]:
        """The markers among the paths whose releases may leave the house: reproductions stay."""
        markers = [Path(path) for path in paths if path.startswith(SHOWN)]
        named = {str(one): (one.parent.name, one.stem) for one in markers}
        entries = {path: (branch, self.entry(branch, name)) for path, (branch, name) in named.items()}
        return [path for path, asked in entries.items() if not of_entry(*asked, "reproduction")]

    def beside(self) -> list[tuple[str, str]]:
        """(branch, name) of shown releases that no entry of the settings asks for: joint and pooled ones."""
        pooled = [(path.parent.name, path.stem) for path in sorted(PRIVATE.glob("pooled/*/*.json"))]
        together = [("faces", self.together["name"])] if self.together else []
        shown = Path("results/release")
        return [one for one in [*together, *pooled] if (shown / one[0] / one[1] / "index.html").is_file()]

    def tell_when_idle(self, seen: Any, folder: Path, targets: list[str]) -> None:
        """At the end of a run that had nothing to do: what is there, and what can still be spent."""
        if seen.is_idle:
            with chdir(folder):  # Snakemake has left it by then
                self.tell("", "shapedp: nothing to do, all this is there:")
                self.tell(*status.summary_lines(timed=False, populations=self.populations))
                tell(*self.spending_lines(), *self.look_lines(targets))


def shown_at(marker: str | Path) -> str:
    """The folder of a release: results/private/shown/<branch>/<name>.json -> results/release/<branch>/<name>."""
    marker = Path(marker)
    return str(marker.parents[3] / "release" / marker.parent.name / marker.stem)


def tell(*lines: str) -> None:
    """Print lines for the operator; on standard error, since graphs go to standard output."""
    print(*lines, sep="\n", file=sys.stderr, flush=True)


def view_of(workflow: Any, run: Run, folder: Path, last_rules: set[str]) -> view.View | view.Screen:
    """Return what stands in place of Snakemake's lines on the screen; a filter of them where all are asked for.

    All are shown with `--verbose`, `--printshellcmds` (`-p`) and `--quiet`, in a dry run, in a process of a job, and to
    whoever uses this workflow as a module of their own. folder : the checkout
    """
    output = workflow.output_settings
    all_lines = output.dryrun or output.verbose or output.quiet or output.printshellcmds
    is_ours = Path(workflow.main_snakefile).parent.resolve() == folder.resolve()
    if all_lines or not is_ours or not workflow.is_main_process:
        return view.Screen()
    return view.View(last_rules, run.shown.in_words)


def schedule_of(workflow: Any, run: Run) -> remaining.Schedule:
    """Return the jobs that a run will do, with what each waits for, and how many run side by side."""
    dag = workflow.dag
    open_jobs = list(dag.needrun_jobs())
    number_of = {job: dag.jobid(job) for job in open_jobs}
    jobs = {}
    for job in open_jobs:
        wildcards = dict(job.wildcards_dict)
        cohort, batch = wildcards.get("cohort"), wildcards.get("batch")
        members = run.batches.get(cohort, {}).get(batch) if batch else run.cohorts.get(cohort)
        needs = (number_of[needed] for needed in dag.dependencies[job] if needed in number_of)
        label = "/".join([job.rule.name, *wildcards.values()])
        log = Path(str(job.log[0])) if job.log else None
        jobs[number_of[job]] = remaining.Job(
            job.rule.name, label, len(members or ()), cohort, frozenset(needs), log, is_empty=job.rule.norun
        )
    workers = workflow.cores if workflow.local_exec else workflow.nodes
    return remaining.Schedule(jobs, workers or 1, {cohort: len(members) for cohort, members in run.cohorts.items()})
