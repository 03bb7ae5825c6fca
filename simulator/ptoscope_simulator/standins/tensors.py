"""The memory of a torch tensor as a numpy array, shared."""

from __future__ import annotations

from typing import Any

import numpy as np
from ptoscope_compiler import dtype as dtypes
from ptoscope_compiler.dtype import DType

from ..numerics import numpy_dtype

_BY_TORCH_NAME = {
    "torch.float32": "DT_FP32",
    "torch.float16": "DT_FP16",
    "torch.bfloat16": "DT_BF16",
    "torch.int8": "DT_INT8",
    "torch.int16": "DT_INT16",
    "torch.int32": "DT_INT32",
    "torch.int64": "DT_INT64",
    "torch.uint8": "DT_UINT8",
    "torch.uint16": "DT_UINT16",
    "torch.uint32": "DT_UINT32",
    "torch.uint64": "DT_UINT64",
    "torch.bool": "DT_BOOL",
    "torch.float8_e4m3fn": "DT_FP8E4M3",
    "torch.float8_e5m2": "DT_FP8E5M2",
    "torch.float8_e8m0fnu": "DT_FP8E8M0",
}


def dtype_of(tensor: Any) -> DType | None:
    """The element type of a torch tensor; None where the NPU has none (float64, complex)."""
    name = _BY_TORCH_NAME.get(str(tensor.dtype))
    return dtypes.BY_NAME[name] if name else None


def to_numpy(tensor: Any, dtype: DType | None = None) -> np.ndarray[Any, Any]:
    """A contiguous torch tensor's memory as an array of `dtype` (default: the tensor's own), without a copy.

    Writing to the array writes to the tensor. ValueError where the tensor is not contiguous or the widths differ.
    """
    import torch

    kind = dtype or dtype_of(tensor)
    if kind is None:
        raise ValueError(f"tensors of {tensor.dtype} do not exist on the NPU")
    if not tensor.is_contiguous():
        raise ValueError("not all tensors are contiguous")
    host = tensor.detach()
    raw = host.view(torch.uint8).numpy() if host.dim() else host.reshape(1).view(torch.uint8).numpy()
    array: np.ndarray[Any, Any] = raw.view(numpy_dtype(kind)).reshape(tuple(host.shape))
    return array
