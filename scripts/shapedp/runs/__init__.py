"""A run of the workflow: its logs, how far it is, what it used, and whether it can be repeated."""
