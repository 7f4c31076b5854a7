"""People to draw, scans of them, and outlines: a packed model of real people, and drawings made from formulas."""
