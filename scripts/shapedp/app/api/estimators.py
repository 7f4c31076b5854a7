"""Releases from Python, in scikit-learn's habits: means and models of faces and of landmark shapes.

They are the same releases as the workflow's: the same classes of `shapedp.releases`, the same ledger, the same files.
What is not given follows the settings' defaults.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin

from shapedp.app.api.faces import Template, check_scans, map_scan, read_scan
from shapedp.app.api.released import read_release
from shapedp.base import artifacts
from shapedp.base.errors import ConfigError, MachineError, Rejected
from shapedp.base.runs.logs import log
from shapedp.base.settings import checks, read_default, registry
from shapedp.base.storage import files
from shapedp.landmarks.shapes import center_shapes
from shapedp.ledger.ledger_folder import Ledger
from shapedp.people import samples
from shapedp.privacy import noise
from shapedp.privacy.curves import bounds
from shapedp.privacy.curves.bounds import Bounds
from shapedp.privacy.learned.face_variation import Variation
from shapedp.privacy.shapes.base import as_real
from shapedp.releases import cohorts, faces, protocol, publishing, shapes
from shapedp.releases.kinds.mean import release as means
from shapedp.releases.kinds.model import release as models
from shapedp.releases.model import covariates as covariates_of
from shapedp.releases.model.covariates import Covariate
from shapedp.releases.protocol import Evidence, People, Release
from shapedp.surfaces.chain import differences, rehearsal
from shapedp.surfaces.scans import Scan

# What a record's curves were made of: itself and the template, since `FaceCurves` takes each scan by itself.
CURVES_MADE_OF = ("curves", "template")
# A constructor that keeps its parameters under their names, as scikit-learn's `get_params` and `clone` ask.
parameters = dataclass(eq=False, repr=False)


@parameters
class FaceCurves(TransformerMixin, BaseEstimator):
    """Turn scans into radial curves (n, J, 3, m) of unit-area faces, in correspondence.

    template : a public `Template`; None for the built-in one
    flatten : give a row of numbers a scan, (n, J 3 m), as the next step of a scikit-learn pipeline takes them

    `fit` learns nothing from the scans, and `transform` takes each scan by itself: replacing one scan changes one row.
    A scan that cannot be used, for whatever reason, becomes the template's curves; `rejected_` says which, and why.
    What is no scan's fault is raised: arguments that are no scans, too little memory (call it again, with more), and a
    program that fails on the template itself, which is taken through the chain once before any scan.
    """

    template: Template | None = None
    center: str = "nose"
    flatten: bool = False

    def fit(self, scans: Any = None, y: Any = None) -> "FaceCurves":
        """Take the template that scans are registered to, and return the transformer; the scans are not looked at.

        Parameters
        ----------
        scans : object
            Not looked at.
        y : object
            Not looked at: scikit-learn passes it.
        """
        if self.template is not None and not hasattr(self.template, "curves"):
            raise ConfigError(f"template: found a {type(self.template).__name__}; give a `Template`, or None")
        self.template_, self._rehearsed = self.template or Template.built_in(), False
        return self

    def transform(self, scans: Sequence[Any]) -> NDArray[np.float64]:
        """Return curves of each scan, from which releases are made; scans are paths, or as `read_scan` gives them."""
        template, self.rejected_, rows = self.template_, {}, []
        scans = check_scans(scans)
        # A program that fails on a public template fails on every scan: then no scan is to blame, and nothing is
        # rejected.
        if not self._rehearsed:
            surface = template.surface
            rehearsal.rehearse(self._extract_curves, Scan(*rehearsal.as_mesh(surface.scale * surface.f)))
            self._rehearsed = True
        for number, scan in enumerate(scans):
            try:
                rows.append(self._extract_curves(scan))
            # The machine, not the scan, is at fault: the caller runs it again with more memory.
            except (MemoryError, MachineError):
                raise
            # Whatever one scan does to the chain, the others are released without it.
            except Exception as error:
                reason = str(error) if isinstance(error, Rejected) else f"{type(error).__name__}: {error}"
                self.rejected_[number] = reason
                rows.append(template.curves)
        curves = np.stack(rows)
        return curves.reshape(len(curves), -1) if self.flatten else curves

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the name of each number of a flat row, (J 3 m,): `curve1_x_1`; `set_output` asks for it."""
        if not self.flatten:
            raise ConfigError(
                "flatten: is False, and curves of three axes have no columns; give FaceCurves(flatten=True)"
            )
        count, _, samples = self.template_.curves.shape
        names = (f"curve{j + 1}_{axis}_{k + 1}" for j in range(count) for axis in "xyz" for k in range(samples))
        return np.array(list(names), dtype=object)

    def _extract_curves(self, scan):
        """Return (J, 3, m) curves of one scan, taken through the chain with the template."""
        template = self.template_
        scan_read = read_scan(scan) if isinstance(scan, str | PathLike) else scan
        surface = map_scan(scan_read, self.center, *template.surface.f.shape[:2], template)
        return template.curves_of(template.register(surface, self.center == "nose").surface)


def learn_variation(curves: NDArray[np.float64], template: Template, source: str = "a public set") -> Variation:
    """Return how public people's curves vary about the template, which `shaped` and models shape their noise by.

    The people must be public, and none of them may be among those whose release follows.

    Parameters
    ----------
    curves : (p, J, 3, m) array
        The public people's curves in units of the template's root area, as `FaceCurves` makes them.
    template : Template
        The public template, whose curves are the center.
    source : str
        Who the people are, in words; statements print it.

    Returns
    -------
    Variation
        What the parameter `variation` of the releases of faces takes.
    """
    curves = np.asarray(curves)
    if curves.shape[1:] != template.curves.shape or not np.isfinite(curves).all():
        expected = (
            f"give (p, {', '.join(map(str, template.curves.shape))}), all numbers finite, as `FaceCurves` makes them"
        )
        raise ConfigError(
            f"curves: found an array of shape {curves.shape} with {np.isnan(curves).sum()} NaN; {expected}"
        )
    settings = read_default("faces.variation")
    learned = differences.learn_variation(curves, None, template.curves, settings)
    guesses = {key: settings[key] for key in ("quantile", "assumed_mean_shift", "assumed_shift_outside_modes")}
    words = f"{len(curves)} faces of the public reference set '{source}'"
    fields = {name: np.asarray(value, artifacts.VARIATION.fields[name].dtype) for name, value in vars(learned).items()}
    return Variation(center=template.curves, **fields, **guesses, source=words, public=True)


# Of an entry of `releases`.
ENTRY_KEYS = (
    "kind",
    "mechanism",
    "budget",
    "covariates",
    "modes",
    "shrink",
    "worth_it_anyway",
)


def _to_plain(value: Any) -> Any:
    """Return a value as a settings file would have it, so that parameters are checked as settings are."""
    if isinstance(value, PathLike):
        return str(value)
    return value.tolist() if isinstance(value, np.generic | np.ndarray) else dict(value)


@parameters
class PrivateRelease(BaseEstimator):
    """What all releases take.

    * population : name of the people whose budget is spent
    * cap : the most that may ever be spent on them: a total mu, or {"mu_total": ...} and {"epsilon": ...}
    * ledger : folder of the ledgers
    * folder : folder of the release; the folder's name is the release's name
    * sources : where each public object comes from, in words

    Whoever calls this declares that each record is another person's, and that no setting was chosen by looking at
    the records. The parameters are checked as settings are. After `fit`, `release_` is as `read_release` gives it.
    Private are `rejected_`, {record: why}, of those that could not be used, and `unread_`, {covariate: records}, of
    values that count as the middle since they could not be read.
    """

    population: str
    cap: float | Mapping[str, float]
    ledger: PathLike | str
    folder: PathLike | str
    sources: Mapping[str, str]

    makes: ClassVar[type[Release]]
    branch = "faces"
    # The word of the entry's `kind:`; None of a mean, which needs none.
    kind = None

    def _published(self, release: Release, people: People) -> None:
        """Publish the release, and keep what it holds in attributes, under the names that the classes promise."""
        # The same transaction as the workflow's: recorded before it is drawn.
        publishing.publish(Ledger(self.ledger), release, people, noise.make_source(), self.folder)
        self.release_ = read_release(self.folder)
        values = self.release_.values
        if self.kind:
            self.model_ = self.release_.model
        elif self.branch == "faces":
            self.mean_, self.noise_sd_ = values["curves"], values["noise_sd"]
        else:
            self.mean_ = values["landmarks"]

    def _covariates(self) -> Sequence[Covariate] | None:
        """Return what a model takes in; None of a mean."""
        return covariates_of.from_settings(self.covariates or {}) if self.kind else None

    def _settings(self, count: int, **section: Any) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
        """Return (entry of `releases`, section of its branch, privacy): the parameters as the settings of a run.

        They are checked and completed as a settings file is; the run makes this release alone. count : of the records
        """
        entry_values = {key: getattr(self, key, None) for key in ENTRY_KEYS}
        entry = {"name": Path(self.folder).name}
        entry |= {key: value for key, value in entry_values.items() if value is not None and value is not False}
        privacy = {
            "ledger": self.ledger,
            "population": {self.branch: self.population},
            "cap": {self.branch: self.cap if isinstance(self.cap, Mapping) else {"mu_total": self.cap}},
            "people": {self.branch: count},
            "tuned_on": "public",
            "sources": self.sources,
        }
        section_values = {key: value for key, value in section.items() if value is not None}
        run_settings = {self.branch: {**section_values, "releases": [entry]}, "privacy": privacy}
        # Through JSON, so that arguments meet the schema as a settings file does, whatever types Python gives them.
        checked = checks.check(json.loads(json.dumps(run_settings, default=_to_plain)), type(self).__name__)
        return checked[self.branch]["releases"][0], checked[self.branch], checked["privacy"]

    def _cells(self, covariates: Sequence[Mapping[str, Any]] | None, count: int) -> list[dict[str, str]]:
        """Return the covariates as cells of a sheet, one row a record, by which a release knows and codes them.

        The names of all records together are public.
        """
        if covariates is not None and not self.kind:
            raise ConfigError("covariates: a mean takes no covariates; release a model instead, or leave them out")
        rows = covariates.to_dict("records") if hasattr(covariates, "to_dict") else covariates or [{}] * count
        if wrong_types := [type(row).__name__ for row in rows if not isinstance(row, Mapping | None)]:
            raise ConfigError(f"covariates: found a {wrong_types[0]} as a row; give {{name: value}} for each record")
        if len(rows) != count:
            raise ConfigError(f"covariates: {len(rows)} rows for {count} records; give one for each")
        declared = {
            name: value for name, value in ((self.kind and self.covariates) or {}).items() if name != covariates_of.SIZE
        }
        # Names are public, as the header of a sheet is; values are not.
        names = {str(key) for row in rows for key in row or {}}
        if missing := samples.find_lacking(list(declared), names):
            known_names = ", ".join(sorted(names)) or "nothing"
            raise ConfigError(
                f"covariates: no record names {', '.join(missing)}; they name {known_names}. Nothing was spent"
            )
        # What one record lacks is a cell without a value, whichever record that is: names of all records together are
        # public.
        empty = dict.fromkeys(names, "")
        cells = [empty | {str(key): str(value) for key, value in (row or {}).items()} for row in rows]
        self.unread_ = covariates_of.list_unread(declared, list(enumerate(cells)))
        for name in self.unread_:
            log.warning(
                "%s: some records hold no value, and count as the middle of the range; the attribute "
                "unread_ lists them (private)",
                name,
            )
        return cells

    def _warn_of_rejected(self, count: int) -> None:
        """Warn the user that some records cannot be used, without saying how many or which: that is private."""
        if self.rejected_:
            log.warning(
                "some records cannot be used, and count as the reference; the attribute rejected_ lists them (private)"
            )


@parameters
class OfMu:
    """A release whose budget is one mu; as the last base of a class, so that mu is its first parameter."""

    mu: float

    @property
    def budget(self) -> dict[str, float]:
        """As an entry of `releases` has it."""
        return {"mu_total": self.mu}


@parameters
class OfBudget:
    """A release whose budget is given as an entry of `releases` has it; the last base, as `OfMu`."""

    budget: Mapping[str, float]


class PrivateFaces(PrivateRelease, OfMu):
    """What releases of faces share: scans or curves become people, about a public template."""

    def _limits(self, template: Template) -> Bounds | Variation:
        """Return what people's curves are clipped to."""
        return self.variation

    def _bounds(self) -> dict[str, Any]:
        """Return the settings' `faces.bounds`."""
        return {"source": "reference_set", "reference_set": self.sources.get("bounds")}

    def fit(self, scans: Sequence[Any], y: Any = None, covariates: Sequence[Mapping[str, Any]] | None = None) -> Any:
        """Release these scans, or return the stored release, for nothing, if it was made before.

        Parameters
        ----------
        scans : sequence, or (n, J, 3, m) array
            Paths, or what `read_scan` returns; or curves that `FaceCurves` made of scans, in which a row of NaN is a
            scan that could not be used.
        y : object
            Not looked at: scikit-learn passes it.
        covariates : sequence of mappings, or pandas DataFrame
            Of each scan, {name: value}. The names are public; a mean takes none.
        """
        if not isinstance(self.variation, Variation | None):
            raise ConfigError(
                f"variation: found a {type(self.variation).__name__}; give what `learn_variation` returns"
            )
        if not isinstance(scans, np.ndarray):
            scans = check_scans(scans)
        elif scans.ndim != 4 or scans.shape[2] != 3:
            raise ConfigError(f"scans: found an array of shape {scans.shape}; give curves (n, J, 3, m), or a list")
        elif scans.dtype.kind not in "fiu":
            raise ConfigError(f"scans: found an array of {scans.dtype}; give curves as real numbers. Nothing was spent")
        # The template is read and checked before any scan is.
        transformer = FaceCurves(self.template, self.center).fit()
        template = transformer.template_
        source = "built_in" if template.ours else "file"
        curves = {"count": len(template.radii), "samples": template.samples, "spacing": template.spacing}
        section = {"scans": "scans", "template": source, "bounds": self._bounds(), "curves": curves}
        entry, faces_section, privacy = self._settings(len(scans), center=self.center, **section)
        limits = self._limits(template)
        if isinstance(scans, np.ndarray):
            if scans.shape[1:] != template.curves.shape:
                raise ConfigError(
                    f"scans: curves of shape {scans.shape[1:]}, where the template's have shape "
                    f"{template.curves.shape}; make the curves with this template"
                )
            # A row of NaN is a record that could not be used; it counts as the template, so that n stays what it is.
            whole = np.isfinite(scans).all(axis=(1, 2, 3))
            curves = np.where(whole[:, None, None, None], scans, template.curves)
            self.rejected_ = {int(row): "holds NaN" for row in np.flatnonzero(~whole)}
        else:
            curves = transformer.transform(scans)
            self.rejected_ = transformer.rejected_
        people = self._people(curves, covariates)
        template_fields = faces.Template(template.curves, template.radii, float(template.surface.scale), True, source)
        plan = faces.ReleaseInputs(entry, faces_section, privacy, template_fields, limits, people.n)
        self._published(self.makes.from_inputs(plan), people)
        return self

    def _people(self, curves: NDArray, covariates: Sequence[Mapping[str, Any]] | None) -> People:
        """Return the people of these curves as a release and the ledger take them, a rejected one as the template."""
        count = len(curves)
        self._warn_of_rejected(count)
        used = np.array([row not in self.rejected_ for row in range(count)], artifacts.CURVES.fields["ok"].dtype)
        key, ids = Ledger(self.ledger).key(), tuple(map(str, range(count)))
        declared, cells = self._covariates(), self._cells(covariates, count)
        coded = None if declared is None else covariates_of.code_all(declared, list(zip(ids, cells, strict=True)), ids)
        # As the workflow's stack has who was rejected.
        stored_curves = np.where(used[:, None, None, None] == 1, curves, 0.0)
        records, marks = protocol.digest_records(key, lambda start, stop: stored_curves[start:stop], count, coded)
        return People(
            count=count,
            read=lambda start, stop: curves[start:stop],
            beside=coded,
            n=count,
            records=records,
            marks=marks,
            other_inputs=(used,) if coded is None else (used, coded),
            evidence=Evidence(CURVES_MADE_OF, count, count, count, named=False),
        )


@parameters
class PrivateMeanFace(PrivateFaces):
    """The mean of people's faces with noise that makes it private, recorded in a ledger before the noise is drawn.

    * mu : of Gaussian differential privacy
    * variation : how public people vary, by `learn_variation`
    * tau : instead of `variation`, three public bounds on a curve's x, y, z about the template, for a mechanism that
      takes bounds, such as `matched_joint`
    * template : a public `Template`; None for the built-in one
    * worth_it_anyway : make the release even if it is expected to be no better than the public reference

    The other parameters are those of `PrivateRelease`. After `fit` there are `mean_` (J, 3, m) of unit area and
    `noise_sd_` (J, 3).
    """

    variation: Variation | None = None
    tau: Sequence[float] | None = None
    template: Template | None = None
    mechanism: str = "shaped"
    center: str = "nose"
    worth_it_anyway: bool = False

    makes = means.MeanFace

    def _limits(self, template: Template) -> Bounds | Variation:
        """Return what people's curves are clipped to: of `variation` and `tau` one is given."""
        if (self.variation is None) == (self.tau is None):
            raise ConfigError("give either variation (see learn_variation), or tau with a mechanism that takes bounds")
        return self.variation or bounds.from_numbers(self.tau, len(template.radii))

    def _bounds(self) -> dict[str, Any]:
        """Return the settings' `faces.bounds`, of `tau` as public numbers; refuse `tau` where it would do nothing."""
        if self.tau is not None and registry.is_learning("faces", self.mechanism):
            raise ConfigError(
                f"tau: mechanism '{self.mechanism}' takes a variation and no tau; give variation, or "
                "use the mechanism matched_joint"
            )
        return super()._bounds() if self.tau is None else {"source": "public", "tau": self.tau}


@parameters
class PrivateFaceModel(PrivateFaces):
    """Mean, effects of covariates and modes of variation of people's faces under one mu.

    * covariates : {name: {"range": [low, high]} or {"levels": [one, other]}}, public
    * modes : how many

    `template` is that of `PrivateMeanFace`, the others are `PrivateRelease`'s. A model is never refused for being no
    better than the public reference. After `fit`, `model_` is the `Released` model, as
    `read_release(folder).model` gives it.
    """

    variation: Variation
    covariates: Mapping[str, Any] | None = None
    modes: int | None = None
    template: Template | None = None
    center: str = "nose"

    makes, kind, mechanism = models.ModelOfFaces, "face_model", "shaped"


def _to_real_numbers(landmarks):
    """Return landmarks, as users hand them in, as an array of floats, complex (n, k) as (n, k, 2).

    What is no array of numbers is a ConfigError.
    """
    try:
        numbers = np.asarray(landmarks)
    # Lists of different lengths are no array.
    except ValueError:
        numbers = np.empty(0, dtype=object)
    # In the plane `read_shapes` returns complex numbers.
    if numbers.dtype.kind == "c" and numbers.ndim == 2:
        numbers = as_real(numbers)
    if numbers.dtype.kind not in "fiu":
        raise ConfigError(
            f"landmarks: found a {type(landmarks).__name__} of {numbers.dtype}; give real numbers (n, k, 2) or "
            "(n, k, 3), or complex ones (n, k), NaN where a landmark is missing. Nothing was spent"
        )
    return numbers.astype(float)


@parameters
class PrivateShapes(PrivateRelease):
    """What releases of landmarks share: records, in the plane or in space, about a public center."""

    radius: float
    center: str | NDArray = "reference_set"
    reference_set: PathLike | str | NDArray | None = None

    branch = "shapes"

    def fit(self, landmarks: NDArray, y: Any = None, covariates: Sequence[Mapping[str, Any]] | None = None) -> Any:
        """Release landmarks, or return the stored release, for nothing, if it was made before.

        Parameters
        ----------
        landmarks : (n, k, 2) or (n, k, 3) array, or (n, k) complex array
            One row a record; a missing landmark is NaN.
        y : object
            Not looked at: scikit-learn passes it.
        covariates : sequence of mappings, or pandas DataFrame
            Of each record, {name: value}, for a model. The names are public; `log_size` is always there; a mean takes
            none.
        """
        landmarks, declared = _to_real_numbers(landmarks), self._covariates()
        if landmarks.ndim != 3 or landmarks.shape[2] not in (2, 3):
            raise ConfigError(f"landmarks: found an array of shape {landmarks.shape}; give (n, k, 2) or (n, k, 3)")
        count = len(landmarks)
        public = {name: self._public_file(name, landmarks.shape[1:]) for name in ("center", "reference_set")}
        entry, section, privacy = self._settings(
            count,
            landmarks="landmarks",
            sheet="covariates",
            landmark_count=landmarks.shape[1] if public["center"] == shapes.PRIVATE else None,
            **public,
            **{key: getattr(self, key) for key in ("radius", "size", "contour_modes")},
        )
        blank = [""] * count
        record_fields = {
            "ids": list(map(str, range(count))),
            **dict.fromkeys(("persons", "faults", "groups"), blank),
            "covariates": blank
            if declared is None and covariates is None
            else list(map(json.dumps, self._cells(covariates, count))),
        }
        # The same artifacts as the workflow's, and the same steps: both ways to a release agree to the last bit.
        with TemporaryDirectory() as folder:
            records, centered = Path(folder) / "landmarks.h5", Path(folder) / "shapes.h5"
            with artifacts.writer(records, artifacts.LANDMARKS) as out:
                out.set(landmarks=landmarks, **record_fields)
            keys = ("center", "reference_set", "persons", "pairs", "semilandmarks", "sliding")
            center_shapes(records, centered, **{key: section[key] for key in keys if key in section})
            with artifacts.reader(centered, artifacts.SHAPES) as source:
                numbered = enumerate(zip(source["ok"], source["reasons"], strict=True))
            self.rejected_ = {row: reason for row, (ok, reason) in numbered if not ok}
            self._warn_of_rejected(count)
            key, modes = Ledger(self.ledger).key(), section["contour_modes"]
            people, shape_inputs = cohorts.read_shape_people(
                centered, records, None, section, privacy, key, modes, declared
            )
            self._published(self.makes.from_entry(entry, section, privacy, shape_inputs), people)
        return self

    def _public_file(self, name: str, record_shape: tuple[int, ...]) -> Any:
        """Return the file of a public parameter, since settings name files: the one given, or one for its array.

        The array is written beside the release. record_shape : (k, d) of the records, which the array must have
        """
        parameter = getattr(self, name)
        if parameter is None or isinstance(parameter, str | PathLike):
            return parameter
        numbers = np.asarray(parameter)
        numbers = as_real(numbers) if np.iscomplexobj(numbers) else numbers
        if (
            numbers.dtype.kind not in "fiu"
            or numbers.shape[-2:] != record_shape
            or numbers.ndim != (2 if name == "center" else 3)
        ):
            expected = f"({'' if name == 'center' else 'p, '}{record_shape[0]}, {record_shape[1]})"
            raise ConfigError(
                f"{name}: found an array of shape {numbers.shape} of {numbers.dtype}; give real numbers {expected}, "
                "complex "
                "ones in the plane, or a file. Nothing was spent"
            )
        folder = Path(self.folder)
        path, written = folder.with_name(f"{folder.name}.{name}.npy"), BytesIO()
        np.save(written, numbers.astype(float), allow_pickle=False)
        path.parent.mkdir(parents=True, exist_ok=True)
        files.write_bytes(path, written.getvalue())
        return path


@parameters
class PrivateMeanShape(PrivateShapes, OfBudget):
    """The mean shape of landmarks with noise that makes it private, recorded in a ledger before the noise is drawn.

    * budget : {"mu_total": ...}, or {"epsilon": ...} for a pure mechanism such as `knorm`
    * center : `reference_set`, a landmark file with one public shape, that shape (k, d) or complex (k,), or `private`
    * radius : public, in radian
    * reference_set : a landmark file of public people, from whom the mechanism learns how shapes vary, or an array
      (p, k, d) or complex (p, k); arrays are kept beside the release, as NAME.center.npy and NAME.reference_set.npy
    * size : public (least, largest) centroid size; with it the mean size is released, too

    The other parameters are those of `PrivateRelease`. After `fit` there is `mean_` (k, d).
    """

    mechanism: str = "shaped"
    contour_modes: int | None = None
    size: Sequence[float] | None = None
    shrink: bool = False
    worth_it_anyway: bool = False

    makes = means.MeanShape


@parameters
class PrivateShapeModel(PrivateShapes, OfMu):
    """Mean, effects of covariates and modes of variation of landmark shapes under one mu.

    * covariates : {name: {"range": [low, high]} or {"levels": [one, other]}}, public; `log_size` may be among them
    * modes : how many

    `center`, `radius` and `reference_set` are those of `PrivateMeanShape`, the others are `PrivateRelease`'s. A model
    is never refused for being no better than the public center. After `fit`, `model_` is the released model.
    """

    covariates: Mapping[str, Any] | None = None
    modes: int | None = None
    contour_modes: int | None = None

    makes, kind, mechanism, size = models.ModelOfShapes, "shape_model", "shaped", None
