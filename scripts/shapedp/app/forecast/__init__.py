"""What releases would cost and how far they would lie from the truth, before anything is spent; for the operator."""
