"""From a triangulated disk to the unit disk: the conformal map, and which point lies at its center."""
