"""A run of the workflow: its logs, how far it is, and what it used."""
