"""What was spent on each population, recorded so that it cannot be changed unnoticed."""
