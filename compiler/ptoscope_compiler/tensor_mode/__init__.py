"""Tensor mode: what `pypto` means, and the tracing of a kernel to its Tensor Graph."""
