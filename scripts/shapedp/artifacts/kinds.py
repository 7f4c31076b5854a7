"""Every HDF5 file of the project by its name: each is declared once, in the file of its branch."""

from shapedp.artifacts import face_kinds, public_kinds, released_kinds, shape_kinds
from shapedp.artifacts.declaring import Field, Kind

SIMULATION = Kind(
    "simulation",
    1,
    "replicates of simulated experiments, one record a setting and block of replicates",
    True,
    {
        "experiment": Field("text", (), "", "name of the experiment, as in simulation/plan.py"),
        "setting": Field("text", (), "", "its parameters, as JSON with sorted keys"),
        "block": Field("i8", (), "index", "block of replicates"),
        "methods": Field("text", ("M",), "", "what was measured"),
        "values": Field("f8", ("M", "R"), "see the experiment", "one number a method and replicate"),
    },
)

DECLARED = (face_kinds, public_kinds, shape_kinds, released_kinds)
KINDS = {
    kind.name: kind
    for kind in (*(one for file in DECLARED for one in vars(file).values()), SIMULATION)
    if isinstance(kind, Kind)
}
