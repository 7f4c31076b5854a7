"""All that knows a human face."""
