"""Several laboratories, one release, by files alone: keys, study, letters, masks, and what the guarantee then is."""
