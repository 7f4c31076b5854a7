"""The mechanisms for a mean shape, one class each."""
