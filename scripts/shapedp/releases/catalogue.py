"""The mechanisms by branch and name: what each is in words, and its sensitivity when one of n records is replaced."""

from collections import ChainMap

from shapedp.mechanisms import curve_mechanisms, shape_mechanisms
from shapedp.model.mechanism import FaceModel
from shapedp.model.shapes import ShapeModel

STATISTICS = {"faces": ("mean face", "face"), "shapes": ("mean shape", "shape")}
MODEL = FaceModel.name
MECHANISMS = {
    "faces": ChainMap({MODEL: FaceModel}, curve_mechanisms.MECHANISMS),
    "shapes": ChainMap({MODEL: ShapeModel}, shape_mechanisms.MECHANISMS),
}


def statistic(branch, mechanism):
    """(what is released, what a person brought), in words."""
    mean, record = STATISTICS[branch]
    return (f"{record} model" if mechanism == MODEL else mean), record


def words(branch, mechanism):
    """What the mechanism does, in words."""
    return MECHANISMS[branch][mechanism].words


def sensitivity(branch, mechanism):
    """The formula of its sensitivity."""
    return MECHANISMS[branch][mechanism].formula


def everything():
    """(name, class) of all branches; a name may stand for a mechanism in each."""
    return tuple((name, one) for branch in MECHANISMS.values() for name, one in branch.items())
