"""Read landmark files, and the sheet beside them, into one artifact."""

from shapedp import landmarks
from shapedp.base import artifacts
from shapedp.base.errors import ConfigError
from shapedp.base.reading import frame
from shapedp.base.runs.logs import log
from shapedp.base.storage import files
from shapedp.landmarks import outlines
from shapedp.people import populations


def read_shapes(
    source, output_path, center="data", reference_set=None, sheet=None, landmark_count=None, leave_out=(), people=None
):
    """Write the cohort's landmarks, read from a file or folder, as the artifact that all later steps start from.

    The landmarks of the public center are beside them.

    Parameters
    ----------
    source : path
        A landmark file, or a folder of them.
    output_path : path
        The artifact LANDMARKS to write.
    center : str
        `shapes.center` of the settings: `demo`, `reference_set`, `private`, `data`, or a public file with one shape.
    reference_set : path, optional
        The public landmark file that says how shapes vary.
    sheet : path, optional
        The table that says who each record is of.
    landmark_count : int, optional
        Landmarks of a record, which a private center cannot tell.
    leave_out : sequence of int
        Numbers of landmarks, from 1 as in the files, that are dropped before anything is computed from them.
    people : int, optional
        The declared number of persons; then the frame of the files is found before what stands in records.
    """
    _refuse_private(source, center, reference_set)
    # Where there is a public center it says the layout, never the records: they must not decide about each other.
    layout = None
    if center == "demo":
        layout = landmarks.Layout(*outlines.template().shape)
    elif center == "private":
        layout = landmarks.Layout(landmark_count, 2)
    elif center != "data":
        layout = landmarks.read(reference_set if center == "reference_set" else center).layout
    records = landmarks.count_rows(sheet) if sheet and people else people
    cohort = landmarks.read(source, layout, records if layout else None, leave_out)
    sheet_rows = landmarks.read_sheet(sheet, cohort.ids)
    person_count = len(set(sheet_rows.persons)) if any(sheet_rows.persons) else len(cohort.ids)
    populations.refuse_other_number("shapes", {"shapes": people}, person_count, source)
    if leave_out:
        gone, left = ", ".join(map(str, sorted(leave_out))), cohort.shapes.shape[1]
        log.info("landmarks %s are left out, %d are left", gone, left)
    for notice in cohort.notices + sheet_rows.notices:
        log.warning("%s", notice)
    with artifacts.writer(output_path, artifacts.LANDMARKS) as out:
        faults = [fault if used else frame.LEFT_OUT for fault, used in zip(cohort.faults, sheet_rows.used, strict=True)]
        sheet_fields = {
            "persons": sheet_rows.persons,
            "groups": sheet_rows.groups,
            "covariates": sheet_rows.format_covariates(),
        }
        out.set(landmarks=sheet_rows.mirror_and_drop(cohort.shapes), ids=cohort.ids, faults=faults, **sheet_fields)


def _refuse_private(source, center, reference_set):
    """Refuse a public file that is one of the private ones by path or link; warn of one that holds the same.

    The reference set is looked at whatever the center is: how shapes vary is learned from it.
    """
    named = {"center": center if center not in populations.CENTERS else None, "reference_set": reference_set}
    private, _ = landmarks.files(source)
    for setting, (public, _) in ((setting, landmarks.files(path)) for setting, path in named.items() if path):
        if shared := files.find_linked_files(public, private):
            raise ConfigError(
                f"shapes.{setting}: '{shared[0][0]}' is '{shared[0][1]}', a file of the private data, by path or link; "
                "name a file that is public, or set shapes.center to `data`, which is labelled not private"
            )
        for public_path, private_path in files.find_same_files(public, private):
            log.warning(
                f"shapes.{setting}: '{public_path}' holds the same as '{private_path}', a file of the private data; "
                "if it is of the same people, it is not public: name another"
            )
