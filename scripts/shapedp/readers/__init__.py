"""From a stranger's bytes to records: whose data the settings name, and the readers of scans, landmarks and sheets."""
