"""An execute graph as text: its calls, one per line, with what each must wait for."""

from __future__ import annotations

from .execute import ExecuteGraph, LeafCall
from .graph import LogicalTensor
from .scalar_text import format_scalar
from .text import graph_to_text


def calls_to_text(execute: ExecuteGraph) -> str:
    """The calls of the graph:

    execute softmax_PATH0
      0: call softmax_leaf0(x[block*32, 0], y[block*32, 0]) grid [2]  // k.py:14:9
      1: call softmax_leaf1(...) after 0
    """
    lines = [f"execute {execute.name}"]
    lines += [f"  {index}: {_call(call)}" for index, call in enumerate(execute.calls)]
    return "\n".join(lines) + "\n"


def leaves_to_text(execute: ExecuteGraph) -> str:
    """The block graphs of the leaf functions, each once, under the kind of core that runs it."""
    return "\n".join(
        f"leaf {leaf.name} {leaf.core.value}\n{graph_to_text(leaf.graph)}" for leaf in execute.leaves.values()
    )


def _call(call: LeafCall) -> str:
    parts = [f"call {call.leaf}({', '.join(map(_window, call.operands))})"]
    if call.grid:
        parts.append(f"grid {list(call.grid)}")
    if call.depends:
        parts.append(f"after {', '.join(map(str, call.depends))}")
    return f"{' '.join(parts)}  // {call.origin.span}"


def _window(tensor: LogicalTensor) -> str:
    name = tensor.raw.name or f"@{tensor.raw.id}"
    return f"{name}[{', '.join(map(format_scalar, tensor.offset))}]"
