"""Single elements, and the descriptors of tiles and tensors."""

from __future__ import annotations

from ...dtype import INT64
from ...evaluate.values import Unsupported, Value
from ..call import Call, family
from ..scalars import as_value
from ..tensors import Tensor
from ..tiles import Tile, TileGroup
from .checks import check_valid_shape


@family("getval")
def getval(call: Call) -> Value:
    return call.tracer.elements.read(call.values["container"], call.values["offset"], call.site)


@family("setval")
def setval(call: Call) -> Value:
    call.tracer.elements.write(call.values["container"], call.values["offset"], call.values["value"], call.site)
    return None


@family("set_validshape")
def set_validshape(call: Call) -> Value:
    """The valid extent from here on; of a group, that of all its tiles."""
    value = call.values["tile"]
    shape = call.scalars("shape")
    if len(shape) != 2:
        raise Unsupported("pl.set_validshape(): 'shape' must be [rows, columns]")
    tiles = [Tile([slot]) for slot in value.slots] if isinstance(value, TileGroup) else [call.tile("tile")]
    for tile in tiles:
        check_valid_shape(call, tile, shape)
        tile.set_valid(shape[0], shape[1])
    return None


@family("set_stride")
def set_stride(call: Call) -> Value:
    """Strides of the last two axes, in elements."""
    tensor: Tensor = call.tensor("tensor")
    stride = call.scalars("stride")
    if len(stride) != 2 or len(tensor.shape) < 2:
        raise Unsupported("pl.set_stride(): two strides, for a tensor of two axes or more")
    tensor.strides = (*tensor.strides[:-2], *stride)
    return None


@family("tile_valid_shape")
def tile_valid_shape(call: Call) -> Value:
    return as_value(call.tile("tile").valid[call.number("axis")], INT64)
