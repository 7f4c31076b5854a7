"""What a release of shapes takes of the settings' section `privacy`, for tests that call its script."""


def privacy(folder, **changes):
    """A ledger in `folder`, with room for several releases; changes : other values of the section's keys."""
    return {
        "ledger": folder / "ledger",
        "population": {"shapes": "people"},
        "cap": {"shapes": {"mu_total": 12.0}},
        "seed": None,
        "tuned_on": "public",
        "sources": dict.fromkeys(("settings", "center", "radius"), "demo"),
        "statement": {},
        **changes,
    }
