"""The simulated NPU: runs a PTO program on arrays, at full speed or with every event logged."""
