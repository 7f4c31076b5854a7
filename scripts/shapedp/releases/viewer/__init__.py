"""The page of a release, and the pages of a review."""
