"""A template in two forms, so that each scan meets one like itself: a mesh its triangles, a cloud a mesh of its points.

Against a form unlike itself a scan is registered worse where no public model is fitted to it; with one, the forms
differ by hundredths of a mm (docs, `first_release_scans.md`). The form for clouds is the template as a scanner would
leave it, points spread evenly over it, without its triangles. Both forms are the same surface, so all registrations end
on one grid: that of the mesh, whose lids and lips are those of the template itself. The built-in templates are meshes:
the mean of real people as far as any scan of a face goes, and the formula's.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from shapedp.base.errors import Rejected
from shapedp.surfaces.human_face import likeness, own_faces
from shapedp.surfaces.registration import alignment, disk_transfer


@dataclass(frozen=True, eq=False)
class TemplateForms:
    """f, clouds_f : (R, T, 3) the form that meshes meet and the one that clouds meet, each of unit area on its own grid
    places : (R, T, 2) where the grid of the meshes' form lies in the disk of the clouds'
    people, clouds_people : public_people.People of each form, or None; options : of the registration
    own : own_faces.OwnFaces of the meshes' form, by which faces are bent, or None where no own public faces teach it

    A form is prepared when the first scan of its kind comes.
    """

    f: np.ndarray
    clouds_f: np.ndarray
    places: np.ndarray
    people: object
    clouds_people: object
    options: object
    own: object = None

    @cached_property
    def mesh_template(self):
        """Return the alignment.Template that meshes meet."""
        return alignment.Template(self.f, self.options, self.people.size if self.people else 0.0)

    @cached_property
    def cloud_template(self):
        """Return the alignment.Template that clouds meet: the same object as meshes' where there is one form only."""
        if np.array_equal(self.f, self.clouds_f):
            return self.mesh_template
        return alignment.Template(self.clouds_f, self.options, self.mesh_template.size)

    @property
    def shape(self):
        """Return (R, T) of the grid."""
        return self.places.shape[:2]

    def align(self, face, marks=None):
        """Return a scan registered to the template, in the form that scans of its sort, meshes or clouds, would show.

        It is an alignment.Aligned, always on the grid of the meshes' form.

        Parameters
        ----------
        face : alignment.Face
            The scan.
        marks : face_marks.FaceMarks or None
            Points that somebody marked in it.
        """
        aligned = self._align_unbent(face, marks)
        # Marks say more of where points belong.
        if self.own is None or marks is not None:
            return aligned
        points = self.own.bend(*self.place_points(aligned, face))
        return likeness.replace_points(aligned, points, self._nose(face), self.mesh_template.q)

    def place_points(self, aligned, face):
        """Return (points (R, T, 3) of an Aligned that `align` made of a Face, in the template's place; what its
        expression adds to them, or None), which own public faces teach, and by which scans are bent.
        """
        points = aligned.place.bring(aligned.points) + self._nose(face)
        return points, own_faces.find_expression(aligned, self._people(face))

    def _nose(self, face):
        """Return (3,), the nose of the form that a Face meets."""
        return (self.mesh_template if self._meets_mesh(face) else self.cloud_template).extent.nose

    def _people(self, face):
        """Return the public_people.People on the meshes' grid in the place of the form that a Face meets."""
        return self.people if self._meets_mesh(face) else self._mesh_grid_for_clouds.people

    def _meets_mesh(self, face):
        """Return whether a Face is registered to the meshes' form."""
        return face.own_triangles or self.cloud_template is self.mesh_template

    def _align_unbent(self, face, marks):
        """Return the Aligned of a Face by template and packed people alone, on the grid of the meshes' form."""
        if self._meets_mesh(face):
            return likeness.align_likeliest(face, self.mesh_template, self.people, marks=marks)
        if self.people is None:
            return disk_transfer.move_to_grid(likeness.align_likeliest(face, self.cloud_template, None), self.places)
        return likeness.align_likeliest(
            face, self.cloud_template, self.clouds_people, self._mesh_grid_for_clouds, marks
        )

    def neutral(self, aligned, face):
        """Return an Aligned that `align` made of a Face, with its expression taken off, as the face would be at
        rest.
        """
        if aligned.expression is None:
            return aligned
        return likeness.take_off_expression(aligned, self._nose(face), self._people(face), self.mesh_template.q)

    @cached_property
    def _mesh_grid_for_clouds(self):
        """Return the likeness.Grid on which a cloud's registration is read off, after it met the clouds' form, so that
        grids agree.

        It is the grid of the meshes' form, at its places in the disk of the clouds'.
        """
        clouds, own = self.cloud_template, self.clouds_people
        f = disk_transfer.read_at(clouds.f, self.places)
        grid_people = replace(self.people, f=f, rotation=own.rotation, size=own.size)
        return likeness.Grid(grid_people, (f - clouds.extent.nose) @ clouds.extent.axes.T, self.places)


def split_forms(face, options=None):
    """Return (the Face that clouds meet, the Face that meshes meet) of a template, so that each scan meets one like
    itself.

    Third comes why both are the same for a mesh, else nothing.
    """
    if not face.own_triangles:
        return face, face, ""
    try:
        return mesh_as_cloud(face, options), face, ""
    except Rejected as error:
        return face, face, f"the template's points alone make no face, so clouds meet its mesh: {error}"


def mesh_as_cloud(face, options=None):
    """Return the Face of a template as a scanner would leave it, which clouds are registered to: points alone, meshed
    anew.

    It has the same center.
    """
    from shapedp.surfaces.disk_map import centers  # late, as below: for what the template alone needs
    from shapedp.surfaces.meshing import scan_mesh

    points = cloud_points(face.vertices, face.triangles)
    mesh = scan_mesh.mesh_scan(points, None, options)
    center = tuple(face.vertices[np.argmin(np.abs(face.z))])
    vertex = centers.find(mesh.vertices, mesh.triangles, center).vertex
    return alignment.map_face(mesh.vertices, mesh.triangles, vertex, face.f.shape)


# As many as a thinned scan has.
CLOUD_POINTS = 8_000
# The same points whenever they are asked for.
SEED = 0


def cloud_points(vertices, triangles):
    """Return (n, 3), a template's surface as a scanner's cloud: evenly spread points, to which scanned clouds are like.

    They are about CLOUD_POINTS.
    """
    import trimesh  # late: half a second of start for what the template alone needs

    mesh = trimesh.Trimesh(vertices, triangles, process=False)
    spread, _ = trimesh.sample.sample_surface_even(mesh, CLOUD_POINTS, seed=SEED)
    return np.asarray(spread)


# From the nose tip: the forehead below the hair, the chin, the cheeks up to the ears.
REACH_MM = 85.0


def built_in_template(word):
    """Return (vertices (n, 3) in mm, triangles (t, 3), vertex at the nose tip) of a template that comes with the
    library.

    word : built_in or formula
    """
    from shapedp.surfaces.human_face import real_faces  # late: for what the template alone needs
    from shapedp.surfaces.human_face.demo import faces  # late: for what the template alone needs
    from shapedp.surfaces.meshing import clipping

    if word == "formula":
        return faces.template(), faces.triangles(), faces.NOSE_TIP
    vertices, triangles, tip = real_faces.template(), real_faces.triangles(), real_faces.nose_tip()
    away = np.linalg.norm(vertices - vertices[tip], axis=1)
    cut_vertices, cut_triangles = clipping.clip_level(vertices, triangles, away - REACH_MM, tip)
    return cut_vertices, cut_triangles, int(np.argmin(np.linalg.norm(cut_vertices - vertices[tip], axis=1)))
