"""A buffer takes over the contents of another: a copy by a vector core, as tiles of a flat window."""

from __future__ import annotations

from ..dtype import DType
from ..hardware import CoreKind, MemorySpace, Pipe
from ..origin import Origin
from ..pto.operands import Tile, TileType, Window
from ..pto.program import CoreProgram, For, Instruction, SetFlag, Statement, WaitFlag
from ..scalar import Symbol, minimum, mul, sub

ELEMENTS = "elements"
_CHUNK_BYTES = 32768
_EVENT = 0


def copy_program(name: str, dtype: DType, origin: Origin) -> CoreProgram:
    """Copies the first `elements` elements of `source` to `target`."""
    chunk = _CHUNK_BYTES // dtype.bytes
    start, total = Symbol("start"), Symbol(ELEMENTS)
    size = minimum(sub(total, start), chunk)
    tile = Tile(TileType(dtype, (1, chunk), MemorySpace.UB), 0, (1, size))

    def window(buffer: str) -> Window:
        return Window(buffer, dtype, (1, size), (chunk, 1), start)

    body: tuple[Statement, ...] = (
        Instruction("TLOAD", Pipe.MTE2, (tile,), (window("source"),), origin),
        SetFlag(Pipe.MTE2, Pipe.MTE3, _EVENT, origin),
        WaitFlag(Pipe.MTE2, Pipe.MTE3, _EVENT, origin),
        Instruction("TSTORE", Pipe.MTE3, (window("target"),), (tile,), origin),
        SetFlag(Pipe.MTE3, Pipe.MTE2, _EVENT, origin),
        WaitFlag(Pipe.MTE3, Pipe.MTE2, _EVENT, origin),
    )
    loop = For(start.name, 0, total, chunk, body, origin)
    peak = {MemorySpace.UB.value: mul(chunk, dtype.bytes)}
    return CoreProgram(name, CoreKind.AIV, ("source", "target"), (ELEMENTS,), (loop,), origin, peak)  # type: ignore[arg-type]
