"""Golden functions, one file per family; importing this package registers them all."""

from . import (  # noqa: F401
    comparison,
    conversion,
    creation,
    elementwise,
    indexing,
    matmul,
    ordering,
    reduction,
    structure,
)
