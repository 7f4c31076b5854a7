"""How far a release lies from the truth: foretold from public numbers, and measured on a cohort (private)."""
