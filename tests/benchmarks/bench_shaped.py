"""The shaped release of mean faces: error on scanned faces, and speed, beside the joint mechanism and no data at all.

Lengths are root mean square over the points of the curves, in mm, from the cohort's own mean: noise and bias together.
Cohort and public set share no face. `matched_joint` has its bounds from the same public set, about the same reference.
`reference_alone` is the public reference, `sampling` the chance in who takes part.
"""

POPULATIONS = ("ict", "demo")
KERNEL = {"rho": 1.0, "alpha": 1.0, "phi": [0.01, 0.01, 0.005]}
MODES, HARMONICS = 100, 120  # as in config.yaml
GUESSES = {"quantile": 0.95, "shift": 0.35, "novelty": 1.2}
MU = 2.9661
COHORT, PUBLIC, SHIFTED, DEMO = 1, 2, 3, 4  # seeds
SHIFT_MM = 1.5
