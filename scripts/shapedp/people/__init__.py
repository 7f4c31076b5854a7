"""Which record is whose: sample sheets and populations."""
