"""One data file per chip, and its reader."""

from .target import Target, UnknownTarget, load, names

__all__ = ["Target", "UnknownTarget", "load", "names"]
