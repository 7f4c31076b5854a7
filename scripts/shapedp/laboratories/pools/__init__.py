"""How releases of several laboratories become one: the parts of `laboratories.pooling`."""
