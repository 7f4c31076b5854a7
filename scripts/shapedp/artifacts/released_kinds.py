"""The files that are published, noise included."""

from dataclasses import replace

from shapedp.artifacts.declaring import RADIAL_CURVES, Field, Kind

MEAN_FACE = Kind(
    "mean_face",
    2,
    "a released mean face, noise included",
    False,
    {
        "curves": RADIAL_CURVES,
        "noise_sd": Field("f8", ("J", 3), "1 (unit area)", "standard deviation of the noise at each point of a curve"),
        "noise_mm": Field("f8", ("J", "m"), "mm", "how far the noise moves each point, root mean square; public"),
        "noise_draws": Field(
            "f4",
            ("d", "J", 3, "m"),
            "1 (unit area)",
            "what else it could have been: public noise around the release, no releases",
        ),
        "radii": Field("f8", ("J",), "1", "radius of each curve in the disk"),
        "scale": Field("f8", (), "mm", "multiply by this for a face as large as the public template"),
        "settings": Field("text", (), "", "the public settings of the release, as JSON"),
    },
    released=True,
)
_AT_POINT = Field("f4", ("J", "m", 3, 3), "1 (unit area)^2", "covariance of x, y and z at each point: ")
_AT_LANDMARK = replace(_AT_POINT, shape=("k", "d", "d"), unit="1 (unit size)^2")
FACE_MODEL = Kind(
    "face_model",
    1,
    "a released model of faces, noise included: mean, effects of covariates, modes of variation",
    False,
    {
        "reference": Field("f8", ("J", 3, "m"), "1 (unit area)", "the public reference that people were compared with"),
        "curves": Field("f8", ("J", 3, "m"), "1 (unit area)", "the mean face of everybody"),
        "effects": Field(
            "f8",
            ("z", "J", 3, "m"),
            "1 (unit area)",
            "the mean face at the middle of every covariate, then what one unit of each coded covariate adds",
        ),
        "average": Field("f8", ("z",), "1", "mean of z = (1, coded covariates)"),
        "inverse": Field("f8", ("z", "z"), "1", "inverse of the sum of z z'"),
        "moment_noise": Field("f8", (3,), "1", "standard deviation of the noise on entries of the three sums"),
        "noise_unit": replace(_AT_POINT, meaning=_AT_POINT.meaning + "noise of standard deviation 1 on coordinates"),
        "residual": replace(_AT_POINT, meaning=_AT_POINT.meaning + "people about the effects"),
        "modes": Field("f4", ("k", "J", 3, "m"), "1", "directions, length 1 in the mean over the points"),
        "sd": Field("f8", ("k",), "1 (unit area)", "standard deviation of people along each mode, rms over the points"),
        "sd_noise": Field("f8", ("k",), "1 (unit area)", "how far noise moves that standard deviation"),
        "kept": Field("f8", ("k",), "1", "mean cosine between a mode and itself after as much noise once more"),
        "floor": Field("f8", (), "1 (unit area)", "standard deviation that noise alone reaches; public"),
        "shown": Field("i8", (), "count", "modes that stand above the floor; further ones are mostly noise"),
        "radii": Field("f8", ("J",), "1", "radius of each curve in the disk"),
        "scale": Field("f8", (), "mm", "multiply by this for a face as large as the public template"),
        "settings": Field("text", (), "", "the public settings of the release, as JSON"),
    },
    released=True,
)
SHAPE_MODEL = Kind(
    "shape_model",
    1,
    "a released model of shapes, noise included: mean, effects of covariates, modes, as landmarks about the center p0",
    False,
    {
        "reference": Field("f8", ("k", "d"), "1 (unit size)", "p0, the public center"),
        "landmarks": Field("f8", ("k", "d"), "1 (unit size)", "p0 and the mean deviation of everybody"),
        "effects": Field(
            "f8",
            ("z", "k", "d"),
            "1 (unit size)",
            "the mean at the middle of every covariate, then what one unit of each coded covariate adds",
        ),
        **{name: FACE_MODEL.fields[name] for name in ("average", "inverse", "moment_noise")},
        "noise_unit": replace(_AT_LANDMARK, meaning=FACE_MODEL.fields["noise_unit"].meaning),
        "residual": replace(_AT_LANDMARK, meaning=FACE_MODEL.fields["residual"].meaning),
        "modes": Field("f4", ("a", "k", "d"), "1", "directions, length 1 over all landmarks"),
        "sd": Field("f8", ("a",), "radian", "standard deviation of people along each mode"),
        "sd_noise": Field("f8", ("a",), "radian", "how far noise moves that standard deviation"),
        "kept": replace(FACE_MODEL.fields["kept"], shape=("a",)),
        "floor": Field("f8", (), "radian", "standard deviation that noise alone reaches; public"),
        **{name: FACE_MODEL.fields[name] for name in ("shown", "settings")},
    },
    released=True,
)
RELEASED_SHAPE = Kind(
    "released_shape",
    2,
    "a released mean shape, noise included",
    False,
    {
        "landmarks": Field(
            "f8", ("k", "d"), "1 (unit size)", "x, y (and z) of each landmark, centered, turned to the center p0"
        ),
        "center": Field("f8", ("k", "d"), "1 (unit size)", "p0 where it is public, NaN where it came from the records"),
        "size": Field("f8", (), "file units", "centroid size of the mean, noise included; NaN: not released"),
        "noise_covariance": Field("f8", ("k", "d", "d"), "1 (unit size)", "covariance of the noise at each landmark"),
        "noise_radius": Field("f8", (), "radian", "root mean square distance that the noise alone moves the mean"),
        "settings": Field("text", (), "", "the public settings of the release, as JSON"),
    },
    released=True,
)
