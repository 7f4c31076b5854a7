"""How a release is made, recorded and made public."""
