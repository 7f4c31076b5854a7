"""Defaults are read from the one source of the settings."""

import pytest
import yaml

from shapedp.base import settings


def test_a_default_is_what_the_schema_says():
    assert settings.read_default("faces.kernel") == {"rho": 1.0, "alpha": 1.0, "phi": [0.01, 0.01, 0.005]}
    assert settings.read_default("faces.curves.count") == 64


@pytest.mark.parametrize("key", ["faces.curve", "faces.scans"])
def test_what_has_no_default_is_told(key):
    with pytest.raises(KeyError, match=key):
        settings.read_default(key)


def test_a_default_may_be_changed_without_changing_the_next_one():
    settings.read_default("faces.kernel")["phi"].append(1)
    assert len(settings.read_default("faces.kernel")["phi"]) == 3


def test_an_entry_of_releases_has_defaults_of_its_own():
    assert settings.read_default("faces.releases[].modes") == 5
    assert settings.read_default("shapes.releases[].covariates") == {}


def patterns(node):
    """Yield every regular expression of a schema that ends at the end of a text."""
    if isinstance(node, dict):
        if str(node.get("pattern", "")).startswith("^"):
            yield node["pattern"]
        node = node.values()
    for inner in node if isinstance(node, list | type({}.values())) else ():
        yield from patterns(inner)


@pytest.mark.parametrize("name", ["config.schema.yaml", "statement.schema.json"])
def test_no_pattern_takes_a_line_feed_at_the_end(root, name):
    found = list(patterns(yaml.safe_load((root / "workflow/schemas" / name).read_text(encoding="utf-8"))))
    assert len(found) > 5
    assert [one for one in found if one.endswith("$")] == []
