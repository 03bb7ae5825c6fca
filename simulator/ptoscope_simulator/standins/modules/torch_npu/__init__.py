"""Stand-in for `torch_npu`: "npu" devices whose memory is the host's.

Importing it gives `torch` the device type "npu", `torch.npu` and `Tensor.npu()`. Names follow the documentation of
Ascend/pytorch; what the simulated NPU does not have raises a RuntimeError that says so.
"""

import torch as _torch

from . import _device, npu, profiler
from ._format import Format, get_npu_format, npu_format_cast

_device.install()
_torch._register_device_module("npu", npu)

__all__ = ["Format", "get_npu_format", "npu", "npu_format_cast", "profiler"]
__version__ = "0.0.0+ptoscope"


def __getattr__(name: str) -> object:
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(f"torch_npu.{name} is not part of the simulated NPU (ptoscope)")
