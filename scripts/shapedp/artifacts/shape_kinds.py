"""The files of the landmark branch, but for what it releases."""

from shapedp.artifacts.declaring import Field, Kind

LANDMARKS = Kind(
    "landmarks",
    2,
    "landmarks as they were read, and what the sheet says of each record",
    False,
    {
        "landmarks": Field(
            "f8", ("n", "k", "d"), "file units", "x, y (and z, d = 3) of each landmark, NaN where missing"
        ),
        "ids": Field("text", ("n",), "", "the records' ids"),
        "persons": Field("text", ("n",), "", "whom each record is of, empty where no sheet says it"),
        "sides": Field("text", ("n",), "", "left or right, empty where no sheet says it"),
        "groups": Field("text", ("n",), "", "the records' groups, empty where no sheet says them"),
        "covariates": Field("text", ("n",), "", "the sheet's further columns, one JSON object a record"),
    },
)
SHAPES = Kind(
    "shapes",
    4,
    "shapes: landmarks centered and scaled to length 1, one row a person",
    False,
    {
        "shapes": Field("f8", ("n", "k", "d"), "1", "x, y (, z) of each landmark; a rejected record holds the center"),
        "log_sizes": Field("f8", ("n",), "log of file units", "logarithm of the centroid size, NaN where rejected"),
        "ok": Field("i1", ("n",), "0 or 1", "0 for a record that was rejected and counts as the center"),
        "reasons": Field("text", ("n",), "", "why a record was rejected, empty where it was not"),
        "ids": Field("text", ("n",), "", "the records' ids"),
        "groups": Field("text", ("n",), "", "the persons' groups, empty where none"),
        "center": Field("f8", ("k", "d"), "1", "p0, the center of the ball of shapes"),
        "ignored": Field("f8", ("i", "k", "d"), "1", "directions at p0 that do not count: sliding, asymmetric"),
        "slid": Field(
            "f8", ("s", "k", "d"), "1", "directions at p0 along which records slid to the least bending energy"
        ),
        "center_source": Field("text", (), "", "where p0 came from"),
        "center_public": Field("i8", (), "0 or 1", "0 if p0 was computed from these records"),
    },
)
MEAN_SHAPE = Kind(
    "mean_shape",
    2,
    "the non-private Fréchet mean of shapes",
    False,
    {
        "mean": Field("f8", ("k", "d"), "1", "the mean shape"),
        "residual": Field("f8", (), "radian", "norm of the gradient at the mean"),
        "distances": Field("f8", ("n",), "radian", "distance of each record to the mean"),
        "center_distances": Field("f8", ("n",), "radian", "distance of each record to p0"),
    },
)
