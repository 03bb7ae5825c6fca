"""A kernel with its execute graphs as a PTO program: core programs, and the control flow that calls them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from ..ir.execute import ExecuteGraph, LeafCall
from ..ir.graph import LogicalTensor, RawTensor
from ..ir.kernel import Branch, Loop, Rebind, Region, Segment, SetElement, SetScalar, TensorKernel
from ..passes.tiles import strides
from ..pto.program import (
    Assign,
    Buffer,
    Call,
    Choose,
    Control,
    CoreProgram,
    For,
    Instruction,
    PtoProgram,
    Repeat,
    StoreElement,
    Tasks,
)
from ..scalar import Scalar, ScalarLike, Symbol, add, mul, substitute
from ..targets import Target
from .leaf import lower_leaf
from .operands import absolute_offset, offset_name
from .rebinding import ELEMENTS, copy_program

Node = Segment | Loop | Branch | SetElement | SetScalar | Rebind


def lower_kernel(kernel: TensorKernel, target: Target, scalars: tuple[str, ...] = ()) -> PtoProgram:
    """The PTO program of a kernel whose segments all have execute graphs."""
    lowering = _Lowering(kernel, target)
    control = lowering.region(kernel.body)
    return PtoProgram(
        kernel.name,
        "tensor",
        target.name,
        tuple(lowering.buffer(raw, raw.name) for raw in kernel.parameters),
        scalars,
        tuple(lowering.buffer(raw, name) for raw, name in lowering.workspace.values()),
        lowering.cores,
        control,
        kernel.origin,
    )


def _offset_in_grid(call: LeafCall, position: int, window: LogicalTensor) -> ScalarLike:
    """Where a window begins, for the call at `grid0`, `grid1`, ... of the call's grid."""
    offset = absolute_offset(window)
    for axis, strides_of_operands in enumerate(call.strides):
        pairs = zip(strides_of_operands[position], strides(window.raw), strict=True)
        step: ScalarLike = 0
        for elements, stride in pairs:
            step = add(step, mul(elements, stride))
        offset = add(offset, mul(Symbol(f"grid{axis}"), step))
    return offset


class _Lowering:
    def __init__(self, kernel: TensorKernel, target: Target) -> None:
        self._target = target
        self._parameters = {raw.id: raw.name for raw in kernel.parameters}
        self._names = {raw.name for raw in kernel.parameters}
        self.workspace: dict[int, tuple[RawTensor, str]] = {}
        self.cores: dict[str, CoreProgram] = {}
        self._dimensions = {
            f"RUNTIME_GetInputShapeDim({raw.name}, {axis})": Symbol(f"{raw.name}.shape[{axis}]")
            for raw in kernel.parameters
            for axis in range(len(raw.shape))
        }
        for raw in kernel.workspace:
            self._name(raw)

    def _bound(self, value: ScalarLike) -> ScalarLike:
        """`value` with the dimensions of parameters under the names that the launch binds."""
        return substitute(value, self._dimensions) if isinstance(value, Scalar) else value

    def buffer(self, raw: RawTensor, name: str) -> Buffer:
        return Buffer(name, raw.dtype, tuple(map(self._bound, raw.shape)), raw.format)

    def region(self, region: Region) -> Control:
        return tuple(node for part in region for node in self._node(part))

    def _node(self, node: Node) -> Iterable[Tasks | Repeat | Choose | StoreElement | Assign]:
        if isinstance(node, Segment):
            assert node.execute is not None, "lowering comes behind SubgraphToFunction"
            tasks = self._tasks(node.execute)
            if tasks is not None:
                yield tasks
        elif isinstance(node, Loop):
            body = self.region(node.body)
            start, stop, step = map(self._bound, (node.start, node.stop, node.step))
            yield Repeat(node.index.name, start, stop, step, body, node.origin)
        elif isinstance(node, Branch):
            condition = self._bound(node.condition)
            yield Choose(condition, self.region(node.then), self.region(node.otherwise), node.origin)
        elif isinstance(node, SetScalar):
            yield Assign(node.symbol.name, self._bound(node.value), node.origin)
        elif isinstance(node, Rebind):
            yield self._copy(node)
        else:
            indices = tuple(map(self._bound, node.indices))
            yield StoreElement(node.buffer, indices, self._bound(node.value), node.origin)

    def _copy(self, node: Rebind) -> Tasks:
        name = f"copy_{node.source.dtype.pto}"
        if name not in self.cores:
            self.cores[name] = copy_program(name, node.source.dtype, node.origin)
        elements: ScalarLike = 1
        for extent in node.source.shape:
            elements = mul(elements, self._bound(extent))
        buffers = {"source": self._name(node.source), "target": self._name(node.target)}
        return Tasks((Call(name, buffers, {ELEMENTS: elements}, (), node.origin),), node.origin)

    def _tasks(self, execute: ExecuteGraph) -> Tasks | None:
        """The calls of a segment, without those of leaf functions that only name memory."""
        names: dict[str, str] = {}
        for name, leaf in execute.leaves.items():
            program = lower_leaf(leaf, self._target.arch)
            if any(isinstance(statement, (Instruction, For)) for statement in program.body):
                names[name] = name if name not in self.cores else f"{name}_{len(self.cores)}"
                self.cores[names[name]] = replace(program, name=names[name])
        standing: list[frozenset[int]] = []
        calls: list[Call] = []
        for call in execute.calls:
            depends = frozenset(number for other in call.depends for number in standing[other])
            if call.leaf in names:
                standing.append(frozenset((len(calls),)))
                calls.append(self._call(call, execute, names, tuple(sorted(depends))))
            else:
                standing.append(depends)
        return Tasks(tuple(calls), calls[0].origin) if calls else None

    def _call(self, call: LeafCall, execute: ExecuteGraph, names: Mapping[str, str], depends: tuple[int, ...]) -> Call:
        graph = execute.leaves[call.leaf].graph
        formals = [tensor.raw.name for tensor in (*graph.inputs, *graph.outputs)]
        buffers = {formal: self._name(raw) for formal, raw in zip(formals, call.raws, strict=True)}
        scalars = {name: self._bound(value) for name, value in call.scalars.items()}
        for position, (formal, window) in enumerate(zip(formals, call.operands, strict=True)):
            scalars[offset_name(formal)] = self._bound(_offset_in_grid(call, position, window))
        return Call(names[call.leaf], buffers, scalars, depends, call.origin, call.grid)

    def _name(self, raw: RawTensor) -> str:
        """The buffer's name: a parameter's own, else one that is unique in the program."""
        if raw.id in self._parameters:
            return self._parameters[raw.id]
        if raw.id not in self.workspace:
            name = raw.name or "workspace"
            if name in self._names:
                name = f"{name}_{raw.id}"
            self._names.add(name)
            self.workspace[raw.id] = raw, name
        return self.workspace[raw.id][1]
