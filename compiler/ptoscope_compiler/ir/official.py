"""Stages of one kernel compilation in the record that dumps of the official compiler are normalised to.

`{"kernel": name, "stages": {STAGE: [FUNCTION, ...]}}` with STAGE one of `STAGES`; FUNCTION is `{"function", "leaf",
"root", "ops": [{"opcode", "line", "in": [VALUE], "out": [VALUE], "attr", "subgraph"}]}` and VALUE `{"id", "raw",
"shape", "valid", "offset", "dtype", "mem", "symbol", "range"}`. A dimension known only at run time is -1. Source of the
memory numbers: `MemoryType` in `framework/include/tilefwk/data_type.h` of hicann/pypto.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any, TypeAlias

from ..dtype import DType
from ..hardware import MemorySpace
from ..scalar import Scalar, ScalarLike
from .execute import ExecuteGraph, LeafCall
from .graph import Graph, LogicalTensor, Operation
from .kernel import Segment, TensorKernel

Record: TypeAlias = dict[str, Any]
Observed: TypeAlias = Graph | ExecuteGraph | TensorKernel

STAGES: Mapping[str, str] = {
    "RemoveUndrivenView": "tensor",
    "ExpandFunction": "tile",
    "AssignMemoryType": "memory",
    "GenerateMoveOp": "move",
    "SubgraphToFunction": "block",
    "OoOSchedule": "schedule",
    "CodegenPreproc": "final",
}
"""The stage that the state after a pass is recorded as."""

MEMORY_NUMBERS: Mapping[MemorySpace, int] = {
    MemorySpace.UB: 0,
    MemorySpace.L1: 1,
    MemorySpace.L0A: 2,
    MemorySpace.L0B: 3,
    MemorySpace.L0C: 4,
    MemorySpace.FB: 6,
    MemorySpace.BT: 12,
    MemorySpace.GM: 15,
    MemorySpace.L0A_MX: 21,
    MemorySpace.L0B_MX: 22,
}


class StageRecorder:
    """Collects the stages of one kernel compilation; pass `observe` to the pipeline."""

    def __init__(self, kernel: str) -> None:
        self._record: Record = {"kernel": kernel, "stages": {stage: [] for stage in STAGES.values()}}

    def observe(self, pass_name: str, state: Observed) -> None:
        """Keep `state` if it is one of the recorded stages; segments of a kernel may come one by one or together."""
        stage = STAGES.get(pass_name)
        if stage is not None:
            self._record["stages"][stage] += functions(state)

    def record(self) -> Record:
        """What was observed."""
        return self._record


def functions(state: Observed) -> list[Record]:
    """The FUNCTION records of a graph, an execute graph or every segment of a kernel."""
    if isinstance(state, TensorKernel):
        return [entry for segment in state.segments() for entry in functions(_state(segment))]
    if isinstance(state, ExecuteGraph):
        leaves = [_function(leaf.name, leaf.graph.operations, leaf=True) for leaf in state.leaves.values()]
        calls = [_call(call) for call in state.calls for _ in range(_multiplicity(call))]
        return [*leaves, {"function": state.name, "leaf": False, "root": True, "ops": calls}]
    return [_function(state.name, state.operations)]


def _state(segment: Segment) -> Graph | ExecuteGraph:
    return segment.execute if segment.execute is not None else segment.graph


def _multiplicity(call: LeafCall) -> int:
    count = 1
    for extent in call.grid:
        count *= extent
    return count


def _function(name: str, operations: Iterable[Operation], leaf: bool = False) -> Record:
    records = [_operation(operation, leaf) for operation in operations]
    return {"function": name, "leaf": leaf, "root": False, "ops": records}


def _operation(operation: Operation, leaf: bool) -> Record:
    return {
        "opcode": operation.opcode,
        "line": operation.origin.span.line,
        "in": [_value(tensor, leaf) for tensor in operation.inputs],
        "out": [_value(tensor, leaf) for tensor in operation.outputs],
        "attr": {name: _plain(value) for name, value in operation.attributes.items()},
        "subgraph": operation.subgraph,
    }


def _call(call: LeafCall) -> Record:
    operands = [_value(tensor) for tensor in call.operands]
    attributes = {"leaf": call.leaf, "depends": list(call.depends)}
    return {
        "opcode": "CALL",
        "line": call.origin.span.line,
        "in": operands,
        "out": [],
        "attr": attributes,
        "subgraph": -1,
    }


def _value(tensor: LogicalTensor, leaf: bool = False) -> Record:
    """A tensor; in a leaf function, official dumps name the whole storage in global memory, ours the window."""
    shape = tensor.raw.shape if leaf and tensor.memory is MemorySpace.GM else tensor.shape
    return {
        "id": tensor.id,
        "raw": tensor.raw.id,
        "shape": [_dimension(extent) for extent in shape],
        "valid": [_dimension(extent) for extent in tensor.valid_shape],
        "offset": [_dimension(start) for start in tensor.offset],
        "dtype": tensor.dtype.name,
        "mem": None if tensor.memory is None else MEMORY_NUMBERS[tensor.memory],
        "range": None if tensor.address is None else [tensor.address],
        "symbol": tensor.raw.name or None,
    }


def _dimension(value: ScalarLike) -> int:
    return -1 if isinstance(value, Scalar) else int(value)


def _plain(value: Any) -> Any:
    """An attribute as JSON holds it."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, DType):
        return value.name
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(entry) for entry in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
