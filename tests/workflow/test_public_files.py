"""Public files of landmarks are inputs of all that reads them: under the same names they may come to hold others."""

import re

import numpy as np
import pytest

from workflow import runs

CENTER, SET, SHEET = "center.npz", "set.npz", "public.csv"
MARKER = "results/private/shown/shapes/change.json"
CHANGE = {"name": "change", "kind": "mean_change", "times": ["pre", "post"], "mechanism": "shaped"}


@pytest.fixture(scope="module")
def inputs_of(tmp_path_factory):
    """{rule: files that it takes} of a run that is planned."""
    folder, outlines = tmp_path_factory.mktemp("public_files"), np.random.default_rng(1).standard_normal((4, 6, 2))
    for name, count in {"records.npz": 4, SET: 4, CENTER: 1}.items():
        np.savez(folder / name, X=outlines[:count], ids=np.array(list("abcd"[:count])))
    for name in ("records.csv", SHEET):
        (folder / name).write_text("id,person,time\na,p,pre\nb,p,post\nc,q,pre\nd,q,post\n")
    named = {"landmarks": "records.npz", "sheet": "records.csv", "persons": "average", "center": CENTER}
    named |= {"reference_set": SET, "reference_sheet": SHEET, "releases": [CHANGE | {"budget": {"mu_total": 1.0}}]}
    settings = runs.tiny({"faces": None, "privacy.people": {"shapes": 2}})
    settings["shapes"] |= named
    rules = runs.snakemake(folder, MARKER, "--filegraph", settings=settings).stdout.split("shape=none")[1:]
    return {
        re.search(r'"18">(\w+)<', rule)[1]: set(re.findall(r">\s*([^<>\s]+)\s*<", rule.split(" output<")[0]))
        for rule in rules
    }


@pytest.mark.parametrize(
    ("rule", "files"),
    {
        "read_shapes": {CENTER, SET, "records.csv"},
        "center_shapes": {CENTER, SET},
        "difference_shapes": {CENTER, SET},
        "forecast_shapes": {SET, SHEET},
        "release_shapes": {SET, SHEET},
    }.items(),
)
def test_what_reads_a_public_file_follows_from_it(inputs_of, rule, files):
    assert files <= inputs_of[rule]
