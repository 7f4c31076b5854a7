"""What `shapedp.__init__` gives when it is first used, for editors and checkers of types; a test keeps it true."""

from shapedp import manifolds as manifolds
from shapedp.app.api.estimators import FaceCurves as FaceCurves
from shapedp.app.api.estimators import PrivateFaceModel as PrivateFaceModel
from shapedp.app.api.estimators import PrivateMeanFace as PrivateMeanFace
from shapedp.app.api.estimators import PrivateMeanShape as PrivateMeanShape
from shapedp.app.api.estimators import PrivateShapeModel as PrivateShapeModel
from shapedp.app.api.estimators import learn_variation as learn_variation
from shapedp.app.api.faces import Template as Template
from shapedp.app.api.faces import map_scan as map_scan
from shapedp.app.api.faces import read_scan as read_scan
from shapedp.app.api.planning import audit_mechanisms as audit_mechanisms
from shapedp.app.api.planning import people_needed as people_needed
from shapedp.app.api.planning import plan as plan
from shapedp.app.api.points import private_mean as private_mean
from shapedp.app.api.released import compare as compare
from shapedp.app.api.released import export as export
from shapedp.app.api.released import predict as predict
from shapedp.app.api.released import read_release as read_release
from shapedp.app.api.released import sample as sample
from shapedp.app.api.shapes import mean_shape as mean_shape
from shapedp.app.api.shapes import read_landmarks as read_landmarks
from shapedp.app.api.shapes import read_shapes as read_shapes
from shapedp.app.api.shapes import shape_distance as shape_distance
from shapedp.base import errors as errors

__version__: str
__all__: list[str]
