"""Every tolerance of the tests, with the reason for its size."""

# Demo faces (test_faces.py): left and right take part in one sparse solve, whose rounding is not symmetric.
FACE_ASYMMETRY_MM = 1e-9

# Pictures (figures/test_render.py): a scene and its mirror image differ by rounding alone, at most one 8-bit level.
IMAGE_LEVELS = 1

# Reading scans
SINGLE_PRECISION = 2**-23  # relative: the file holds float32
FOUR_DECIMALS = 1e-4  # mm: the file holds text of four decimals
