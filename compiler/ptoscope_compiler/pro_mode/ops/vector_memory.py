"""Vector functions: loads and stores of registers, gathering and scattering in UB.

The part of UB that an access touches is a tile of one axis. `dist` says how memory and lanes correspond
(`framework/src/interface/pypto_pro/backend/backend_cce_vf_ops.cpp` of hicann/pypto).
"""

from __future__ import annotations

from ... import scalar
from ...dtype import DType
from ...evaluate.values import Unsupported, Value
from ...hardware import MemorySpace, Pipe
from ...pto import operands as pto
from ...scalar import ScalarLike
from ..call import Call, family
from ..registers import Held, MaskValue, RegisterValue
from ..scalars import is_scalar, lower
from ..tiles import Pointer
from .vector import chosen_dtype, emit, operand, register, result

_BLOCK = 32
_MASK_BYTES = {"US": 16, "DS": 64, "PACK": 16}


def _pointer(call: Call, name: str) -> Pointer:
    value = call.values[name]
    return value if isinstance(value, Pointer) else Pointer(value, 0)


def _memory(pointer: Pointer, offset: ScalarLike, dtype: DType, count: int) -> pto.Tile:
    """`count` elements of `dtype`, `offset` elements of the tile's own type behind the pointer."""
    tile = pointer.tile
    place = scalar.mul(scalar.add(pointer.offset, offset), tile.type.dtype.bits)
    address = scalar.add(tile.address, scalar.floordiv(place, 8))
    flat = pto.TileType(dtype, (count,), MemorySpace.UB)
    return pto.Tile(flat, address, (count,), tile.name)


def _loaded(dist: str, lanes: int, dtype: DType) -> int:
    """Elements that a load reads from memory to fill `lanes`."""
    per_block = _BLOCK * 8 // dtype.bits
    if dist.startswith("BRC"):
        return 1
    if dist.startswith(("US", "UNPK")):
        return lanes // (4 if dist == "UNPK4" else 2)
    if dist.startswith(("DS", "DINTLV")):
        return lanes * 2
    if dist == "BLK":
        return per_block
    return lanes // per_block if dist.startswith("E2B") else lanes


def _stored(dist: str, lanes: int) -> int:
    """Elements that a store of `lanes` writes to memory."""
    if dist == "FIRST_ELEMENT":
        return 1
    if dist.startswith("PACK"):
        return lanes // (4 if dist == "PACK4" else 2)
    return lanes * 2 if dist.startswith("INTLV") else lanes


def _advance(call: Call, pointer: Pointer, offset: ScalarLike) -> None:
    if call.values["post_update"]:
        pointer.advance(offset)


def _offset(value: Value) -> ScalarLike:
    return lower(value) if is_scalar(value) else 0


@family("vf.load_align")
def load_align(call: Call) -> Value:
    """VLDS; two registers for the de-interleaving forms; PLDS where the target is a mask."""
    pointer = _pointer(call, "src")
    dist = call.member("dist") or "NORM"
    if _target_is_mask(call):
        return _load_mask(call, pointer, dist)
    dtype = chosen_dtype(call, pointer.tile.type.dtype)
    targets = [result(call, dtype, position) for position in range(2 if dist.startswith("DINTLV") else 1)]
    lanes = pto.REGISTER_BYTES * 8 // dtype.bits
    if call.member("data_copy_mode") in ("DATA_BLOCK_COPY", "DATA_BLOCK_LOAD"):
        return _load_blocks(call, pointer, dtype, targets[0])
    offset = _offset(call.values["offset"])
    post = bool(call.values["post_update"])
    source = _memory(pointer, 0 if post else offset, dtype, _loaded(dist, lanes, dtype))
    if len(targets) == 2:
        call.emit("VLDSX2", Pipe.V, [target.operand() for target in targets], (source,))
    else:
        call.emit("VLDS", Pipe.V, (targets[0].operand(),), (source,), dist=dist)
    _advance(call, pointer, offset)
    return targets[0] if len(targets) == 1 else tuple(targets)


def _target_is_mask(call: Call) -> bool:
    names = call.tracer.registers.targets.get(call.site.node, ())
    frame = getattr(call.site, "frame", None)
    return bool(names) and frame is not None and isinstance(frame.variables.get(names[0]), MaskValue)


def _load_mask(call: Call, pointer: Pointer, dist: str) -> Value:
    name = call.tracer.registers.targets[call.site.node][0]
    held = call.site.frame.variables[name]  # type: ignore[attr-defined]
    target = result(call, held.register.bits)
    dtype = pointer.tile.type.dtype
    count = _MASK_BYTES.get(dist, 32) // dtype.bytes
    source = _memory(pointer, _offset(call.values["offset"]), dtype, count)
    call.emit("PLDS", Pipe.V, (target.operand(),), (source,), dist=dist)
    return target


def _load_blocks(call: Call, pointer: Pointer, dtype: DType, target: Held) -> Value:
    """VSLDB: eight blocks of 32 bytes, `block_stride` blocks apart; the mask stands in the place of the offset."""
    stride = lower(call.values["block_stride"] or 1)
    per_block = _BLOCK * 8 // dtype.bits
    source = _strided(pointer, dtype, per_block, stride)
    mask = call.values["offset"]
    inputs: list[pto.Operand] = [source, *([mask.operand()] if isinstance(mask, MaskValue) else [])]
    call.emit("VSLDB", Pipe.V, (target.operand(),), inputs, block_stride=stride)
    _advance(call, pointer, scalar.mul(lower(call.values["repeat_stride"] or 0), per_block))
    return target


def _strided(pointer: Pointer, dtype: DType, per_block: int, stride: ScalarLike) -> pto.Tile:
    """From the first to the last of eight blocks."""
    if not isinstance(stride, int):
        raise Unsupported("block_stride must be known while compiling")
    return _memory(pointer, 0, dtype, (7 * stride + 1) * per_block)


@family("vf.store_align")
def store_align(call: Call) -> Value:
    """VSTS: `dst, src, [second source], [offset], mask`; PSTS of a mask. Inactive lanes keep what memory has."""
    pointer, source = _pointer(call, "dst"), call.values["src"]
    rest = list(call.values["args"])
    dist = call.member("dist") or "NORM"
    sources = [source]
    if dist.startswith("INTLV") and rest and isinstance(rest[0], RegisterValue):
        sources.append(rest.pop(0))
    offset = next((lower(value) for value in rest if is_scalar(value)), 0)
    mask = next((value for value in rest if isinstance(value, MaskValue)), None)
    post = bool(call.values["post_update"])
    if isinstance(source, MaskValue):
        return _store_mask(call, pointer, source, 0 if post else offset, dist)
    if not isinstance(source, RegisterValue):
        raise Unsupported("vf.store_align(): 'src' must be a register or a mask")
    dtype = source.register.dtype
    if call.member("data_copy_mode") == "DATA_BLOCK_COPY":
        return _store_blocks(call, pointer, source, mask)
    target = _memory(pointer, 0 if post else offset, dtype, _stored(dist, source.register.lanes))
    inputs: list[pto.Operand] = [value.operand() for value in sources]
    inputs.extend([mask.operand(), target] if mask else [])
    if len(sources) == 2:
        call.emit("VSTSX2", Pipe.V, (target,), inputs)
    else:
        call.emit("VSTS", Pipe.V, (target,), inputs, dist=dist)
    _advance(call, pointer, offset)
    return None


def _store_mask(call: Call, pointer: Pointer, source: MaskValue, offset: ScalarLike, dist: str) -> Value:
    dtype = pointer.tile.type.dtype
    target = _memory(pointer, offset, dtype, _MASK_BYTES.get(dist, 32) // dtype.bytes)
    call.emit("PSTS", Pipe.V, (target,), (source.operand(),), dist=dist)
    _advance(call, pointer, offset)
    return None


def _store_blocks(call: Call, pointer: Pointer, source: RegisterValue, mask: MaskValue | None) -> Value:
    """VSSTB: eight blocks of 32 bytes, `block_stride` blocks apart."""
    stride = lower(call.values["block_stride"] or 1)
    dtype = source.register.dtype
    per_block = _BLOCK * 8 // dtype.bits
    target = _strided(pointer, dtype, per_block, stride)
    inputs: list[pto.Operand] = [source.operand(), *([mask.operand()] if mask else []), target]
    call.emit("VSSTB", Pipe.V, (target,), inputs, block_stride=stride)
    _advance(call, pointer, scalar.mul(lower(call.values["repeat_stride"] or 0), per_block))
    return None


@family("vf.load")
def load(call: Call) -> Value:
    """An unaligned load of a whole register."""
    pointer = _pointer(call, "src_ptr")
    dtype = pointer.tile.type.dtype
    target = result(call, dtype)
    lanes = pto.REGISTER_BYTES * 8 // dtype.bits
    call.emit("VLDUS", Pipe.V, (target.operand(),), (_memory(pointer, 0, dtype, lanes),))
    stride = call.values["stride"]
    if stride is not None and call.values.get("post_update", True):
        pointer.advance(lower(stride))
    return target


@family("vf.store")
def store(call: Call) -> Value:
    """An unaligned store of the first lanes: `count`, or `stride` of a store through an alignment state."""
    pointer, source = _pointer(call, "dst_ptr"), register(call, "src")
    dtype, lanes = source.register.dtype, source.register.lanes
    given = call.values["count" if "count" in call.values else "stride"]
    count = lanes if given is None else lower(given)
    whole = _memory(pointer, 0, dtype, lanes)
    target = pto.Tile(whole.type, whole.address, (count,), whole.name)
    mask = call.tracer.registers.make("first", dtype.bits)
    call.emit(f"PLT_B{dtype.bits}", Pipe.V, (mask.operand(),), (count,))
    call.emit("VSTUS", Pipe.V, (target,), (source.operand(), mask.operand()))
    _advance(call, pointer, count)
    return None


@family("vf.gather")
def gather(call: Call) -> Value:
    """VGATHER2 from UB by element index, or VSELR within a register."""
    source, indices = call.values["src"], register(call, "indices")
    if isinstance(source, RegisterValue):
        return emit(call, "VSELR", [result(call, source.register.dtype)], [source.operand(), indices.operand()])
    pointer = _pointer(call, "src")
    dtype = pointer.tile.type.dtype
    whole = _memory(pointer, 0, dtype, pointer.tile.type.elements)
    opcode = "VGATHERB" if call.member("data_copy_mode") == "DATA_BLOCK_LOAD" else "VGATHER2"
    return emit(call, opcode, [result(call, dtype)], [whole, indices.operand()])


@family("vf.scatter")
def scatter(call: Call) -> Value:
    pointer, source = _pointer(call, "base_ptr"), register(call, "src")
    whole = _memory(pointer, 0, source.register.dtype, pointer.tile.type.elements)
    inputs = [source.operand(), operand(call.values["index"]), operand(call.values["mask"]), whole]
    call.emit("VSCATTER", Pipe.V, (whole,), inputs)
    return None


@family("vf.mem_bar")
def memory_barrier(call: Call) -> Value:
    """Loads and stores of a vector function are simulated in order: a barrier changes nothing."""
    return None
