"""Files that are there whole or not at all, and disks that are full, read-only or wrong in their dates."""
