"""Means of points of a manifold, which `shapedp.private_mean` releases; no settings file asks for them."""

from shapedp.releases.kinds.kind import ReleaseKind


class MeanPoint(ReleaseKind):
    """The mean of people's points of one manifold."""

    branch, name, file, artifact_name = "points", "mean_point", "mean_point.h5", "released_point"
    statistic, record = "mean point", "point"
    is_mean = True


KINDS = (MeanPoint(),)
