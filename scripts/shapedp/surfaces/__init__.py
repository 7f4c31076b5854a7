"""From a point cloud to a registered surface: mesh, disk map, surface on the polar grid, registration, curves."""
