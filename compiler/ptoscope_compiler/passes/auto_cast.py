"""Pass 02, AutoCast: what a chip computes in fp32 only gets its bf16 and fp16 operands cast, and its results back.

A result that goes on to another such operation stays in fp32; the cast back then has no reader and is removed later.
Source: `framework/src/passes/tensor_graph_pass/auto_cast.cpp` and `interface/operation/opcode.h` of hicann/pypto.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from importlib.resources import files

from ..dtype import BF16, FP16, FP32, INT8, INT16, INT32, DType
from ..ir.graph import Graph, LogicalTensor, Operation
from .check import check_structure, require
from .edit import Edit
from .manager import PassContext

_WIDENED: dict[str, dict[str, list[str]]] = json.loads(
    files(__package__).joinpath("widened_opcodes.json").read_text(encoding="utf-8")
)
_STEPS = frozenset(
    {
        *((FP32, dtype) for dtype in (FP16, BF16, INT16, INT32, FP32)),
        *((dtype, FP32) for dtype in (FP16, BF16, INT16, INT32)),
        (FP16, INT8),
        (INT8, FP16),
        (BF16, INT32),
    }
)
_950 = "3510"


@cache
def widened_opcodes(architecture: str, dtype: DType) -> frozenset[str]:
    """Operations that compute operands of `dtype` in fp32."""
    opcodes = _WIDENED.get(str(dtype), {"default": []})
    return frozenset(opcodes.get(architecture, opcodes["default"]))


class _Caster:
    def __init__(self, graph: Graph, context: PassContext) -> None:
        self.edit = Edit(graph, context.builder)
        self.architecture = context.target.arch
        self.builder = context.builder
        self.added: set[int] = set()
        self.from_inputs = set(_views_of(self.edit, graph.inputs))
        self.to_outputs = set(_assembled_into(self.edit, graph.outputs))

    def run(self) -> Graph:
        self._widen(BF16)
        self._widen(FP16)
        if self.architecture == _950:
            self._split_int32_to_fp16()
        for operation in self.edit:
            if operation.id in self.added and operation in self.edit:
                self._shorten(operation)
        return self.edit.finish()

    def _cast(self, like: Operation, source: LogicalTensor, target: LogicalTensor) -> Operation:
        made = self.edit.add(like, "CAST", (source,), (target,), {"op_attr_mode": 0, "op_attr_satmode": 1})
        tile = made.tiles.vector
        if tile is not None and len(tile) > target.rank:
            made = self.edit.change(made, tiles=replace(made.tiles, vector=tile[len(tile) - target.rank :]))
        self.added.add(made.id)
        return made

    def _wide(self, tensor: LogicalTensor) -> LogicalTensor:
        raw = self.builder.raw(tensor.shape, FP32, format=tensor.raw.format)
        return self.builder.tensor(raw, valid_shape=tensor.valid_shape)

    def _widen(self, dtype: DType) -> None:
        opcodes = widened_opcodes(self.architecture, dtype)
        wide: dict[int, LogicalTensor] = {}
        for operation in self.edit:
            if operation.opcode not in opcodes:
                continue
            for tensor in dict.fromkeys(operation.inputs):
                if tensor.dtype != dtype:
                    continue
                if tensor.id not in wide:
                    wide[tensor.id] = self._wide(tensor)
                    self._cast(operation, tensor, wide[tensor.id])
                    if tensor.id in self.from_inputs:
                        self.from_inputs.add(wide[tensor.id].id)
                self.edit.replace_input(operation, tensor, wide[tensor.id])
            for tensor in dict.fromkeys(operation.outputs):
                if tensor.dtype == dtype:
                    self._widen_output(operation, tensor, wide)

    def _widen_output(self, operation: Operation, tensor: LogicalTensor, wide: dict[int, LogicalTensor]) -> None:
        value = self._wide(tensor)
        current = self.edit.current(operation)
        outputs = tuple(value if output is tensor else output for output in current.outputs)
        self.edit.change(current, outputs=outputs)
        self._cast(operation, value, tensor)
        wide[tensor.id] = value
        if tensor.id in self.to_outputs:
            self.to_outputs.add(value.id)

    def _split_int32_to_fp16(self) -> None:
        for operation in self.edit:
            if operation.opcode != "CAST" or operation.inputs[0].dtype != INT32 or operation.outputs[0].dtype != FP16:
                continue
            between = self._wide(operation.outputs[0])
            self._cast(operation, operation.inputs[0], between)
            self.edit.replace_input(operation, operation.inputs[0], between)

    def _shorten(self, last: Operation) -> None:
        """Let the readers of a chain of added casts read an earlier link of the same type, or cast in one step."""
        readers = self.edit.consumers(last.outputs[0])
        if readers and all(reader.opcode == "CAST" for reader in readers):
            return
        target = last.outputs[0]
        chain = self._chain(last)
        for position in range(len(chain) - 1, -1, -1):
            source = chain[position].inputs[0]
            both = target.id in self.to_outputs and source.id in self.from_inputs
            if source.dtype == target.dtype and not both and self._bypass(source, target):
                return
            if position and self._is_step(source.dtype, target.dtype):
                like = self.edit.consumers(source)[0]
                self.edit.remove(last)
                self._cast(like, source, target)
                return

    def _chain(self, last: Operation) -> list[Operation]:
        chain = [last]
        while True:
            producers = self.edit.producers(chain[-1].inputs[0])
            if len(producers) != 1 or producers[0].id not in self.added:
                return chain
            chain.append(producers[0])

    def _bypass(self, source: LogicalTensor, target: LogicalTensor) -> bool:
        edit = self.edit
        if not edit.is_output(target):
            edit.redirect(target, source)
            return True
        if edit.is_input(source) or edit.is_output(source):
            return False
        before, after = edit.producers(source), edit.producers(target)
        readers = edit.consumers(source)
        for operation in after:
            edit.change(operation, outputs=tuple(source if t.id == target.id else t for t in operation.outputs))
        for operation in before:
            current = edit.current(operation)
            edit.change(current, outputs=tuple(target if t.id == source.id else t for t in current.outputs))
        for operation in readers:
            edit.replace_input(operation, source, target)
        return True

    def _is_step(self, source: DType, target: DType) -> bool:
        return (source, target) in _STEPS or (self.architecture != _950 and (source, target) == (INT32, FP16))


def _views_of(edit: Edit, tensors: Iterable[LogicalTensor]) -> Iterator[int]:
    """Ids of `tensors` and of all views of them."""
    for tensor in tensors:
        yield tensor.id
        for reader in edit.consumers(tensor):
            if reader.opcode == "VIEW":
                yield from _views_of(edit, reader.outputs)


def _assembled_into(edit: Edit, tensors: Iterable[LogicalTensor]) -> Iterator[int]:
    """Ids of `tensors` and of all that is assembled into them."""
    for tensor in tensors:
        yield tensor.id
        for writer in edit.producers(tensor):
            if writer.opcode == "ASSEMBLE":
                yield from _assembled_into(edit, writer.inputs)


def run(graph: Graph, context: PassContext) -> Graph:
    return _Caster(graph, context).run()


def verify(graph: Graph, context: PassContext) -> None:
    check_structure(graph)
    for operation in graph.operations:
        for tensor in (*operation.inputs, *operation.outputs):
            narrow = operation.opcode in widened_opcodes(context.target.arch, tensor.dtype)
            require(not narrow, graph, f"an operand is still {tensor.dtype}", operation)
