"""Suffixes of the scans that are read, and the format that each stands for where a file's first bytes do not say it."""

_NAMED = ("ply", "obj", "stl", "off", "npy", "npz", "mat", "pcd", "glb", "gltf", "wrl", "x3d", "dae", "3ds")
SUFFIXES = {
    **{f".{name}": name for name in _NAMED},
    **dict.fromkeys((".xyz", ".txt", ".csv", ".tsv", ".asc", ".pts", ".dat"), "table"),
}
