"""What a user starts: the workflow, the commands, the library's public names, forecasts."""
