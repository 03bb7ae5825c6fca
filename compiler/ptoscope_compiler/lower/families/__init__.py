"""The rules, one file per family of tile operations."""

from . import (  # noqa: F401
    broadcasts,
    conversions,
    creation,
    cube,
    elementwise,
    gathers,
    moves,
    reductions,
    selections,
    special,
    synchronisation,
    transposes,
)
