"""What a release costs, how a budget is shared, and how far one person moves a statistic."""
