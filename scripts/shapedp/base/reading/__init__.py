"""Files and tables that a stranger wrote, read within limits."""
