"""Stand-in for `pypto_pro.runtime.tilingkey`."""

from ptoscope_simulator.standins.pypto_pro import TilingKeyField

__all__ = ["TilingKeyField"]
