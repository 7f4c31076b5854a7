"""The chain from a scan to its radial curves: its steps, once, for everybody who takes a face through it."""
