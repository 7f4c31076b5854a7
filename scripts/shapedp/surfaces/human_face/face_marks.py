"""Points of a face that somebody marked in its scan: soft constraints of the public model's fit.

A mark says where a landmark of the public model lies in one scan, to a few millimetres. It joins the points of that
scan in the least squares of the fit, so that a mouth or a chin that the shape alone leads astray is held where a person
sees it; what no mark tells stays as it would be. A mark of a name that no landmark has, or far from the scan, is left
out and told. All of this follows from the one record, its own marks and public numbers.
"""

from dataclasses import dataclass

import numpy as np
import scipy

from shapedp.surfaces.human_face.distances import VERTICES
from shapedp.surfaces.registration import alignment, srnf

# The name of a mark in the sheet : the landmark that it marks, and what it is called on a page.
LANDMARKS = {
    "right_eye": ("right exocanthion", "outer corner of the person's right eye"),
    "left_eye": ("left exocanthion", "outer corner of the person's left eye"),
    "right_mouth": ("right cheilion", "corner of the mouth, on the person's right"),
    "left_mouth": ("left cheilion", "corner of the mouth, on the person's left"),
    "chin": ("pogonion", "chin, where it stands out most"),
}
# The mark that a nose tip in the sheet is.
NOSE = "nose"
# Standard deviation, along each axis, by which a mark lies off the landmark that was meant.
OFF_MM = 2.0
# From the scan: a mark that lies farther off belongs to something else, and is left out.
FAR_MM = 12.0
# From where its landmark is registered: a mark that lies farther off is told.
UNHEEDED_MM = 6.0
# Marks, the nose tip among them, that say where a face lies in its scan.
PLACING = 3
# Of a mark, within which it says more of an error than two registrations that disagree.
ABOUT_MM = 30.0


@dataclass(frozen=True)
class FaceMarks:
    """names (k,) of LANDMARKS or NOSE; points (k, 3) of the scan, in its units; words : of marks that are left out"""

    names: tuple[str, ...]
    points: np.ndarray
    words: tuple[str, ...] = ()

    @classmethod
    def from_sheet(cls, marks, nose=None):
        """Return the FaceMarks of a row of the sheet, which hold a registration where a person sees the mouth or the
        chin.

        Those that no landmark is named for are left out, and said in words.

        Parameters
        ----------
        marks : sequence of (name, (3,))
            What the sheet marks, in the scan's units.
        nose : (3,) or None
            The tip of the nose, where somebody marked it.
        """
        known_marks = {name: point for name, point in marks if name in LANDMARKS}
        words = tuple(
            f"the mark '{name}' is none of a face's ({', '.join(LANDMARKS)}), so it is not used"
            for name, _ in marks
            if name not in LANDMARKS
        )
        if known_marks and nose is not None:
            known_marks[NOSE] = nose
        return cls(tuple(known_marks), np.array(list(known_marks.values()), dtype=float).reshape(-1, 3), words)

    @property
    def vertices(self):
        """Return (k,), the numbers of the landmarks' vertices in the public model."""
        landmarks = {NOSE: "pronasale"} | {name: landmark for name, (landmark, _) in LANDMARKS.items()}
        return np.array([VERTICES[landmarks[name]] for name in self.names], dtype=int)

    def near_scan(self, vertices, mm):
        """Return the FaceMarks that lie on a scan, since one far off belongs to something else; those left out are said
        in words.

        mm : of the scan's unit
        """
        away = scipy.spatial.cKDTree(vertices).query(self.points)[0] * mm
        is_near = away <= FAR_MM
        words = [
            f"the mark '{name}' lies {far:.0f} mm from the scan (at most {FAR_MM:g}), so it is not used"
            for name, far, near in zip(self.names, away, is_near, strict=True)
            if not near
        ]
        names = tuple(name for name, near in zip(self.names, is_near, strict=True) if near)
        return FaceMarks(names, self.points[is_near], (*self.words, *words))

    def place(self, template, people):
        """Return the alignment.Place that the marks say a scan has: the public mean's landmarks lie best on them; None
        of too few.
        """
        if len(self.names) < PLACING:
            return None
        _, landmarks = people.landmarks(self.vertices)
        marks_middle, landmarks_middle = self.points.mean(axis=0), landmarks.mean(axis=0)
        own, others = self.points - marks_middle, landmarks - landmarks_middle
        rotation = srnf.best_rotation(others.T @ own)
        growth = float(np.einsum("nc,cd,nd->", others, rotation, own) / (own**2).sum())
        nose = marks_middle + rotation.T @ (template.extent.nose - landmarks_middle) / growth
        return alignment.Place(nose, 1 / growth, rotation)

    def in_template(self, place, template):
        """Return (k, 3), the marks in the template's place and units, the scan lying at a Place."""
        return place.bring(self.points) + template.extent.nose

    def constraint(self, people, place, template):
        """Return the Constraint of a fit of the public model, the scan lying at a Place."""
        basis, mean = people.landmarks(self.vertices)
        return Constraint(basis, mean, self.in_template(place, template), (OFF_MM / people.size) ** -2.0)

    def notices(self, distances):
        """Yield warnings of marks that lie so many mm (k,) from where they are registered, since a mark may be
        misplaced.

        Those on marks that were left out come first.
        """
        yield from self.words
        for name, mm in zip(self.names, distances, strict=True):
            if mm > UNHEEDED_MM:
                yield f"the mark '{name}' lies {mm:.0f} mm from where the face is registered: is it where it should be?"


@dataclass(frozen=True)
class Constraint:
    """Marks as rows of the least squares: basis (k, 3, c) and mean (k, 3) of their landmarks, goals (k, 3) where they
    should lie, all in the template's place; precision : of a mark along an axis
    """

    basis: np.ndarray
    mean: np.ndarray
    goals: np.ndarray
    precision: float

    def normal_equations(self, count):
        """Return what marks add to the least squares of a fit: (matrix (count, count), right side (count,)) of its
        first coefficients.
        """
        rows = self.basis[..., :count].reshape(-1, count)
        return self.precision * rows.T @ rows, self.precision * rows.T @ (self.goals - self.mean).ravel()

    def predict(self, coefficients):
        """Return (k, 3), where a face of these coefficients has the landmarks."""
        return self.mean + self.basis[..., : len(coefficients)] @ coefficients

    def cost(self, coefficients):
        """Return what the marks add to the cost of a face of these coefficients, by which starts are compared."""
        return float(self.precision * ((self.predict(coefficients) - self.goals) ** 2).sum())
