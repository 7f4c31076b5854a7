"""The command line: `commands` declares it, the other modules do what takes more than a few lines."""
