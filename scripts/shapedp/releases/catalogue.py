"""The mechanisms by name: what each is in words, and its sensitivity when one of n records is replaced."""

FACES = {
    "matched_joint": (
        "Gaussian noise on the whole mean face at once, then the public smoothing filter",
        "2 tau/n for the whole face in the norm sqrt(sum over blocks of (w |x|)^2), records clipped to tau; |x|^2 "
        "counts the power at frequency f sqrt(1 + f^2) times, or once where tau is given as numbers",
    ),
    "matched": (
        "Gaussian noise on each coordinate of each mean curve, then the public smoothing filter",
        "2 tau/n for each block, records clipped to tau; blocks compose in quadrature",
    ),
    "rkhs": (
        "Gaussian-process noise on each smoothed mean curve, scaled to the exact sensitivity in the kernel's norm",
        "(2 tau/n) max over k of sqrt(lambda_k)/(lambda_k + phi) for each block; blocks compose in quadrature",
    ),
    "rkhs_paper": (
        "Gaussian-process noise on each smoothed mean curve, scaled as in the paper",
        "2 tau/(n sqrt(phi)) for each block, at least twice the exact one; blocks compose in quadrature",
    ),
    "pointwise": (
        "Gaussian noise on each coordinate of each point",
        "range/n for each coordinate, records clamped to the range; coordinates compose in quadrature",
    ),
    "pointwise_literal": (
        "Gaussian noise on each coordinate of each point, n times as large as needed, as printed in the paper",
        "range for each coordinate, n times the exact one; coordinates compose in quadrature",
    ),
}
SHAPES = {
    "gaussian": (
        "Gaussian noise on the mean of the shapes' coordinates in the flat space tangent to shape space at the center",
        "2 r/n, records clipped to the ball of radius r",
    ),
    "laplace": (
        "Laplace noise on shape space around the Frechet mean, drawn exactly",
        "(2 r/n) (s/sin s)/h(2 r), s = 2 r sqrt(kappa), plus 2 delta/h(2 r) for the solver",
    ),
    "kng": (
        "the K-norm gradient mechanism on shape space, drawn exactly by rejection",
        "(2 r/n) s/sin s for the gradient, s = 2 r sqrt(kappa); the noise scale has a factor 2 for the normaliser",
    ),
    "kng_mcmc": (
        "the K-norm gradient mechanism on shape space, approximated by a Markov chain",
        "(2 r/n) s/sin s for the gradient, s = 2 r sqrt(kappa); the noise scale has a factor 2 for the normaliser",
    ),
    "pointwise_laplace": (
        "Laplace noise on each coordinate of each landmark, shapes aligned to the public center",
        "2 r_j/n for each coordinate, records clamped to the range; coordinates compose by summing epsilon",
    ),
    "pointwise_laplace_aligned": (
        "Laplace noise on each coordinate of each landmark as published, shapes aligned to their mean",
        "2 r_j/n for each coordinate, with ranges from the data",
    ),
    "pointwise_laplace_unaligned": (
        "Laplace noise on each coordinate of each landmark as published, shapes not aligned",
        "2 r_j/n for each coordinate, with ranges from the data",
    ),
    "euclidean_laplace": (
        "Laplace noise in the surrounding flat space on the mean of the embedded shapes, projected back",
        "2 r_E/n, r_E the radius of the ball in the surrounding space",
    ),
}
STATISTICS = {"faces": ("mean face", "face"), "shapes": ("mean shape", "shape")}
MECHANISMS = {"faces": FACES, "shapes": SHAPES}


def words(branch, mechanism):
    """What the mechanism does, in words."""
    return MECHANISMS[branch][mechanism][0]


def sensitivity(branch, mechanism):
    """The formula of its sensitivity."""
    return MECHANISMS[branch][mechanism][1]
