"""Built-in demonstration data: faces, scans and outlines made from formulas; no person was measured."""
