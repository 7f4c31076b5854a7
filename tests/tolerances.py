"""Every tolerance of the tests, with the reason for its size."""

# Demo faces (test_faces.py): left and right take part in one sparse solve, whose rounding is not symmetric.
FACE_ASYMMETRY_MM = 1e-9

# Pictures (figures/test_render.py): a scene and its mirror image differ by rounding alone, at most one 8-bit level.
IMAGE_LEVELS = 1

# Reading scans
SINGLE_PRECISION = 2**-23  # relative: the file holds float32
FOUR_DECIMALS = 1e-4  # mm: the file holds text of four decimals

# Manifolds and their mechanisms.
ROUND_TRIP = 1e-12  # exp and log within 0.9 of the injectivity radius: sin t > 0.3, condition numbers below 20
DISTANCE = 1e-15  # distances of points 1e-9 apart or 1e-9 from the cut locus: a few roundings of coordinates <= 1
CURVATURE = 2e-3  # read off triangles of side 1e-2: the next term is of order t² K² < 2e-3
JACOBIAN = 1e-6  # central differences of step 1e-5: rounding 1e-16 / 1e-5, truncation 1e-10
ON_THE_EDGE = 1e-11  # points moved to a ball's boundary stay a relative 1e-12 inside it
GEOMSTATS = 1e-7  # geomstats uses arccos for distances and an SVD for rotations: half the digits

# Mechanisms for curves
EIGENVALUES = 1e-14  # eigenvalues are at most 1; FFT and LAPACK agree to a few units in the last place

# Surfaces
MAP_POSITION_24_RINGS = 6e-4  # rms error of the disk map at 1,801 points; falls by 4 with each doubling of the rings
ELIMINATION = 1e-12  # sparse and dense elimination of some hundred vertices, weights and values of order 1
RIGID_MOTION = 1e-9  # a turned and scaled mesh gives other roundings, amplified by the condition of the boundary solve
SMOOTHED_AREA = 2e-3  # normals of a unit sphere, averaged over .02, lose .0002 of their length, more at a rim
KERNEL = 2e-9  # relative: a heat kernel leaves out weights below 1e-9
QUADRATURE = 1e-6  # trapezium rule with 4,000 steps on slopes that change by less than one

# Release contract: dp-accounting discretises the privacy loss in steps of 1e-4 and rounds up
ACCOUNTANT = 1e-3

# Registration of surfaces
ORDER_SLACK = 0.5  # an observed order of convergence, from three grids, against the expected one
ORTHONORMAL = 1e-8  # Bessel functions by quadrature; the figure
GRID_SUM = 2e-5  # end-corrected rule with 64 rings on products of the first 30 fields
ON_THE_CIRCLE = 1e-12  # the boundary is renormalised after each interpolation
FINITE_DIFFERENCE = 1e-6  # derivatives of smooth fields against differences of fourth order, relative

# Simulated mean faces
UNIT_FACE = 1e-9  # area, centroid, angle and curves of a face of size 1, sums over 14,000 triangles, two roads
SIMULATED_SE = 4  # standard errors; seeded, and one in 16,000 seeds would fail by chance
PARSEVAL = 1e-9  # the same sum of squares over points and over Fourier coefficients, relative
