"""What everything rests on: errors, files, HDF5, settings, logs."""
