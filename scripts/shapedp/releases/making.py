"""Make a release from the artifacts of a run: what its entry says, of people's rows, entered in the ledger."""

from collections.abc import Sequence
from pathlib import Path

from shapedp.base.settings import read_default
from shapedp.ledger.ledger_folder import Ledger
from shapedp.privacy import noise
from shapedp.privacy.accounting.cost import Cost
from shapedp.releases import cohorts, kinds, publishing
from shapedp.releases.cohorts import Cells
from shapedp.releases.faces import ReleaseInputs
from shapedp.releases.protocol import Settings


def release_faces(
    paths: tuple[Path | str, Path | str, Path | str | None],
    output_dir: Path | str,
    entry: Settings,
    faces: Settings,
    privacy: Settings,
    people: int,
    named: bool,
    cells: Cells = (),
    scans: Sequence[tuple[str, str]] = (),
    public: tuple[Path | str, Cells] | None = None,
    variation: Path | str | None = None,
    plan: Sequence[Cost] = (),
) -> tuple[str, ...]:
    """Make and charge the release that an entry of `faces.releases` asks for; return the names of its files.

    Parameters
    ----------
    paths : (path, path, path or None)
        Curves, template, and the bounds or the variation; None where the bounds are numbers of the settings.
    output_dir : path
        The folder of the release.
    entry, faces, privacy : mapping
        The entry, and the settings of those sections.
    people : int
        How many the cohort lists.
    named : bool
        Whether its sheet says whose each scan is.
    cells : sequence of (person, {column: text})
        Of each scan.
    scans : sequence of (person, path)
        Of all scans.
    public : (path, cells) or None
        Curves of public people, and their cells, for a kind that takes them.
    variation : path or None
        What was learned of the public set, for a mechanism with bounds.
    plan : sequence of Cost
        What all releases cost that the settings plan for these people.
    """
    curves_path, template_path, bounds_path = paths
    ledger, template = Ledger(privacy["ledger"]), cohorts.read_template(template_path)
    limits = cohorts.read_limits(bounds_path, faces, len(template.radii))
    # A mechanism with bounds learns nothing, but whether its noise is worth anything is judged by how public people
    # vary.
    variation_of_public = variation and cohorts.read_limits(variation, faces, len(template.radii))
    kind = kinds.find("faces", entry.get("kind"))
    release = kind.part("release")
    covariate_settings = entry.get("covariates", read_default(f"{kind.branch}.releases[].covariates"))
    covariates = release.read_covariates(covariate_settings) if kind.has_covariates else None
    # Of the cohort the plan takes n alone: mu and public inputs decide axes, bounds and noise.
    with cohorts.open_curves(
        curves_path=curves_path,
        template_path=template_path,
        group=entry.get("group"),
        privacy=privacy,
        key=ledger.key(),
        listed=people,
        named=named,
        covariates_asked=covariates,
        cells=cells,
        scans=scans,
    ) as cohort:
        release_inputs = ReleaseInputs(
            entry, faces, privacy, template, limits, cohort.n, variation_of_public, template_path, public
        )
        planned_release = release.RELEASES["faces"].from_inputs(release_inputs)
        return publishing.publish(ledger, planned_release, cohort, noise.make_source(privacy["seed"]), output_dir, plan)


def release_shapes(
    shapes_path: Path | str,
    landmarks_path: Path | str,
    output_dir: Path | str,
    entry: Settings,
    settings: Settings,
    privacy: Settings,
    plan: Sequence[Cost] = (),
) -> tuple[str, ...]:
    """Make and charge the release that an entry of `shapes.releases` asks for; return the names of its files.

    Parameters
    ----------
    shapes_path, landmarks_path : path
        The rows that are released, and the landmarks that they were made of.
    output_dir : path
        The folder of the release.
    entry : mapping
        The entry; covariates of a model are columns of the sheet of persons, or `log_size`.
    settings : mapping
        The section's radius, contour_modes, center, ...
    privacy : mapping
        The settings of that name.
    plan : sequence of Cost
        What all releases cost that the settings plan for these people.
    """
    ledger, kind = Ledger(privacy["ledger"]), kinds.find("shapes", entry.get("kind"))
    release = kind.part("release")
    modes = (entry if "contour_modes" in entry else settings)["contour_modes"]
    covariate_settings = entry.get("covariates", read_default(f"{kind.branch}.releases[].covariates"))
    covariates = release.read_covariates(covariate_settings) if kind.has_covariates else None
    # Of a change the entry also says which records of a person count, and so who is in it.
    difference_entry = entry if kind.is_difference else None
    people, public_shapes = cohorts.read_shape_people(
        shapes_path=shapes_path,
        landmarks_path=landmarks_path,
        group=entry.get("group"),
        shapes=settings,
        privacy=privacy,
        key=ledger.key(),
        modes=modes,
        covariates_asked=covariates,
        entry=difference_entry,
    )
    planned_release = release.RELEASES["shapes"].from_entry(entry, settings, privacy, public_shapes)
    return publishing.publish(ledger, planned_release, people, noise.make_source(privacy["seed"]), output_dir, plan)
