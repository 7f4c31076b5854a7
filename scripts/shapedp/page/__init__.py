"""The page of a release: one HTML file that needs no network, with a 3-D viewer, the statement and its charts."""
