"""Stand-in for `pypto_pro`: kernels run on the simulated NPU."""

from . import language

__all__ = ["language"]
