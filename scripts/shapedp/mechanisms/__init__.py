"""Private mechanisms: how much noise a statistic needs, and how it is drawn."""
