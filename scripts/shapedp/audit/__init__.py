"""Attacks on the mechanisms: what an adversary who chooses the records can find out."""
