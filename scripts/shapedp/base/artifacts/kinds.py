"""How an HDF5 file of the project is declared, and every kind of file that there is.

The kinds of private files come first. The last of them hold nobody's data: what is learned from public people, and what
is released.
"""

from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from shapedp.base.errors import ArtifactError


@dataclass(frozen=True)
class Field:
    """One array: dtype, symbolic shape, unit and meaning. `()` is a single number or text.

    earlier : other words that files of this version of their kind were written with, of the same meaning
    later : files of this version of their kind, which has no records, may lack it: some were written before it was
    declared
    """

    dtype: str
    shape: tuple
    unit: str
    meaning: str
    earlier: tuple = ()
    later: bool = False


@dataclass(frozen=True)
class Kind:
    """One sort of file. `records` says whether its fields stand once in each record's group or once in the file.

    released : the file is published, so that it says nothing about the machine that made it
    """

    name: str
    version: int
    meaning: str
    records: bool = False
    fields: dict = field(default_factory=dict)
    released: bool = False

    def with_fields(self, **fields):
        """Return the kind with these fields."""
        return replace(self, fields=fields)

    def with_meanings(self, meanings):
        """Return the kind in the words of an older file, so that this counts as one although a field's meaning is
        worded anew.

        meanings : {field: meaning} as the file has them, each taken where it is an earlier wording of that field
        """
        worded = {
            name: replace(declared, meaning=meanings[name]) if meanings.get(name) in declared.earlier else declared
            for name, declared in self.fields.items()
        }
        return replace(self, fields=worded)

    def with_names(self, names):
        """Return the kind as a file declares it that holds these fields, so that an older file lacks no later one."""
        held = {name: declared for name, declared in self.fields.items() if name in names or not declared.later}
        return replace(self, fields=held)

    def published(self, **fields):
        """Return the kind with these fields and the public settings, as a file that is released."""
        fields["settings"] = _text("the public settings of the release, as JSON")
        return replace(self, fields=fields, released=True)


AREA, SIZE = "1 (unit area)", "1 (unit size)"
_number = partial(Field, "f8", ())
_count, _flag = partial(Field, "i8", (), "count"), partial(Field, "i8", (), "0 or 1")
_text, _texts = partial(Field, "text", (), ""), partial(Field, "text", ("n",), "")


def _declare_curves(meaning, *symbols, dtype="f8"):
    """Return a field of the radial curves of a face, or of as many faces as the symbols count."""
    return Field(dtype, (*symbols, "J", 3, "m"), AREA, meaning)


RADIAL_CURVES = _declare_curves("x, y, z along each radial curve at theta_k = 2 pi k/m")


def match(shape, symbols, sizes, name):
    """Check an array's shape against the declared one, such as (J, 3, m), where one letter must mean one number in a
    record.

    The letters' numbers are entered in `sizes`; a shape in which one letter means two numbers is refused.

    Parameters
    ----------
    shape : tuple of int
        Of the array.
    symbols : tuple
        Its declared shape: numbers, and names of sizes.
    sizes : dict
        {symbol: number} bound so far in the record; new ones are added.
    name : str
        Of the field, for the message.
    """
    is_same_shape = len(shape) == len(symbols) and all(
        size == (sizes.setdefault(symbol, size) if isinstance(symbol, str) else symbol)
        for size, symbol in zip(shape, symbols, strict=True)
    )
    if not is_same_shape:
        raise ArtifactError(f"field '{name}' has shape {shape}, declared as {symbols} with {sizes}")


_SURFACE = Field("f8", ("R", "T", 3), AREA, "f(r_i, theta_k), r_i = (i + 1/2)/(R - 1/2), theta_k = 2 pi k/T")
MESH = Kind("mesh", 5, "a scan as a triangulated disk", records=True).with_fields(
    vertices=Field("f8", ("n", 3), "scan units", "points of the mesh"),
    triangles=Field("i4", ("t", 3), "index", "corners, counter-clockwise seen from outside"),
    scan=_text("digest of the scan file, BLAKE2b-256"),
    points_read=_count("points in the scan file"),
    points_kept=_count("points that became vertices"),
    noise=_number("scan units", "noise of the scan, NaN where its points are too few to tell"),
    smoothing=_number("scan units", "width that noise was smoothed over, 0 where it was not"),
    searched=_flag("1 where the face was looked for in the scan and cut out of it"),
    search_confidence=_number("0..1", "that it lies there and not elsewhere; 1 where it was not looked for"),
    face_nose=Field("f8", (3,), "scan units", "where the search has the center, NaN without one"),
    own_triangles=_flag("1 where the scan's own triangles are kept, 0 where it was meshed"),
    holes_filled=_count("gaps closed that cover .2 % of the area or more"),
    largest_hole=_number("share of area", "largest hole closed"),
    area=_number("scan units squared", "surface area"),
    notices=_text("what a person should know, one sentence a line"),
)
DISK_MAP = Kind("disk_map", 2, "the conformal map of a mesh to the unit disk", records=True).with_fields(
    z=Field("c16", ("n",), "1", "vertex positions in the unit disk, the area's balance at 0"),
    angle_change_mean=_number("degree", "mean change of the triangles' angles"),
    angle_change_max=_number("degree", "largest change of an angle"),
    flips=_count("triangles turned over by the map (always 0)"),
)
DISK = Kind("disk", 2, "a disk map with its chosen center at 0", records=True).with_fields(
    z=Field("c16", ("n",), "1", "vertex positions in the unit disk, the center at 0"),
    nose_tip=Field("i8", (), "index", "vertex of the mesh that lies at 0"),
    nose_method=_text("how the center was found"),
    nose_confidence=_number(
        "0 to 1", "how far the center stands out from the next candidate; 1 where it follows from the edge"
    ),
    nose_moved=_number("1", "how far from 0 the center lay in the disk map"),
    nose_notice=_text("what a person should know about the center"),
)
SURFACE = Kind("surface", 1, "a surface of unit area and centroid 0 on the polar grid", records=True).with_fields(
    f=_SURFACE,
    scale=_number("scan units", "square root of the area that was divided out"),
    centroid=Field("f8", (3,), "scan units", "area-weighted centroid that was subtracted"),
)
REGISTERED = Kind(
    "registered", 8, "a surface aligned to the template by a rotation and a diffeomorphism of the disk", records=True
).with_fields(
    f=_SURFACE,
    rotation=Field("f8", (3, 3), "1", "O, with det O = 1; f = O f_before(gamma)"),
    gamma=Field("f8", ("R", "T", 2), "1", "where each grid point is looked up in the disk"),
    in_scan=Field("f8", (4,), "scan units", "size and centroid of f there: its points are f O size + centroid"),
    energy_before=_number("1", "squared SRNF distance to the template, no alignment"),
    energy_rotation_only=_number("1", "the same after the best rotation"),
    energy_after=_number("1", "the same after rotation and diffeomorphism"),
    min_jacobian=_number("1", "smallest Jacobian of gamma on the checking grid"),
    removed=_number("share of area", "of the scan beyond the common extent, cropped off first"),
    missing=_number("share of area", "of the common extent that the scan lacks, filled in"),
    expected_mm=_number(
        "mm", "mean error to be expected of the public model's fit, or of what is filled in without one"
    ),
    unlike=_number("1", "how unlike public people the face is; 1 where hardly one of them is"),
    error_mm=_number("mm", "mean error that the registration is likely to have; 0 where no public people tell it"),
    error_brow_mm=_number("mm", "the same, of this region alone"),
    error_eyes_mm=_number("mm", "the same, of this region alone"),
    error_nose_mm=_number("mm", "the same, of this region alone"),
    error_mouth_mm=_number("mm", "the same, of this region alone"),
    error_chin_mm=_number("mm", "the same, of this region alone"),
    error_cheeks_mm=_number("mm", "the same, of this region alone"),
    nose_distance=_number(AREA, "from the center found to where the registration has it"),
    jaw_mm=_number(
        "mm", "by which an expression opens the jaw, where it moves farthest; 0 where no expression is seen"
    ),
    smile_mm=_number("mm", "by which an expression draws the mouth's corners up, where it moves farthest"),
    expression_mm=_number("mm", "by which the expression moves the face, root mean square over the extent"),
    tilt_degrees=_number("degrees", "of the face against the nearest axes of its file"),
    expression_notice=_text("words on the expression, if it is worth some"),
    iterations=_count("accepted steps over all levels"),
    converged=_flag("whether the tolerance was reached"),
    registration_notice=_text("what a person should know of it, one sentence a line"),
)
FACE_CURVES = Kind("face_curves", 1, "radial curves of the faces of a batch", records=True).with_fields(
    curves=RADIAL_CURVES
)
TEMPLATE = Kind("template", 7, "the face that all faces are registered to").with_fields(
    f=_SURFACE,
    cloud_f=Field("f8", ("R", "T", 3), AREA, "from its points alone, for clouds; or f"),
    cloud_places=Field("f8", ("R", "T", 2), "1", "where each grid point of f lies in the disk of cloud_f"),
    people_triangles=Field("i8", ("R", "T"), "index", "of the public people's mesh, at each grid point"),
    people_weights=Field("f8", ("R", "T", 3), "1", "of that triangle's corners"),
    people_rotation=Field("f8", (3, 3), "1", "from the public people's frame to the template's"),
    people_size=_number("mm", "of the template's unit among public people; 0 if they are unlike it"),
    people_farther=_number("1", "energy of public people to it, over that to their mean; 0 without them"),
    cloud_people_triangles=Field("i8", ("R", "T"), "index", "the same for the grid of cloud_f"),
    cloud_people_weights=Field("f8", ("R", "T", 3), "1", "of that triangle's corners"),
    people_model=_text("digest of the public people's packed file, BLAKE2b-256"),
    extent=_number(AREA, "radius of the extent about the center of the whole"),
    curves=RADIAL_CURVES,
    radii=Field("f8", ("J",), "1", "radius of each curve in the disk"),
    scale=_number("scan units", "square root of the template's area"),
    public=_flag("0 if the template is a face of the cohort"),
    source=_text("where the template came from"),
)
# Of a subject that is no face: the same file with more in it.
SUBJECT_TEMPLATE = replace(
    TEMPLATE,
    fields=TEMPLATE.fields
    | {
        "subject": _text("what it is, as faces.subject names it"),
        "upright": Field("f8", (3, 3), "1", "rotation from the axes of its file to those of f"),
        "trusts_axes": _flag("1 where shape does not tell the turn, and scans are taken to stand as its file does"),
        "tells_side": _flag("1 where shape tells the side, and a scan whose mirror image fits is refused", later=True),
        "mark_names": _texts("of points that a scan may have marked"),
        "mark_points": Field("f8", ("n", 3), AREA, "where the template has them"),
        "specimens_count": _count("public specimens that the limits below were taken from"),
        "specimens_energy": _number("1", "the most energy left that a surface may have"),
        "specimens_unlike": _number("1", "the most unlikeness that it may have, NaN where nothing says it"),
        "specimens_apart": _number(AREA, "least distance between two of them, root mean square; 0 without them"),
        "specimens_off": _number(AREA, "by how much a displaced template may lie off a surface"),
        "specimens_modes": Field("f8", ("p", 3, "k"), AREA, "displacements that they have, a standard deviation each"),
        "specimens_size": _number("scan units", "median square root of the public specimens' areas, 0 without them"),
    },
)


# Of a template on which settings name points to measure between: the same file with these in it.
LANDMARK_FIELDS = {
    "landmark_names": Field("text", ("l",), "", "of points that are measured between, as faces.landmarks names them"),
    "landmark_points": Field("f8", ("l", 3), AREA, "where the template has them"),
}


def with_landmarks(kind: Kind) -> Kind:
    """Return the kind of a template whose settings name landmarks of its own."""
    return replace(kind, fields=kind.fields | LANDMARK_FIELDS)


# Of a template of a laboratory's own with its own public faces: the same file with these in it.
OWN_FACES_FIELDS = {
    "own_center": Field("f8", ("p", 3), AREA, "mean of own public faces, by which scans are bent; empty of too few"),
    "own_modes": Field("f8", ("p", 3, "k"), AREA, "displacements that they have, a standard deviation each"),
}


def with_own_faces(kind: Kind) -> Kind:
    """Return the kind of a template that own public faces teach how faces lie beside it."""
    return replace(kind, fields=kind.fields | OWN_FACES_FIELDS)


def no_people(shape):
    """Return the fields, all empty, that say of a template on a grid (R, T) that no public people were registered to
    it.
    """
    at = {f"{form}people_triangles": np.zeros(shape, dtype=int) for form in ("", "cloud_")}
    weights = {f"{form}people_weights": np.zeros((*shape, 3)) for form in ("", "cloud_")}
    return at | weights | {"people_rotation": np.eye(3), "people_size": 0.0, "people_farther": 0.0, "people_model": ""}


CURVES = Kind("curves", 1, "radial curves of a cohort, one row a face, rejected faces marked").with_fields(
    curves=_declare_curves("x, y, z along each curve; rejected faces hold 0", "n"),
    ok=Field("i1", ("n",), "0 or 1", "0 for a face that was rejected and counts as the reference"),
    ids=_texts("the faces' ids"),
    groups=_texts("the faces' groups, empty where none"),
    radii=Field("f8", ("J",), "1", "radius of each curve in the disk"),
    template=_text("digest of the template that the faces were registered to"),
)
LOOK = Kind("look", 2, "what a review page shows of each scan of a batch", records=True).with_fields(
    unit=_number("scan units", "length of one step of points and center"),
    middle=Field("f8", (3,), "scan units", "where the middle of points lies in the scan's file"),
    axes=Field("f8", (3, 3), "1", "from points to the scan's file, mirrored where it was: points axes unit + middle"),
    points=Field("i2", ("p", 3), "steps", "some points of the mesh about their middle, or of the scan"),
    nose=Field("i2", ("q", 3), "steps", "the center; none where none was looked for"),
    surface=Field("i2", ("r", "a", 3), "1/20000 (unit area)", "rings and angles of the surface"),
    energy=_number("1", "energy after registration; NaN where there is none"),
    confidence=_number("0 to 1", "of the center; NaN where none was looked for"),
    turned=_flag("1 where all stands as the template stands, 0 as it was scanned"),
    notices=_text("what a person should know, one sentence a line"),
    reason=_text("the step that rejected the face, and why; empty where none did"),
)
LANDMARKS = Kind(
    "landmarks", 3, "landmarks as they were read, right sides mirrored, and what the sheet says of each record"
).with_fields(
    landmarks=Field("f8", ("n", "k", "d"), "file units", "x, y (and z, d = 3) of each landmark, NaN where missing"),
    ids=_texts("the records' ids"),
    persons=_texts("whom each record is of, empty where no sheet says it"),
    faults=_texts("why landmarks that the file has count as missing, empty where none do"),
    groups=_texts("the records' groups, empty where no sheet says them"),
    covariates=_texts("the sheet's further columns, one JSON object a record"),
)
SHAPES = Kind("shapes", 4, "shapes: landmarks centered and scaled to length 1, one row a person").with_fields(
    shapes=Field("f8", ("n", "k", "d"), "1", "x, y (, z) of each landmark; a rejected record holds the center"),
    log_sizes=Field("f8", ("n",), "log of file units", "logarithm of the centroid size, NaN where rejected"),
    ok=Field("i1", ("n",), "0 or 1", "0 for a record that was rejected and counts as the center"),
    reasons=_texts("why a record was rejected, empty where it was not"),
    ids=_texts("the records' ids"),
    groups=_texts("the persons' groups, empty where none"),
    center=Field("f8", ("k", "d"), "1", "p0, the center of the ball of shapes"),
    ignored=Field("f8", ("i", "k", "d"), "1", "directions at p0 that do not count: sliding, asymmetric"),
    slid=Field("f8", ("s", "k", "d"), "1", "directions at p0 along which records slid to the least bending energy"),
    center_source=_text("where p0 came from"),
    center_public=_flag("0 if p0 was computed from these records"),
)
MEAN_SHAPE = Kind("mean_shape", 2, "the non-private Fréchet mean of shapes").with_fields(
    mean=Field("f8", ("k", "d"), "1", "the mean shape"),
    residual=_number("radian", "norm of the gradient at the mean"),
    distances=Field("f8", ("n",), "radian", "distance of each record to the mean"),
    center_distances=Field("f8", ("n",), "radian", "distance of each record to p0"),
)
SIMULATION = Kind(
    "simulation", 1, "replicates of simulated experiments, one record a setting and block of replicates", records=True
).with_fields(
    experiment=_text("name of the experiment, as in reproduction/experiments.py"),
    setting=_text("its parameters, as JSON with sorted keys"),
    block=Field("i8", (), "index", "block of replicates"),
    methods=Field("text", ("M",), "", "what was measured"),
    values=Field("f8", ("M", "R"), "see the experiment", "one number a method and replicate"),
)
BOUNDS = Kind(
    "bounds", 2, "bounds on how far a person's curves may lie from the reference before they are clipped"
).with_fields(
    tau=Field("f8", ("J", 3), AREA, "largest norm of each curve's x, y, z about the reference"),
    lower=_declare_curves("least coordinate of each point"),
    upper=_declare_curves("largest coordinate of each point"),
    deviations=Field("f8", ("n", "J", 3), AREA, "norms with frequency f weighted by sqrt(1 + f^2), for joint bounds"),
    reference=_declare_curves("the curves that are subtracted first"),
    quantile=_number("1", "quantile of the population's norms"),
    margin=_number("1", "factor on that quantile"),
    source=_text("where the bounds come from"),
    public=_flag("0 if they were computed from the private cohort"),
)
VARIATION = Kind(
    "variation", 2, "how faces vary about the public reference, learned from public people alone"
).with_fields(
    center=RADIAL_CURVES,
    modes=Field("f4", ("q", "J", 3, "m"), "1", "principal directions, orthonormal in the mean over the points"),
    harmonics=Field(
        "f4", ("h", "J", 3, "m"), "1", "smooth functions from slow to fast, orthonormal to the modes and each other"
    ),
    frequencies=Field("f8", ("h",), "1", "frequency of each harmonic, a zero of J_k'"),
    mean=Field("f8", ("k",), AREA, "coordinates of the public mean"),
    held_out=Field("f4", ("n", "k"), AREA, "coordinates of public people on axes that were learned without them"),
    outside=Field("f4", ("n",), AREA, "mean squared length of what the axes leave of them"),
    quantile=_number("1", "quantile of public norms at which a person is clipped"),
    assumed_mean_shift=_number(
        "1", "how far a cohort's mean may lie away along modes, as a share of how far people lie"
    ),
    assumed_shift_outside_modes=_number("1", "the same along harmonics"),
    source=_text("the public population it was learned from"),
    public=_flag("0 if it was learned from the private cohort"),
)


def _at_points(meaning, *symbols, later=False):
    """Return a field of covariances at each point of a face, for each of the rows that the symbols count."""
    shape, words = (*symbols, "J", "m", 3, 3), f"covariance of x, y and z at each point: {meaning}"
    return Field("f4", shape, "1 (unit area)^2", words, later=later)


_OUTSIDE = _at_points("public people beyond the coordinates that are released; public")
_OUTSIDE_WORDS = "what the released directions cannot show of a mean as far off as settings say, rms; public"
_OF_SPREAD = "standard deviation of the noise on the square of that, the mean's with the squares', at the bound as set"
_MODE_NOISE = "how far noise moves that standard deviation"
_MODE_ERROR = (
    "by how much that standard deviation errs: noise, chance in who took part, and what the clip may have taken, where "
    "people differ as public ones do"
)
_EFFECTS = "at the middle of every covariate, then what one unit of each coded covariate adds"
# At the end of every release of faces.
_SIZED = {
    "radii": Field("f8", ("J",), "1", "radius of each curve in the disk"),
    "scale": _number("mm", "multiply by this for a face as large as the public template"),
}
DRAWN = Kind(
    "drawn",
    1,
    "what was drawn, noise included, before corrections and shrinkage: from it all else of a release follows",
).published(
    values=Field(
        "f8",
        ("k",),
        "1 (unit area) or radian",
        "the noised answer; a mean's along orthonormal axes; of a change or asymmetry what its answers tell together",
    ),
    noise=Field("f8", ("k",), "as values", "standard deviation of the noise on each"),
    spread=Field("f8", ("k",), "as values, squared", "public variance of a person's values, NaN for none"),
    asked_first=Field("f8", ("s",), "1", "noised answers before it; of a change or an asymmetry all answers"),
    axes=Field("f4", ("a", "p"), "1", "what one of each value leads to, or of a model's coordinate; of shapes"),
    public=Field(
        "u1",
        (32,),
        "",
        "mark of the public template, variation and axes, alike on every processor; once a SHA-256",
        ("SHA-256 of the public template, variation and axes",),
    ),
)
HETEROGENEITY = Kind(
    "heterogeneity",
    1,
    "how far the sources of a pooled release differ at each point, beside what noise and chance in who took part give",
).published(
    ratio=Field("f8", ("J", "m"), "1", "Cochran's Q of a point over what is expected where sources are alike"),
    q=_number("1", "Cochran's Q over all axes"),
    degrees=_number("1", "what Q is expected to be where sources are alike"),
    weights=Field("f8", ("l",), "1", "of each source"),
)
MEAN_FACE = Kind("mean_face", 2, "a released mean face, noise included").published(
    curves=RADIAL_CURVES,
    noise_sd=Field(
        "f8",
        ("J", 3),
        AREA,
        "standard deviation of what is left of the noise, and of what it hides, at each point of a curve",
    ),
    noise_mm=Field("f8", ("J", "m"), "mm", "how far that moves each point, root mean square; public"),
    noise_draws=_declare_curves(
        "what else it could have been: public noise around the release, no releases", "d", dtype="f4"
    ),
    **_SIZED,
)
FACE_MODEL = Kind(
    "face_model", 4, "a released model of faces, noise included: mean, effects of covariates, modes of variation"
).published(
    reference=_declare_curves("the public reference that people were compared with"),
    curves=_declare_curves("the mean face of everybody"),
    effects=_declare_curves(f"the mean face {_EFFECTS}", "z"),
    effects_drawn=_declare_curves("the same before any noise was taken off the effects", "z"),
    average=Field("f8", ("z",), "1", "mean of z = (1, coded covariates)"),
    inverse=Field("f8", ("z", "z"), "1", "inverse of the sum of z z'"),
    moment_noise=Field("f8", (3,), "1", "standard deviation of the noise on entries of the three sums"),
    noise_parts=_at_points(
        "what is left of the noise on the first sum, by way of the mean of everybody (0) and of each effect "
        "(1, ...), of every two of them",
        "z",
        "z",
    ),
    second_parts=_at_points(
        "what is left of the noise on the second sum, as of `noise_parts`; in older files it follows from the effects",
        "z",
        "z",
        later=True,
    ),
    chance_parts=_at_points(
        "what is left of chance in who took part, as of `noise_parts`; in older files it is that of all effects as "
        "drawn",
        "z",
        "z",
        later=True,
    ),
    residual=_at_points("people about the effects"),
    outside=_OUTSIDE,
    modes=Field("f4", ("k", "J", 3, "m"), "1", "directions, length 1 in the mean over the points"),
    sd=Field("f8", ("k",), AREA, "standard deviation of people along each mode, rms over the points"),
    sd_noise=Field("f8", ("k",), AREA, _MODE_ERROR, (_MODE_NOISE,)),
    kept=Field("f8", ("k",), "1", "mean cosine between a mode and itself after as much noise once more"),
    floor=_number(AREA, "standard deviation that noise alone reaches"),
    coordinates=Field("f8", ("z", "l"), AREA, "of effects along the leading public axes, without the template"),
    coordinate_unit=Field("f8", ("l",), AREA, "length on each axis of a coordinate of 1; public", later=True),
    coordinate_noise=Field(
        "f8",
        ("l",),
        AREA,
        "length on each axis of noise of standard deviation 1 on the mean, with what the clip leaves unsure of it",
        ("length on each axis of noise of standard deviation 1",),
    ),
    coordinate_residual=Field(
        "f8", ("l", "l"), "1 (unit area)^2", "covariance of people about the effects on these axes, noised"
    ),
    people=_count("how many took part; public"),
    axes=_text("digest of these axes: releases with the same ones can be compared as a whole"),
    shown=_count("modes that stand above the floor; further ones are mostly noise"),
    **_SIZED,
)
_BETWEEN = ("l", 3, "l", 3)
AT_LANDMARKS = Kind(
    "at_landmarks", 1, "what a released model of faces knows at landmarks: how its axes move them, and what is public"
).published(
    names=Field("text", ("l",), "", "of the landmarks; public"),
    weights=Field("f4", ("l", "J", "m"), "1", "what each point of a face counts at each landmark; public"),
    axes=Field("f4", ("q", "l", 3), "1", "how far one of a coordinate along each released axis moves each; public"),
    unit=Field("f8", ("q",), AREA, "length on each axis of noise of standard deviation 1; public"),
    spread=Field("f8", ("q",), "1 (unit area)^2", "variance of public people along each axis; public"),
    left=Field(
        "f8", ("z", "z", "q"), "1 (unit area)^2", "covariance of what is left of the noise, as of `noise_parts`"
    ),
    errors=Field(
        "f8",
        ("z", "z", "q"),
        "1 (unit area)^2",
        "covariance of what the mean of everybody (0) and the effects are expected to err by, with chance",
    ),
    public=Field("f4", _BETWEEN, "1 (unit area)^2", "covariance of public people; public"),
    public_leading=Field("f8", ("k", "k"), "1 (unit area)^2", "of public people along the leading axes; public"),
    outside=Field("f4", _BETWEEN, "1 (unit area)^2", "covariance of public people beyond the axes; public"),
    missing=Field("f4", _BETWEEN, "1 (unit area)^2", "expected there of the mean of as many people; public"),
    kept_by_clip=_number("1", "share of public people's squared lengths that the clip leaves; public"),
)
MEAN_AT_LANDMARKS = Kind(
    "mean_at_landmarks",
    1,
    "what a released mean face knows at landmarks: how its error goes together, and what is public",
).published(
    names=Field("text", ("l",), "", "of the landmarks; public"),
    weights=Field("f4", ("l", "J", "m"), "1", "what each point of a face counts at each landmark; public"),
    noise=Field("f4", _BETWEEN, "1 (unit area)^2", "covariance of what the mean errs by: noise, and what it lacks"),
    chance=Field("f4", _BETWEEN, "1 (unit area)^2", "of chance in who took part, were people as public ones; public"),
    public=Field("f4", _BETWEEN, "1 (unit area)^2", "of public people; public"),
)
FACE_CHANGE = Kind(
    "face_change", 2, "a released mean change or asymmetry of faces, noise included, as the template with it added"
).published(
    reference=_declare_curves("the public template, which stands for no difference"),
    curves=_declare_curves("the template with the mean difference added"),
    noise_covariance=_at_points("the noise for privacy"),
    sampling_covariance=_at_points("chance in who took part, as the released spread tells it"),
    noise_mm=Field("f8", ("J", "m"), "mm", "how far the noise moves each point, root mean square; public"),
    spread_mm=_number("mm", "how far a person lies from the mean difference, rms at a point, noised"),
    spread_noise_mm2=_number("mm^2", _OF_SPREAD),
    outside_mm=_number("mm", _OUTSIDE_WORDS),
    people=_count("people in the frame who have what the release is of; public"),
    **_SIZED,
)
GROWTH = Kind(
    "growth",
    2,
    "a released curve of faces over age, noise included: coefficients of functions of age, spread by band of age",
).published(
    reference=_declare_curves("the public reference that people were compared with"),
    curves=_declare_curves("the mean face over even ages, of both levels alike"),
    knots=Field("f8", ("s",), "years", "of the splines; the first and the last are the range of ages; public"),
    degree=_count("of the splines that bands of age are sums of; public"),
    directions=_declare_curves("what one of each coordinate adds; public", "q", dtype="f4"),
    coefficients=Field("f8", ("z", "q"), "1", "of the mean coordinates, for each function of age and level"),
    covariances=Field("f4", ("q", "z", "z"), "1", "of what is not known of coefficients, fitted or not"),
    spread=Field("f4", ("b", "q", "q"), "1", "covariance of people's coordinates about the mean, by band of age"),
    outside=_OUTSIDE,
    unseen=Field(
        "f8", ("J", 3, "m"), "1 (unit area)^2", "variance of the mean's coordinates by what is not released", later=True
    ),
    landmarks=Field("f4", ("l", "J", "m"), "1", "what each point counts at each landmark, NaN: it is off; public"),
    people=_count("how many took part; public"),
    **_SIZED,
)
SHAPE_MODEL = Kind(
    "shape_model",
    5,
    "a released model of shapes, noise included: mean, effects of covariates, modes, as landmarks about the center p0",
).published(
    reference=Field("f8", ("k", "d"), SIZE, "p0, the public center"),
    landmarks=Field("f8", ("k", "d"), SIZE, "p0 and the mean deviation of everybody"),
    effects=Field("f8", ("z", "k", "d"), SIZE, f"the mean {_EFFECTS}"),
    **{name: FACE_MODEL.fields[name] for name in ("average", "inverse", "moment_noise")},
    noise_parts=replace(FACE_MODEL.fields["noise_parts"], shape=("z", "z", "k", "d", "d"), unit="1 (unit size)^2"),
    residual=replace(FACE_MODEL.fields["residual"], shape=("k", "d", "d"), unit="1 (unit size)^2"),
    beyond=Field(
        "f4",
        ("k", "d", "d"),
        "1 (unit size)^2",
        "covariance at a landmark of how public people differ outside the released axes, for each unit of "
        "their squared length along these; public",
    ),
    modes=Field("f4", ("a", "k", "d"), "1", "directions, length 1 over all landmarks"),
    sd=Field("f8", ("a",), "radian", "standard deviation of people along each mode"),
    sd_noise=Field("f8", ("a",), "radian", _MODE_ERROR, (_MODE_NOISE,)),
    kept=replace(FACE_MODEL.fields["kept"], shape=("a",)),
    floor=_number("radian", "standard deviation that noise alone reaches"),
    **{
        name: replace(FACE_MODEL.fields[name], unit=FACE_MODEL.fields[name].unit.replace("area", "size"))
        for name in ("coordinates", "coordinate_unit", "coordinate_noise", "coordinate_residual")
    },
    **{name: FACE_MODEL.fields[name] for name in ("axes", "people", "shown")},
    coordinate_covariance=Field(
        "f8",
        ("l", "l"),
        "1 (unit size)^2",
        "covariance of everybody about the mean on the leading axes, noised",
        later=True,
    ),
    kept_by_clip=replace(AT_LANDMARKS.fields["kept_by_clip"], later=True),
    unclipped_share=replace(
        _number("1", "share of public people's squared lengths that those have whom the clip leaves; public"),
        later=True,
    ),
    public_people=replace(_count("public people who tell how people vary, 0 for none; public"), later=True),
    outside_axes=Field(
        "f4",
        ("o", "k", "d"),
        "1",
        "directions outside the released axes in which public people differ most, of length 1; public",
        later=True,
    ),
    public_covariance=Field(
        "f8",
        ("s", "s"),
        "1 (unit size)^2",
        "covariance of public people along the released axes, then outside_axes, empty where there are none; public",
        later=True,
    ),
    public_at_size=Field(
        "f8",
        ("e", "e"),
        "1 (unit size)^2",
        "covariance of public people of one size, as public_covariance, empty where it is not known; public",
        ("covariance of public people of one size along the leading axes, empty where it is not known; public",),
        later=True,
    ),
    public_mean=Field(
        "f8",
        ("h",),
        "1 (unit size)",
        "mean of public people along the released axes, empty where there are none; public",
        later=True,
    ),
    public_by_size=Field(
        "f8",
        ("i",),
        "1 (unit size)",
        "how far public people move along the released axes for one of log size, empty where it is not known; public",
        later=True,
    ),
)
SHAPE_CHANGE = Kind(
    "shape_change", 2, "a released mean change or asymmetry of shapes, noise included, as the center with it added"
).published(
    reference=Field("f8", ("k", "d"), SIZE, "p0, the public center, which stands for no difference"),
    landmarks=Field("f8", ("k", "d"), SIZE, "p0 with the mean difference added"),
    noise_covariance=Field("f8", ("k", "d", "d"), "1 (unit size)^2", "of the noise at each landmark"),
    sampling_covariance=Field(
        "f8", ("k", "d", "d"), "1 (unit size)^2", "of chance in who took part, as the released spread tells it"
    ),
    spread=_number("radian", "how far a person lies from the mean difference, rms, noised"),
    spread_noise=_number("radian^2", _OF_SPREAD),
    outside=_number("radian", _OUTSIDE_WORDS),
    people=_count("people in the frame who have what the release is of; public"),
)
RELEASED_POINT = Kind("released_point", 1, "a released mean of points of a manifold, noise included").published(
    point=Field("f8", ("m",), "1", "numbers of the mean, in the order of its array; of complex ones the real parts"),
    point_imaginary=Field("f8", ("m",), "1", "imaginary parts, 0 of a real manifold"),
    center=Field("f8", ("m",), "1", "the public center, as `point`"),
    center_imaginary=Field("f8", ("m",), "1", "imaginary parts of the center"),
    coordinates=Field("f8", ("q",), "distance on the manifold", "the mean in an orthonormal basis at the center"),
    noise_sd=_number("distance on the manifold", "standard deviation of the noise on each coordinate"),
    shape=Field("i8", ("a",), "count", "shape of the array that is one point"),
)
RELEASED_SHAPE = Kind("released_shape", 3, "a released mean shape, noise included").published(
    landmarks=Field("f8", ("k", "d"), SIZE, "x, y (and z) of each landmark, centered, turned to the center p0"),
    center=Field("f8", ("k", "d"), SIZE, "p0 where it is public, NaN where it came from the records"),
    size=_number("file units", "geometric mean of people's centroid sizes, noise included; NaN: not released"),
    size_noise=_number("file units", "standard deviation of the noise of that size"),
    noise_covariance=Field("f8", ("k", "d", "d"), SIZE, "covariance at each landmark of what `noise_radius` counts"),
    noise_radius=_number(
        "radian",
        "expected distance to the cohort's own mean: noise, what is not released, what the clip takes",
        ("root mean square distance by which noise, and doubt of what the clip took, move it",),
    ),
)
