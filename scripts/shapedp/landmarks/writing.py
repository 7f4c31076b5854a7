"""A shape in the formats of landmark files."""


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
