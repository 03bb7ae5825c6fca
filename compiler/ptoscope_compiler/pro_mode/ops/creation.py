"""Operations that make tiles, tensors, pointers and structures."""

from __future__ import annotations

from collections.abc import Sequence

from ...dtype import INT64
from ...evaluate.values import Unsupported, Value
from ...hardware import Layout, MemorySpace
from ...pto import operands as pto
from ...scalar import ScalarLike
from ..binding import contains_unknown
from ..call import Call, family
from ..declarations import ElementType, Member, TileDeclaration
from ..scalars import is_scalar, lower
from ..structs import NamedTuple, Struct, StructArray, make_fields
from ..tensors import GlobalPointer, Tensor, dense_strides
from ..tiles import Slot, Tile, TileGroup
from .checks import check_placement

SPACES = {
    "Vec": MemorySpace.UB,
    "Mat": MemorySpace.L1,
    "Left": MemorySpace.L0A,
    "Right": MemorySpace.L0B,
    "Acc": MemorySpace.L0C,
    "Scaling": MemorySpace.FB,
    "Bias": MemorySpace.BT,
    "ScaleLeft": MemorySpace.L0A_MX,
    "ScaleRight": MemorySpace.L0B_MX,
}
_LAYOUTS = {"Mat": Layout.NZ, "Left": Layout.NZ, "Right": Layout.ZN, "Acc": Layout.NZ}
_SCALE_LAYOUTS = {"ScaleLeft": Layout.ZZ, "ScaleRight": Layout.NN}
_PADS = ("null", "zero", "max", "min")


def tile_type(declaration: TileDeclaration, arch: str) -> pto.TileType:
    """The type that `pl.TileType` means on a chip. Default layouts: `block_ops.py` of hicann/pypto."""
    space = declaration.target_memory.name
    if space not in SPACES:
        raise Unsupported(f"a tile cannot lie in pl.MemorySpace.{space}")
    if not all(isinstance(extent, int) and extent > 0 for extent in declaration.shape):
        raise Unsupported(f"the shape of a tile must be positive integers, not {list(declaration.shape)}")
    layout = _layout(declaration, space, arch)
    fractal = declaration.fractal
    if fractal is None:
        wide = space == "Acc" and declaration.dtype.dtype.bits == 32
        fractal = 32 if layout in (Layout.ZZ, Layout.NN) and space != "Left" else 1024 if wide else 512
    pad = declaration.pad
    name = pad.name if isinstance(pad, Member) else _PADS[pad or 0]
    shape = declaration.shape
    return pto.TileType(declaration.dtype.dtype, shape, SPACES[space], layout, fractal, name, declaration.compact or 0)


def _layout(declaration: TileDeclaration, space: str, arch: str) -> Layout:
    if declaration.layout is not None:
        return Layout(declaration.layout.name)
    if space in _SCALE_LAYOUTS:
        return _SCALE_LAYOUTS[space]
    if space == "Left" and arch == "2201":
        return Layout.ZZ
    if space in _LAYOUTS:
        return _LAYOUTS[space]
    return Layout.DN if declaration.shape[-1] == 1 else Layout.ND


def _slot(call: Call, declaration: TileDeclaration, address: int, mutex: Sequence[int], every: Sequence[int]) -> Slot:
    tracer = call.tracer
    made = tile_type(declaration, tracer.target.arch)
    check_placement(call, made, address)
    space = made.space.value
    tracer.on_chip[space] = max(tracer.on_chip.get(space, 0), address + made.bytes)
    extents: list[ScalarLike] = list(made.shape)
    for axis, extent in enumerate(declaration.valid_shape or ()):
        if is_scalar(extent) and extent != -1:
            extents[axis] = lower(extent)
    name = f"{made.space.value}_{address:x}"
    cells = [
        tracer.cell(f"{name}.{part}", extent, INT64) for part, extent in zip(("rows", "columns"), extents, strict=True)
    ]
    return Slot(made, address, cells[0], cells[1], tuple(mutex), tuple(every), name)


def _declaration(call: Call, name: str) -> TileDeclaration | None:
    """The tile type of an argument; None where its shape is not known."""
    value = call.values[name]
    if not isinstance(value, TileDeclaration):
        raise Unsupported(f"pl.{call.entry.name}(): '{name}' must be a pl.TileType")
    if contains_unknown(value.shape):
        return None
    if len(value.shape) != 2:
        raise Unsupported(f"pl.{call.entry.name}(): a tile has two axes, not {len(value.shape)}")
    return value


@family("make_tile")
def make_tile(call: Call) -> Value:
    declaration = _declaration(call, "tile_type")
    if declaration is None:
        return call.tracer.give_up("the shape of a tile is not known")
    return Tile([_slot(call, declaration, call.number("addr"), (), ())])


@family("make_tile_group")
def make_tile_group(call: Call) -> Value:
    """`depth` tiles one behind the other, or at a list of addresses, each with its tokens."""
    declaration = _declaration(call, "type")
    if declaration is None:
        return call.tracer.give_up("the shape of a tile is not known")
    tokens = _tokens(call)
    depth = call.number("depth") if call.values["depth"] is not None else len(tokens)
    if depth <= 0:
        raise Unsupported("pl.make_tile_group(): 'depth' is needed where there are no mutex_ids")
    if tokens and len(tokens) != depth:
        raise Unsupported(f"pl.make_tile_group(): {len(tokens)} mutex_ids for a depth of {depth}")
    addresses = call.values["addrs"]
    if isinstance(addresses, (list, tuple)):
        if len(addresses) != depth:
            raise Unsupported(f"pl.make_tile_group(): {len(addresses)} addresses for a depth of {depth}")
        places = [int(address) for address in addresses]
    else:
        size = tile_type(declaration, call.tracer.target.arch)
        step = size.elements * size.dtype.bytes
        places = [call.number("addrs") + index * step for index in range(depth)]
    every = tuple(dict.fromkeys(token for slot in tokens for token in slot))
    slots = [
        _slot(call, declaration, place, tokens[index] if tokens else (), every) for index, place in enumerate(places)
    ]
    return TileGroup(slots)


def _tokens(call: Call) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = []
    for entry in call.values["mutex_ids"] or ():
        tokens = tuple(entry) if isinstance(entry, (list, tuple)) else (entry,)
        if not tokens or not all(isinstance(token, int) and 0 <= token <= 31 for token in tokens):
            raise Unsupported(f"pl.make_tile_group(): mutex_ids must be integers in 0..31, not {entry!r}")
        found.append(tokens)
    return found


@family("make_tensor")
def make_tensor(call: Call) -> Value:
    """A view of a pointer's or tensor's memory under a shape and strides."""
    source = call.values["ptr"]
    if not isinstance(source, (Tensor, GlobalPointer)):
        raise Unsupported("pl.make_tensor(): 'ptr' must be a pointer or a tensor")
    shape = call.scalars("shape")
    strides = dense_strides(shape) if call.values["stride"] is None else call.scalars("stride")
    dtype = call.values["dtype"]
    chosen = dtype.dtype if isinstance(dtype, ElementType) else source.dtype
    return Tensor(source.buffer, chosen, shape, strides, source.offset)


@family("make_ptr")
def make_ptr(call: Call) -> Value:
    source = call.values["ptr"]
    if not isinstance(source, (Tensor, GlobalPointer)):
        raise Unsupported("pl.make_ptr(): 'ptr' must be a pointer or a tensor")
    dtype = call.values["dtype"]
    return GlobalPointer(source.buffer, dtype.dtype if isinstance(dtype, ElementType) else source.dtype, source.offset)


@family("addptr")
def addptr(call: Call) -> Value:
    source = call.values["ptr"]
    if not isinstance(source, GlobalPointer):
        raise Unsupported("pl.addptr(): 'ptr' must be a pointer")
    return source.binary("+", call.values["offset"], False, call.site)


@family("struct")
def struct(call: Call) -> Value:
    return Struct([make_fields(call.values["**"])])


@family("struct_array")
def struct_array(call: Call) -> Value:
    return StructArray([make_fields(call.values["**"]) for _ in range(call.number("size"))])


@family("make_tuple")
def make_tuple(call: Call) -> Value:
    return NamedTuple(call.values["**"])
