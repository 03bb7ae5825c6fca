"""From a traced kernel to its PTO program."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from .diagnostics.diagnostic import Diagnostic, Facts, Report, Severity
from .diagnostics.rules.pt902_not_lowered import RULE as NOT_LOWERED
from .ir.execute import ExecuteGraph
from .ir.graph import Builder, Graph
from .ir.kernel import Branch, Loop, Region, Segment, TensorKernel
from .lower import NotLowered, lower_kernel
from .passes.manager import Observe, PassContext, Rejected, State, run_passes
from .passes.multiplication import NotUniform, multiply
from .passes.tile_classes import reduce
from .pto.program import PtoProgram
from .targets import Target

_LAST_OF_TENSORS, _FIRST_OF_BLOCKS = "RemoveUndrivenView", "SubgraphToFunction"


class CompilationFailed(Exception):
    """The kernel has findings that leave no program; they went to `report`, and are in `diagnostics`."""

    def __init__(self, kernel: str, diagnostics: tuple[Diagnostic, ...]) -> None:
        self.diagnostics = diagnostics
        texts = "; ".join(f"{finding.span}: {finding.code} {finding.message()}" for finding in diagnostics)
        super().__init__(f"kernel {kernel} cannot be compiled: {texts}")


def compile_tensor_kernel(
    kernel: TensorKernel,
    target: Target,
    observe: Callable[[str, Any], None] | None = None,
    report: Report | None = None,
) -> PtoProgram:
    """The PTO program of `kernel`; CompilationFailed where a finding leaves none.

    `observe(pass name, state)` is called after each pass of each segment, with the graph of every tile; without it only
    one tile of each kind is compiled. See `run_kernel_passes` to stop at a pass.
    """
    findings: list[Diagnostic] = []

    def record(diagnostic: Diagnostic) -> None:
        findings.append(diagnostic)
        if report is not None:
            report(diagnostic)

    try:
        kernel = run_kernel_passes(kernel, target, observe, record)
    except Rejected as error:
        raise CompilationFailed(kernel.name, tuple(findings)) from error
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    if errors:
        raise CompilationFailed(kernel.name, tuple(errors))
    try:
        return lower_kernel(kernel, target, tuple(kernel.options.get("scalars", ())))
    except NotLowered as error:
        operation = error.operation
        record(NOT_LOWERED.at(operation.origin, Facts(operation.opcode), operation=operation.opcode))
        raise CompilationFailed(kernel.name, tuple(findings)) from error


def run_kernel_passes(
    kernel: TensorKernel,
    target: Target,
    observe: Observe | None = None,
    report: Report | None = None,
    until: str | None = None,
) -> TensorKernel:
    """`kernel` after the passes up to and including `until`: segments with their graph, or their execute graph."""
    context = PassContext(target, Builder(_highest_id(kernel) + 1), options=kernel.options)
    if report is not None:
        context.report = report

    def compiled(segment: Segment) -> Segment:
        if observe is None and until is None:
            return replace(segment, execute=_compiled_by_classes(segment.graph, context))
        state: State = run_passes(segment.graph, context, until, observe)
        if isinstance(state, ExecuteGraph):
            return replace(segment, execute=state)
        assert isinstance(state, Graph)
        return replace(segment, graph=state)

    return kernel.map_segments(compiled)


def _compiled_by_classes(graph: Graph, context: PassContext) -> ExecuteGraph:
    """The execute graph of a Tensor Graph, of which only one tile of each kind went through the passes."""
    state = run_passes(graph, context, until=_LAST_OF_TENSORS)
    assert isinstance(state, Graph)
    reduced, multiplication = reduce(state, context.options)
    try:
        calls = run_passes(reduced, context, after=_LAST_OF_TENSORS, until=_FIRST_OF_BLOCKS)
        assert isinstance(calls, ExecuteGraph)
        calls = multiply(calls, multiplication)
    except NotUniform:
        calls = run_passes(state, context, after=_LAST_OF_TENSORS, until=_FIRST_OF_BLOCKS)
    result = run_passes(calls, context, after=_FIRST_OF_BLOCKS)
    assert isinstance(result, ExecuteGraph)
    return result


def _highest_id(kernel: TensorKernel) -> int:
    """The largest id in use, so that new tensors and operations get fresh ones."""
    return max((0, *_ids(kernel.body), *(raw.id for raw in (*kernel.parameters, *kernel.workspace))))


def _ids(region: Region) -> Iterator[int]:
    for node in region:
        if isinstance(node, Segment):
            for operation in node.graph.operations:
                yield operation.id
            for tensor in node.graph.tensors():
                yield tensor.id
                yield tensor.raw.id
        elif isinstance(node, Loop):
            yield from _ids(node.body)
        elif isinstance(node, Branch):
            yield from _ids(node.then)
            yield from _ids(node.otherwise)
