"""Measurements. Absolute times depend on the machine: read the ratios, which come from one run."""
