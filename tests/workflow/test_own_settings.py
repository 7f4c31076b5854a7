"""What is shown is what everyone gets: the demo's scans, under settings of `shapedp new`, give the same bytes."""

import shutil

import pytest
import yaml

from shapedp.base.settings import schema
from shapedp.ledger.population_ledger import PopulationLedger
from workflow import runs

pytestmark = pytest.mark.thorough

SMALL = ("demo", "surface", "registration", "gates", "curves", "variation", "batch_size")  # of the tests' tiny settings
CHANGES = {
    "shapes": None,
    "faces.demo": {"count": 4, "bad": 0, "seed": 7},
    "faces.releases": schema.find_meaning("faces.releases")["demo"],
}


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """(the demo's folder, one's own), each run to the end."""
    demo, own = tmp_path_factory.mktemp("demo"), tmp_path_factory.mktemp("own")
    shown = runs.tiny(CHANGES)
    runs.snakemake(demo, settings=shown)
    shutil.copytree(demo / "data/demo/faces", own / "scans")
    runs.command(own, "shapedp", "new", "my.yaml", "--scans", "scans", "--population", "demo_faces", "--cap", "12")
    mine = yaml.safe_load((own / "my.yaml").read_text(encoding="utf-8"))
    mine["faces"] |= {key: shown["faces"][key] for key in (*SMALL, "releases")}
    mine["faces"]["bounds"]["reference_count"] = shown["faces"]["bounds"]["reference_count"]
    mine["privacy"] |= {"tuned_on": "public", "sources": shown["privacy"]["sources"]}
    (own / "my.yaml").write_text(yaml.safe_dump(mine, sort_keys=False), encoding="utf-8")
    (own / "data/ledger").mkdir(parents=True, mode=0o700)
    shutil.copy(demo / "data/ledger/key", own / "data/ledger/key")  # else no digest of records could be compared
    runs.snakemake(own, file="my.yaml")
    runs.snakemake(own, "release", file="my.yaml")
    return demo, own


@pytest.mark.parametrize("pattern", ["faces/curves/*.h5", "reference/variation.h5", "faces/curves.h5"])
def test_the_same_bytes(both, pattern):
    shown, mine = ({path.name: path.read_bytes() for path in (one / "results/private").glob(pattern)} for one in both)
    assert shown
    assert mine == shown


def test_the_same_request(both):
    shown, mine = (PopulationLedger(folder / "data/ledger", "demo_faces").list_intents() for folder in both)
    assert [one["request"] for one in mine] == [one["request"] for one in shown]
