"""What is learned from public people: how faces and shapes vary, and what to release by it."""
