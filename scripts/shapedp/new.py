"""The settings file of one's own people: commented, complete, and without releases, so that a run spends nothing."""

import json
from pathlib import Path

from shapedp import config
from shapedp.cohorts import populations
from shapedp.errors import ConfigError
from shapedp.landmarks import sources
from shapedp.storage import files

FIRST = """\
# Settings for {people}, written by `shapedp new`. They stand for the whole: config.yaml (the demo) is not read as well.
#   1. {command}
#      makes everything up to results/private/*/forecast.txt (and quality.tsv for faces) and spends nothing.
#   2. Read those; then replace `releases: []` below by the lines that the forecast suggests, declare what stands under
#      `privacy`, and run the same command again: that draws the noise and spends the budget, once.
# Further keys, with their meaning and what holds without them: workflow/schemas/config.schema.yaml, config.yaml.
# Paths are relative to the folder that snakemake runs in.
"""
FACES = """
faces:
  scans: {scans}           # a folder, a glob ("scans/*.ply") or a sample sheet (id, path, person, group, ...)
  persons: refuse          # a person with several scans: refuse | average
  template: demo           # `demo` (built in, public), or a path to a public scan of your own
  center: nose             # what lies at the center of the disk: nose | highest | boundary | [x, y, z] in scan units
  bounds:                  # how far a person may lie from the template before being clipped; must be public
    source: reference_set  # public: the numbers of `tau` | reference_set
    reference_set: demo    # a public population: `demo` (built in), or a folder, glob or sheet of public scans
  keep: [mesh, disk, surface, registered, curves]  # [curves] for large cohorts: 0.77 MB a face instead of 2.1
  releases: []             # each spends budget; see 2. above
"""
SHAPES = """
shapes:
  landmarks: {landmarks}   # one file (.npz .h5 .csv .tps or Morphologika .txt) or a folder of them
{center}
  radius: 0.2              # radian, public: a record farther from the center is moved to it; below pi/8 for pure DP
  modes: 0                 # 0: all landmarks; for closed outlines an even number of Fourier modes, such as 16
  releases: []             # each spends budget; see 2. above
"""
PRIVACY = """
privacy:
  population: {{{populations}}}  # whose budget is spent: name the people, not the study, since they pay in every study
  cap:                     # the most that may ever be spent on them; agree on it before the first release
{caps}
  # Before you release, declare what follows; statements print your words as given.
  # tuned_on: public       # were settings chosen on public numbers alone (public), or by looking at these people's
                           # results (data: then no release is private)?
  sources:{empty}                 # where each public object comes from, in your words; `demo`: the built-in model
    # settings: "..."      # how were the settings chosen, without looking at these people's data?
{sources}
  statement: {{by: null, contact: null, purpose: null, consent: null, licence: null}}  # each may be left out
  ledger: data/ledger      # never cleaned: back it up with the data
"""
SOURCES = {
    "faces": """\
    template: demo         # whose face is the template?
    bounds: demo           # whose faces, or what reasons, do the bounds come from?""",
    "shapes": """\
    # center: "..."        # whose shape is the center?
    # radius: "..."        # what reasons has the radius?""",
}
NO_CENTER = """\
  center: data             # NOT private: before you release, name a public file with one shape, or use
                           # `center: reference_set` with `reference_set: FILE`, a public set; its mean is taken"""


def text(command, population, cap, scans=None, landmarks=None, center=None):
    """The file's text; center : a public landmark file with one shape."""
    branches = [branch for branch, given in (("faces", scans), ("shapes", landmarks)) if given]
    middle = f"  center: {json.dumps(center)}" if center else NO_CENTER
    parts = [
        FIRST.format(people=population, command=command),
        FACES.format(scans=json.dumps(scans)) if scans else "\nfaces: null  # no scans of faces\n",
        SHAPES.format(landmarks=json.dumps(landmarks), center=middle)
        if landmarks
        else "\nshapes: null  # no landmarks\n",
        PRIVACY.format(
            populations=", ".join(f"{branch}: {population}" for branch in branches),
            sources="\n".join(SOURCES[branch] for branch in branches),
            empty="" if scans else " {}",
            caps="\n".join(f"    {branch}: {{mu_total: {cap:g}}}" for branch in branches),
        ),
    ]
    return "".join(parts)


def write(path, population, cap, scans=None, landmarks=None, center=None):
    """Write the file, check it as a run would, and yield what it is about, line by line."""
    path = Path(path)
    if path.exists():
        raise ConfigError(f"{path}: is there already; give another name, or remove it first")
    if not (scans or landmarks):
        raise ConfigError("new: give --scans, --landmarks or both")
    command = f"snakemake --cores all --configfile {path}"
    files.write_text(path, text(command, population, cap, scans, landmarks, center))
    try:
        yield from _about(config.load(path))
    except BaseException:
        path.unlink()
        raise
    yield f"{path} written. Next, without spending anything:"
    yield f"  {command}"


def _about(settings):
    faces, shapes = settings["faces"], settings["shapes"]
    if faces:
        members = populations.find(faces)["faces"]
        yield f"{faces['scans']}: {len(members)} scans of {len({one.person for one in members})} people"
        yield from populations.told_unused(faces)
    if shapes:
        sources.find(shapes)
        yield f"{shapes['landmarks']}: landmarks"
