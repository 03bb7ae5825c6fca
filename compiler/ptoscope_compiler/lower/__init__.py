"""From block graphs to the PTO program: one file per family of tile operations."""

from .kernel import lower_kernel
from .leaf import lower_leaf
from .registry import NotLowered

__all__ = ["NotLowered", "lower_kernel", "lower_leaf"]
