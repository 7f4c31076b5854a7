"""What may be said of a release: its conditions, its guarantee, its statement in numbers and in words."""
