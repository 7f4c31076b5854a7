"""Every tolerance of the tests, with the reason for its size."""
