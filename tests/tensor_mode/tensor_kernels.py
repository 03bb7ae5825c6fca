"""Traces kernels that tests write as text."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator, Sequence

from ptoscope_compiler import targets
from ptoscope_compiler.evaluate.interpreter import Interpreter
from ptoscope_compiler.evaluate.static_environment import ModuleSource, StaticEnvironment
from ptoscope_compiler.ir.graph import Graph, Operation
from ptoscope_compiler.ir.kernel import Branch, Loop, Region, Segment, TensorKernel
from ptoscope_compiler.tensor_mode.module import make_module
from ptoscope_compiler.tensor_mode.session import Session
from ptoscope_compiler.tensor_mode.trace import TensorArgument, Trace, trace_kernel

HEADER = "import pypto\n"


def trace(
    text: str, arguments: Sequence[TensorArgument | object] = (), target: str = "a2a3", file: str = "kernel.py"
) -> Trace:
    """Trace the only kernel of a module; `text` is its source, dedented, behind `import pypto`."""
    session = Session()
    environment = StaticEnvironment(lambda name: None, {"pypto": make_module(session)})
    environment.load(ModuleSource("kernel", file, ast.parse(HEADER + textwrap.dedent(text))))
    (kernel,) = environment.kernels
    interpreter = Interpreter(environment)
    return trace_kernel(
        kernel.function, list(arguments), targets.load(target), interpreter, session, None, kernel.options
    )


def kernel_of(text: str, arguments: Sequence[TensorArgument | object] = (), target: str = "a2a3") -> TensorKernel:
    """The traced kernel, which must have no findings."""
    result = trace(text, arguments, target)
    assert not result.diagnostics, [str(found.message()) for found in result.diagnostics]
    assert result.kernel is not None, result.incomplete
    return result.kernel


def graphs(region: Region) -> Iterator[Graph]:
    """Every graph of a kernel, in program order."""
    for node in region:
        if isinstance(node, Segment):
            yield node.graph
        elif isinstance(node, Loop):
            yield from graphs(node.body)
        elif isinstance(node, Branch):
            yield from graphs(node.then)
            yield from graphs(node.otherwise)


def operations(kernel: TensorKernel) -> list[Operation]:
    return [operation for graph in graphs(kernel.body) for operation in graph.operations]


def opcodes(kernel: TensorKernel) -> list[str]:
    """What the kernel computes, without the views and assembles at the borders of its graphs."""
    border = ("VIEW", "ASSEMBLE")
    return [operation.opcode for operation in operations(kernel) if operation.opcode not in border]
