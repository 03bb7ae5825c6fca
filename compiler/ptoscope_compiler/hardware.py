"""Memory spaces, pipes and core kinds: the words that every layer shares.

Sources: PTO-ISA `include/pto/common/{memory,event}.hpp`; `framework/include/tilefwk/data_type.h` of hicann/pypto.
"""

from __future__ import annotations

from enum import Enum


class MemorySpace(Enum):
    """Where a value lives. The value is the author's name for it."""

    GM = "GM"
    L1 = "L1"
    UB = "UB"
    L0A = "L0A"
    L0B = "L0B"
    L0C = "L0C"
    BT = "BT"
    FB = "FB"
    L0A_MX = "L0A_MX"
    L0B_MX = "L0B_MX"

    __hash__ = object.__hash__  # members are compared by identity; the hash of Enum itself runs in Python

    @property
    def pto(self) -> str:
        """The `loc` word of PTO assembly."""
        return _PTO_LOCATIONS[self]


_PTO_LOCATIONS = {
    MemorySpace.GM: "gm",
    MemorySpace.L1: "mat",
    MemorySpace.UB: "vec",
    MemorySpace.L0A: "left",
    MemorySpace.L0B: "right",
    MemorySpace.L0C: "acc",
    MemorySpace.BT: "bias",
    MemorySpace.FB: "scaling",
    MemorySpace.L0A_MX: "scale_left",
    MemorySpace.L0B_MX: "scale_right",
}


class Pipe(Enum):
    """One in-order instruction queue of a core."""

    S = "S"
    V = "V"
    M = "M"
    MTE1 = "MTE1"
    MTE2 = "MTE2"
    MTE3 = "MTE3"
    FIX = "FIX"
    ALL = "ALL"


class CoreKind(Enum):
    """AIC is the cube core, AIV a vector core; one AIC is grouped with two AIVs."""

    AIC = "AIC"
    AIV = "AIV"


class Layout(Enum):
    """Order of the elements of a tile or window (PTO-ISA `docs/isa`, block layout and inner layout together)."""

    ND = "ND"
    DN = "DN"
    NZ = "NZ"
    ZN = "ZN"
    NN = "NN"
    ZZ = "ZZ"
