"""A surface as the bytes of a file that other programs open."""

UNITS = {".glb": 1e-3}  # of a millimetre: glTF 2.0 wants metres; the others carry no unit and hold mm


def encode(vertices, triangles, ending):
    """Bytes of a `.ply`, `.glb`, `.obj` or `.stl` file; vertices (n, 3) in mm."""
    import trimesh  # late: a second of start for what few steps need

    surface = trimesh.Trimesh(vertices * UNITS.get(ending, 1.0), triangles, process=False)
    data = surface.export(file_type=ending[1:])
    return data.encode("utf-8") if isinstance(data, str) else data
