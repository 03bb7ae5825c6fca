"""Stand-in for `pypto`: its names are the compiler's own, its kernels run on the simulated NPU."""

from ptoscope_simulator.standins.tensor_mode import publish

publish(globals())
