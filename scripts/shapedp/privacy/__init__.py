"""The core of privacy: arrays in, arrays out; of the rest of the library it knows the errors alone."""
