"""The files that are learned before a release: bounds, how public faces vary, where registrations err."""

from shapedp.artifacts.declaring import RADIAL_CURVES, Field, Kind

BOUNDS = Kind(
    "bounds",
    2,
    "bounds on how far a person's curves may lie from the reference before they are clipped",
    False,
    {
        "tau": Field("f8", ("J", 3), "1 (unit area)", "largest norm of each curve's x, y, z about the reference"),
        "lower": Field("f8", ("J", 3, "m"), "1 (unit area)", "least coordinate of each point"),
        "upper": Field("f8", ("J", 3, "m"), "1 (unit area)", "largest coordinate of each point"),
        "deviations": Field(
            "f8", ("n", "J", 3), "1 (unit area)", "norms with frequency f weighted by sqrt(1 + f^2), for joint bounds"
        ),
        "reference": Field("f8", ("J", 3, "m"), "1 (unit area)", "the curves that are subtracted first"),
        "quantile": Field("f8", (), "1", "quantile of the population's norms"),
        "margin": Field("f8", (), "1", "factor on that quantile"),
        "source": Field("text", (), "", "where the bounds come from"),
        "public": Field("i8", (), "0 or 1", "0 if they were computed from the private cohort"),
    },
)
CORRESPONDENCE = Kind(
    "correspondence",
    1,
    "where a registration errs on faces of a given shape, learned from public faces in correspondence alone",
    False,
    {
        "surface": Field("f8", ("q",), "1 (unit area)", "mean registered surface on a coarse grid, weighted by area"),
        "axes": Field("f8", ("q", "r"), "1", "principal directions about it, orthonormal"),
        "field": Field("f8", ("K",), "1", "mean error, as coefficients of deformations of the disk"),
        "fields": Field("f8", ("r", "K"), "1", "error for each unit along an axis"),
        "reach": Field("f8", (), "1 (unit area)", "distance from the axes' span beyond which nothing was learned"),
        "source": Field("text", (), "", "the public faces it was learned from"),
        "public": Field("i8", (), "0 or 1", "1: no face of the cohort is among them"),
    },
)
VARIATION = Kind(
    "variation",
    1,
    "how faces vary about the public reference, learned from public people alone",
    False,
    {
        "center": RADIAL_CURVES,
        "modes": Field("f4", ("q", "J", 3, "m"), "1", "principal directions, orthonormal in the mean over the points"),
        "harmonics": Field(
            "f4", ("h", "J", 3, "m"), "1", "smooth functions from slow to fast, orthonormal to the modes and each other"
        ),
        "frequencies": Field("f8", ("h",), "1", "frequency of each harmonic, a zero of J_k'"),
        "mean": Field("f8", ("k",), "1 (unit area)", "coordinates of the public mean"),
        "held_out": Field(
            "f4", ("n", "k"), "1 (unit area)", "coordinates of public people on axes that were learned without them"
        ),
        "outside": Field("f4", ("n",), "1 (unit area)", "mean squared length of what the axes leave of them"),
        "quantile": Field("f8", (), "1", "quantile of public norms at which a person is clipped"),
        "shift": Field(
            "f8", (), "1", "how far a cohort's mean may lie away along modes, as a share of how far people lie"
        ),
        "novelty": Field("f8", (), "1", "the same along harmonics"),
        "source": Field("text", (), "", "the public population it was learned from"),
        "public": Field("i8", (), "0 or 1", "0 if it was learned from the private cohort"),
    },
)
