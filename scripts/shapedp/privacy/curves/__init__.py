"""The mechanisms for a mean face, one class each."""
