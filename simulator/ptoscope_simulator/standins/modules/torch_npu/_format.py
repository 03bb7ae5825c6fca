"""Storage formats of NPU tensors. The simulated NPU keeps tensors in ND."""

from enum import IntEnum
from typing import Any


class Format(IntEnum):
    """`aclFormat` numbers of CANN."""

    NCHW = 0
    NHWC = 1
    ND = 2
    NC1HWC0 = 3
    FRACTAL_Z = 4
    FRACTAL_NZ = 29


def npu_format_cast(tensor: Any, format: int) -> Any:
    """The tensor in another storage format; only ND exists here."""
    if int(format) != Format.ND:
        raise RuntimeError(f"ptoscope: tensors in format {Format(format).name} are not modelled; use ND")
    return tensor


def get_npu_format(tensor: Any) -> int:
    return int(Format.ND)
