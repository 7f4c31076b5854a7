"""Landmarks written as the programs that laboratories use write them: specimens s0, s1, ... of (n, k, d) numbers."""

import json


def rows_of(shape):
    return "".join(" ".join(map(str, point)) + "\n" for point in shape)


def as_tps(shapes):
    return "".join(f"LM={len(shape)}\n{rows_of(shape)}ID=s{i}\n" for i, shape in enumerate(shapes))


def as_morphologika(shapes):
    points = "".join(f"'s{i}\n{rows_of(shape)}" for i, shape in enumerate(shapes))
    names = "".join(f"s{i}\n" for i in range(len(shapes)))
    n, k, d = shapes.shape
    counts = f"[individuals]\n{n}\n[landmarks]\n{k}\n[dimensions]\n{d}\n"
    return f"{counts}[names]\n{names}[rawpoints]\n{points}"


def as_long(shapes):
    rows = [f"s{i},{j},{x},{y}" for i, shape in enumerate(shapes) for j, (x, y) in enumerate(shape)]
    return "id,landmark,x,y\n" + "\n".join(rows)


def as_wide(shapes):
    """As a European spreadsheet writes it: semicolons and decimal commas."""
    rows = [f"s{i};" + ";".join(map(str, shape.ravel())).replace(".", ",") for i, shape in enumerate(shapes)]
    header = "".join(f";x{j + 1};y{j + 1}" for j in range(shapes.shape[1]))
    return f"\ufeffid{header}\n" + "\n".join(rows)


def as_tps3(shapes):
    """geomorph's writeland.tps."""
    return "".join(f"LM3={len(shape)}\n{rows_of(shape)}ID=s{i}\n\n" for i, shape in enumerate(shapes))


def as_tpsdig(shapes):
    """tpsDig 2: images of a folder on Windows, the counter ID=, all but the first point a curve, a scale."""
    return "".join(
        f"LM=1\r\n{rows_of(shape[:1] * 2)}CURVES=1\r\nPOINTS={len(shape) - 1}\r\n{rows_of(shape[1:] * 2)}"
        f"IMAGE=C:\\wings\\s{i}.jpg\r\nID={i}\r\nCOMMENT=left\r\nSCALE=0.5\r\n"
        for i, shape in enumerate(shapes)
    )


def as_nts(shapes):
    """geomorph's multiple specimen format, with labels of the rows."""
    n, k, d = shapes.shape
    labels = " ".join(f"s{i}" for i in range(n))
    return f'"a comment\n1 {n}L {k * d} 0 dim={d}\n{labels}\n' + "".join(rows_of(shape) for shape in shapes)


def as_dta(shapes):
    """IDAV Landmark: a label a line, a landmark a row, a value for what is missing."""
    n, k, d = shapes.shape
    labels = "\n".join(f"s{i}" for i in range(n))
    return f"'Exported\n1 {n}L {k * d} 1 9999 DIM={d}\n\n{labels}\n\n" + "".join(rows_of(s) + "\n" for s in shapes)


def as_morphoj(shapes):
    """MorphoJ's row/column format: the header is not looked at."""
    rows = "".join(f"s{i}\t" + "\t".join(map(str, shape.ravel())) + "\n" for i, shape in enumerate(shapes))
    return "Id\t" + "\t".join(f"RawCoord{i + 1}" for i in range(shapes[0].size)) + "\n" + rows


def as_two_d_array(shapes):
    """geomorph: write.csv(two.d.array(A))."""
    names = [f'"{j + 1}.{axis}"' for j in range(shapes.shape[1]) for axis in "XYZ"[: shapes.shape[2]]]
    rows = "".join(f'"s{i}",' + ",".join(map(str, shape.ravel())) + "\n" for i, shape in enumerate(shapes))
    return '"",' + ",".join(names) + "\n" + rows


def as_r_array(shapes):
    """R: write.csv of a p x k x n array."""
    names = [f'"{axis}.s{i}"' for i in range(len(shapes)) for axis in "XYZ"[: shapes.shape[2]]]
    rows = "".join(f'"{j + 1}",' + ",".join(map(str, shapes[:, j].ravel())) + "\n" for j in range(shapes.shape[1]))
    return '"",' + ",".join(names) + "\n" + rows


def as_shuffled_long(shapes):
    """One landmark a row, each specimen's from the last to the first."""
    axes = ",".join("xyz"[: shapes.shape[2]])
    rows = (
        f"s{i},{j + 1}," + ",".join(map(str, shape[j]))
        for i, shape in enumerate(shapes)
        for j in reversed(range(len(shape)))
    )
    return f"specimen,landmark,{axes}\n" + "\n".join(rows)


def as_xy_names(shapes):
    """MorphoJ's rows under names that say which coordinate is which."""
    k, d = shapes.shape[1:]
    return "\t".join(["ID", *(f"{axis}{j + 1}" for j in range(k) for axis in "xyz"[:d])]) + "\n" + as_morphoj(
        shapes
    ).split("\n", 1)[1]  # fmt: skip


def as_markups(shape):
    """3D Slicer's markups of one specimen."""
    points = [{"label": f"F-{j}", "position": list(point)} for j, point in enumerate(shape)]
    return json.dumps({"markups": [{"type": "Fiducial", "coordinateSystem": "LPS", "controlPoints": points}]})


def as_fcsv(shape):
    """3D Slicer's older list of one specimen, in RAS."""
    columns = "id,x,y,z,ow,ox,oy,oz,vis,sel,lock,label,desc,associatedNodeID"
    head = f"# Markups fiducial file version = 4.10\n# CoordinateSystem = 0\n# columns = {columns}\n"
    return head + "".join(f"{j},{-x},{-y},{z},0,0,0,1,1,1,0,F-{j},,\n" for j, (x, y, z) in enumerate(shape))


def as_morpho_csv(shape):
    """One specimen of the folder that Morpho's read.csv.folder reads."""
    axes = "XYZ"[: shape.shape[1]]
    rows = "".join(f'"L{j}",' + ",".join(map(str, point)) + "\n" for j, point in enumerate(shape))
    return '"",' + ",".join(f'"{axis}"' for axis in axes) + "\n" + rows


def as_semi_markups(shape):
    """SlicerMorph: every second point tagged as a semilandmark."""
    markups = json.loads(as_markups(shape))
    for point in markups["markups"][0]["controlPoints"][::2]:
        point["description"] = "Semi"
    return json.dumps(markups)


def as_pts(shape):
    """Landmark Editor."""
    return f"Version 1.0\n{len(shape)}\n" + "".join(f"S{j:03d} {x} {y} {z}\n" for j, (x, y, z) in enumerate(shape))


def as_plain_matrix(shape):
    """R: write.csv(A[,,i]) of an array without names."""
    rows = "".join(f'"{j + 1}",' + ",".join(map(str, point)) + "\n" for j, point in enumerate(shape))
    return '"",' + ",".join(f'"V{axis + 1}"' for axis in range(shape.shape[1])) + "\n" + rows


COHORTS = [  # (ending, text of many specimens, dimensions)
    (".tps", as_tps, (2,)),
    (".TPS", as_tpsdig, (2,)),
    (".tps", as_tps3, (3,)),
    (".nts", as_nts, (2, 3)),
    (".dta", as_dta, (2, 3)),
    (".txt", as_nts, (2, 3)),
    (".txt", as_tps, (2,)),
    (".txt", as_morphologika, (2, 3)),
    (".txt", as_xy_names, (2, 3)),
    (".csv", as_long, (2,)),
    (".csv", as_shuffled_long, (2, 3)),
    (".csv", as_wide, (2,)),
    (".csv", as_two_d_array, (2, 3)),
    (".csv", as_r_array, (2, 3)),
]
SINGLE = [  # (ending, text of one specimen, dimensions)
    (".mrk.json", as_markups, (3,)),
    (".fcsv", as_fcsv, (3,)),
    (".mrk.json", as_semi_markups, (3,)),
    (".pts", as_pts, (3,)),
    (".csv", as_morpho_csv, (2, 3)),
    (".csv", as_plain_matrix, (2, 3)),
]
ARRAYS = [(0, 1, 2), (1, 2, 0), (0, 2, 1)]  # Python's, R's, and R's as HDF5 turns it
