"""Registration to a template by a rotation and a diffeomorphism of the disk, on square root normal fields."""
