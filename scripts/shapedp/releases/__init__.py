"""What may be said of a release, what is recorded of it, and how it is made public."""
