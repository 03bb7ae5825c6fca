"""Stand-in for `pypto_pro.runtime`."""
