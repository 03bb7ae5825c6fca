"""CONTRACT followed by SLICE of the same data: the copy through the tensor between them is dropped.

Source: `RemoveRedundantOpUtils::ProcessContractSlice` in
`framework/src/passes/pass_utils/remove_redundant_op_utils.cpp` of hicann/pypto.
"""

from __future__ import annotations

from ..hardware import MemorySpace
from ..ir.graph import LogicalTensor, Operation
from .edit import Edit
from .moves import PRODUCTS, is_zero, offset_of, static_offset
from .windows import static_shape

Place = tuple[Operation, tuple[int, ...], bool]
"""A SLICE, its offset within the contracted tile, and whether it takes all of that tile."""


def fold_contract_slice(edit: Edit) -> None:
    """Both forms: many tiles contracted into one slice, and one tile sliced again."""
    _fold_many_into_one(edit)
    _fold_one_into_many(edit)


def same_extent(left: LogicalTensor, right: LogicalTensor) -> bool:
    return left.shape == right.shape and left.valid_shape == right.valid_shape


def _to_l1(operation: Operation) -> bool:
    return operation.attribute("to") is MemorySpace.L1


def _from_product(edit: Edit, tensor: LogicalTensor) -> bool:
    """Whether `tensor` is a matrix product, directly or through one CONTRACT and SLICE."""
    writers = edit.producers(tensor)
    if len(writers) == 1 and writers[0].opcode == "SLICE":
        between = edit.producers(writers[0].inputs[0])
        if len(between) == 1 and between[0].opcode == "CONTRACT":
            writers = edit.producers(between[0].inputs[0])
    return len(writers) == 1 and writers[0].opcode in PRODUCTS


def _aligned(tensor: LogicalTensor) -> bool:
    """Whether the tensor starts at a multiple of 32 bytes within its storage."""
    shape, offset = static_shape(tensor.raw.shape), static_shape(tensor.offset)
    if shape is None or offset is None:
        return False
    linear = 0
    for extent, start in zip(shape, offset, strict=True):
        linear = linear * extent + start
    return linear * tensor.dtype.bytes % 32 == 0


def _fold_many_into_one(edit: Edit) -> None:
    """Several CONTRACTs into a tensor that one SLICE takes whole: they assemble the slice's result directly."""
    for operation in edit:
        if operation.opcode != "SLICE" or _to_l1(operation) or not is_zero(offset_of(operation)):
            continue
        source, result = operation.inputs[0], operation.outputs[0]
        if edit.readers(source) != 1 or edit.writers(source) < 2 or not same_extent(source, result):
            continue
        writers = edit.producers(source)
        foldable = all(
            writer.opcode == "CONTRACT" and _aligned(writer.inputs[0]) and not _from_product(edit, writer.inputs[0])
            for writer in writers
        )
        if foldable:
            for writer in writers:
                edit.change(writer, opcode="ASSEMBLE", outputs=(result,))
            edit.remove(operation)


def _place(contract: Operation, reader: Operation) -> Place | None:
    """Where a SLICE lies in the tile that `contract` writes; None unless it is wholly inside."""
    if reader.opcode != "SLICE":
        return None
    tile, result = contract.inputs[0], reader.outputs[0]
    size, part = static_shape(tile.shape), static_shape(result.shape)
    start, base = static_offset(reader), static_offset(contract)
    if size is None or part is None or start is None or base is None or len(size) != len(part):
        return None
    local = tuple(a - b for a, b in zip(start, base, strict=True))
    if any(at < 0 or at + extent > whole for at, extent, whole in zip(local, part, size, strict=True)):
        return None
    whole = size == part and is_zero(local)
    if whole and not same_extent(tile, result):
        return None
    return reader, local, whole


def _fold_one_into_many(edit: Edit) -> None:
    """One CONTRACT whose result is only sliced within its tile: readers take the tile, or a view of it."""
    for operation in edit:
        if operation.opcode != "CONTRACT":
            continue
        result = operation.outputs[0]
        if edit.writers(result) != 1 or edit.is_output(result):
            continue
        readers = edit.consumers(result)
        if not readers:
            continue
        places = [_place(operation, reader) for reader in readers]
        if all(place is not None for place in places):
            _rewrite(edit, operation, [place for place in places if place is not None])


def _rewrite(edit: Edit, contract: Operation, places: list[Place]) -> None:
    tile = contract.inputs[0]
    writers = edit.producers(tile)
    several = len(places) > 1
    if several and len(writers) == 1 and writers[0].opcode in PRODUCTS:
        return
    to_l1 = [place for place in places if _to_l1(place[0])]
    if to_l1:
        if len(writers) != 1 or writers[0].opcode != "SLICE":
            return
        if several and len(to_l1) == len(places):
            _keep_loads(edit, contract, places)
            return
        _load_into_l1(edit, writers[0], to_l1[0][0])
        tile = edit.current(writers[0]).outputs[0]
    for reader, local, whole in places:
        if whole:
            _take_tile(edit, contract, reader, tile)
        else:
            edit.change(reader, opcode="VIEW", inputs=(tile,), attributes={**reader.attributes, "offset": local})
    if contract in edit:
        edit.remove(contract)


def _keep_loads(edit: Edit, contract: Operation, places: list[Place]) -> None:
    """Several loads into L1 of one tile read it where it lies."""
    for reader, local, _ in places:
        edit.change(reader, inputs=contract.inputs, attributes={**reader.attributes, "offset": local})
    edit.remove(contract)


def _load_into_l1(edit: Edit, slice_before: Operation, load: Operation) -> None:
    """The slice before the tile becomes the load into L1."""
    copied = {name: value for name, value in load.attributes.items() if name.startswith("op_attr_copy_in")}
    details = {**edit.current(slice_before).attributes, **copied, "to": MemorySpace.L1}
    edit.change(slice_before, attributes=details)


def _take_tile(edit: Edit, contract: Operation, reader: Operation, tile: LogicalTensor) -> None:
    """The readers of a slice that is the whole tile read the tile; a load into L1 keeps its own result."""
    result = reader.outputs[0]
    alone = [other.id for other in edit.consumers(tile)] == [contract.id]
    if _to_l1(reader) and alone:
        (before,) = edit.producers(tile)
        edit.remove(reader)
        edit.change(before, outputs=(result,))
        return
    edit.redirect(result, tile)
    if edit.is_output(result):
        return
    edit.remove(reader)
