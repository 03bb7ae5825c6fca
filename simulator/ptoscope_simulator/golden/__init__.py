"""Golden values: the Tensor graph of a kernel evaluated in float64, or in its own element types as an oracle."""
