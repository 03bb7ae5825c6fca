"""Tensors that one graph reads and then writes again from what it read.

A tensor is one node of the graph: whoever reads it waits for all that write it (FAQ `view-assemble-cycle` of
hicann/pypto).
"""

from __future__ import annotations

from collections.abc import Iterator

from ..diagnostics.diagnostic import Diagnostic, Facts, Related
from ..diagnostics.rules import pt610_read_and_assembled
from ..ir.graph import Graph, Operation
from ..ir.kernel import Branch, Loop, Region, Segment


def check_circles(region: Region) -> Iterator[Diagnostic]:
    """One finding for each assemble that waits for itself."""
    for node in region:
        if isinstance(node, Segment):
            yield from _graph(node.graph)
        elif isinstance(node, Loop):
            yield from check_circles(node.body)
        elif isinstance(node, Branch):
            yield from check_circles(node.then)
            yield from check_circles(node.otherwise)


def _graph(graph: Graph) -> Iterator[Diagnostic]:
    read: dict[int, Operation] = {}
    for operation in graph.operations:
        for target in operation.outputs:
            reader = read.get(target.id)
            if reader is not None and _reaches(graph, reader, operation):
                yield pt610_read_and_assembled.RULE.at(
                    operation.origin,
                    facts=Facts(operation=operation.opcode),
                    related=(Related(reader.origin.span, "read here", "在此读取"),),
                    name=target.raw.name or "the tensor",
                )
        for source in operation.inputs:
            read.setdefault(source.id, operation)


def _reaches(graph: Graph, start: Operation, end: Operation) -> bool:
    """Whether `end` needs a result of `start`."""
    work, seen = [start], {start.id}
    while work:
        operation = work.pop()
        if operation is end:
            return True
        for tensor in operation.outputs:
            for reader in graph.consumers(tensor):
                if reader.id not in seen:
                    seen.add(reader.id)
                    work.append(reader)
    return False
