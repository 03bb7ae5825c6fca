"""Which VIEWs and ASSEMBLEs are cut into tiles, and by which tile.

A move takes the tile of the nearest computation that reads (VIEW) or writes (ASSEMBLE) it. Sources in `framework/src`
of hicann/pypto: `passes/tensor_graph_pass/expand_function.cpp`, `interface/operation/tile_shape_resolver.cpp`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ...ir.graph import Graph, LogicalTensor, Operation
from ..windows import Extents, static_shape

_ALIASES = frozenset({"VIEW", "ASSEMBLE"})
_TRANSPARENT = _ALIASES | {"RESHAPE"}
_WHOLE_AXIS = frozenset(
    {
        "ROWMAX_SINGLE",
        "ROWMIN_SINGLE",
        "ROWSUM_SINGLE",
        "ROWPROD_SINGLE",
        "ROWARGMAX_SINGLE",
        "ROWARGMIN_SINGLE",
        "BITSORT",
        "MRGSORT",
        "SORT_UB",
    }
)
_TRANSPOSES = frozenset({"TRANSPOSE_MOVEOUT", "TRANSPOSE_MOVEIN", "TRANSPOSE_VNCHWCONV"})
_WHOLE_OUTPUT = frozenset({"INDEX_PUT", "ASSEMBLE_SSA", "RESHAPE"})


def is_kept(graph: Graph, operation: Operation) -> bool:
    """Whether a VIEW or ASSEMBLE stays an alias: a dynamic shape, or only reshapes behind it."""
    forward = operation.opcode == "VIEW"
    own = operation.outputs if forward else operation.inputs
    if any(static_shape(tensor.shape) is None for tensor in own):
        return True
    level, seen = _neighbours(graph, operation, forward), set[int]()
    while level:
        following: list[Operation] = []
        reshapes = False
        for other in level:
            if other.id in seen:
                continue
            seen.add(other.id)
            if other.opcode in _ALIASES:
                following += _neighbours(graph, other, forward)
            elif other.opcode == "RESHAPE":
                reshapes = True
            else:
                return False
        if reshapes:
            return True
        level = following
    return False


def _neighbours(graph: Graph, operation: Operation, forward: bool) -> list[Operation]:
    if forward:
        return [other for tensor in operation.outputs for other in graph.consumers(tensor)]
    return [other for tensor in operation.inputs for other in graph.producers(tensor)]


def in_place_targets(graph: Graph) -> set[int]:
    """Ids of the VIEWs that feed the written-into input of an ASSEMBLE_SSA; they stay aliases."""
    kept = set()
    for operation in graph.operations:
        if operation.opcode == "ASSEMBLE_SSA":
            target = operation.inputs[operation.attribute("INPLACE_IDX", 1)]
            kept |= {producer.id for producer in graph.producers(target) if producer.opcode == "VIEW"}
    return kept


def move_tile(graph: Graph, operation: Operation) -> Extents:
    """The tile of a VIEW (by its readers) or an ASSEMBLE (by its writers); its own shape where there is none."""
    if operation.opcode == "VIEW":
        own = operation.outputs[0]
        candidates = _reader_tiles(graph, own)
    else:
        own = operation.inputs[0]
        candidates = _writer_tiles(graph, operation)
    shape = static_shape(own.shape)
    assert shape is not None
    return max(candidates, key=prod) if candidates else shape


def _reader_tiles(graph: Graph, start: LogicalTensor) -> list[Extents]:
    level = [(reader, start) for reader in graph.consumers(start)]
    seen: set[int] = set()
    while level:
        tiles: list[Extents] = []
        following = []
        for reader, tensor in level:
            if reader.id in seen:
                continue
            seen.add(reader.id)
            if reader.opcode in _TRANSPARENT:
                result = reader.outputs[0]
                following += [(next_reader, result) for next_reader in graph.consumers(result)]
                continue
            index = next(i for i, operand in enumerate(reader.inputs) if operand.id == tensor.id)
            tiles.append(_to_rank(input_tile(reader, index), start.shape))
        if tiles:
            return tiles
        level = following
    return []


def _writer_tiles(graph: Graph, operation: Operation) -> list[Extents]:
    level = _neighbours(graph, operation, forward=False)
    seen: set[int] = set()
    while level:
        tiles: list[Extents] = []
        following: list[Operation] = []
        for writer in level:
            if writer.id in seen:
                continue
            seen.add(writer.id)
            if writer.opcode in _TRANSPARENT:
                following += _neighbours(graph, writer, forward=False)
            else:
                tiles.append(output_tile(writer))
        if tiles:
            return tiles
        level = following
    return []


def _to_rank(tile: Extents, shape: Sequence[object]) -> Extents:
    """`tile` for a tensor of another rank: leading entries dropped, or filled from the tensor's own shape."""
    missing = len(shape) - len(tile)
    if missing <= 0:
        return tile[-missing:]
    return (*(extent for extent in shape[:missing] if isinstance(extent, int)), *tile)


def _clipped(shape: Sequence[object], tile: Extents | None, whole: int | None = None) -> Extents:
    """Per axis the smaller of shape and tile; `whole` is not cut, nor are axes that the tile does not name."""
    entries = []
    for axis, extent in enumerate(shape):
        assert isinstance(extent, int)
        cut = tile is not None and axis < len(tile) and axis != whole
        entries.append(min(extent, tile[axis]) if cut and tile is not None else extent)
    return tuple(entries)


def _product_tiles(operation: Operation) -> tuple[Extents, Extents, Extents]:
    """(A, B, C) tiles of a matrix product in L0."""
    cube = operation.tiles.cube
    assert cube is not None
    a = (cube.m[0], cube.k[0])
    b = (cube.k[0], cube.n[0])
    c = _clipped(operation.outputs[0].shape, (cube.m[0], cube.n[0]))
    return (
        a[::-1] if operation.attribute("op_attr_trans_a") else a,
        b[::-1] if operation.attribute("op_attr_trans_b") else b,
        c,
    )


def input_tile(operation: Operation, index: int) -> Extents:
    """The tile in which `operation` first cuts its input `index`."""
    opcode, tile = operation.opcode, operation.tiles.vector
    shape = operation.inputs[index].shape
    if opcode == "A_MUL_B":
        a, b, c = _product_tiles(operation)
        return a if index == 0 else b if index == 1 else (1, c[1])
    if opcode in _WHOLE_AXIS:
        axis = operation.attribute("op_attr_AXIS", operation.attribute("op_attr_axis", 0))
        return _clipped(shape, tile, axis % len(shape))
    if opcode == "GATHER_ELEMENT" and index == 0:
        return _clipped(shape, tile, operation.attribute("op_attr_axis", 0) % len(shape))
    if opcode in ("SCATTER_ELEMENT", "SCATTER"):
        indices = operation.inputs[1].shape
        axis = operation.attribute("op_attr_axis", 0) % len(indices)
        clipped = _clipped(indices, tile, axis)
        return tuple(s if a == axis else c for a, (s, c) in enumerate(zip(_clipped(shape, None), clipped, strict=True)))
    if opcode == "GATHER":
        return _gather_tile(operation, index)
    return _clipped(shape, tile)


def _gather_tile(operation: Operation, index: int) -> Extents:
    data, indices = operation.inputs[0], operation.inputs[1]
    axis = operation.attribute("op_attr_axis", 0) % data.rank
    tile = operation.tiles.vector
    if index == 1:
        return _clipped(indices.shape, tile[axis:] if tile is not None else None)
    if tile is None:
        return _clipped(data.shape, None)
    inner = tile[axis + indices.rank :]
    return _clipped(data.shape, (*tile[:axis], _clipped(data.shape, None)[axis], *inner))


def output_tile(operation: Operation) -> Extents:
    """The tile in which `operation` writes its first output."""
    result, tile = operation.outputs[0], operation.tiles.vector
    if operation.opcode == "A_MUL_B":
        return _product_tiles(operation)[2]
    if operation.opcode in _WHOLE_OUTPUT:
        return _clipped(result.shape, None)
    if operation.opcode in _TRANSPOSES and tile is not None:
        first, second = operation.attributes["op_attr_shape"]
        order = list(tile)
        order[first], order[second] = order[second], order[first]
        return _clipped(result.shape, tuple(order))
    return _clipped(result.shape, tile)
