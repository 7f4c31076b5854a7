"""What follows from released moments: effects of covariates, modes, groups compared; post-processing, costs nothing."""
