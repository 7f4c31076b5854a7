"""The front half of the face branch: scan -> mesh -> disk -> polar grid."""

import disk_maps


def run():
    """Rows (case, measure, value, unit)."""
    return disk_maps.rows()
