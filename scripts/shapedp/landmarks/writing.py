"""A shape in the formats of landmark files."""

R_SCRIPT = """# The released mean shape as geomorph keeps shapes: A, p landmarks x k coordinates x 1 specimen.
# Run it in the folder of the release: source("mean_shape.R")
released <- read.csv("mean_shape.csv")
coordinates <- as.matrix(released[, -1])
A <- array(
  coordinates,
  dim = c(nrow(coordinates), ncol(coordinates), 1),
  dimnames = list(released$landmark, toupper(colnames(coordinates)), "mean_shape")
)
"""


def csv(landmarks):
    """One landmark a row, numbered from 1: (k, 2 or 3)."""
    header = ",".join(["landmark", *"xyz"[: landmarks.shape[1]]])
    return "\n".join([header, *(f"{at},{_row(point, ',')}" for at, point in enumerate(landmarks, start=1))]) + "\n"


def tps(landmarks, name):
    """As tpsDig and geomorph write it: LM= in the plane, LM3= in space."""
    start = f"LM{'3' if landmarks.shape[1] == 3 else ''}={len(landmarks)}"
    return "\n".join([start, *(_row(point, " ") for point in landmarks), f"ID={name}"]) + "\n"


def _row(point, between):
    return between.join(f"{x:.10g}" for x in point)
