"""Tables of the operations of Pro mode, and their reader."""

from .table import Entry, Parameter, load

__all__ = ["Entry", "Parameter", "load"]
