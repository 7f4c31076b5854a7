"""What public people teach: axes, moments, clips."""
