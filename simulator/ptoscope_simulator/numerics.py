"""Element types of the NPU as numpy types (ml_dtypes where numpy has none)."""

from __future__ import annotations

from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
from ptoscope_compiler.dtype import DType


@cache
def numpy_dtype(dtype: DType) -> np.dtype[Any]:
    """The numpy type that stores one element of `dtype`; sub-byte types use one byte per element."""
    name = dtype.numpy
    return np.dtype(getattr(ml_dtypes, name)) if hasattr(ml_dtypes, name) else np.dtype(name)
