"""From a scan, a cloud or a mesh, to a triangulated disk."""
