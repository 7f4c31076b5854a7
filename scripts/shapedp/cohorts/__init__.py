"""Whose scans are taken together: populations, their sheets, batches and stacks of curves."""
