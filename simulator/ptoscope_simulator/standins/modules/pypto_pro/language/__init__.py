"""Stand-in for `pypto_pro.language`: its names are the compiler's own."""

from ptoscope_simulator.standins.pypto_pro import publish

publish(globals())
