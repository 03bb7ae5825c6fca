"""Pass 00, InferTensorFormat: conversions where an operation needs another format than its operand has.

Of all operations only convolution needs one (`OpcodeManager::GetSupportOpFormatList`,
`framework/src/interface/operation/opcode.cpp` of hicann/pypto); graphs without it pass unchanged.
"""

from __future__ import annotations

from ..ir.graph import Graph
from .check import check_structure, require
from .manager import PassContext

_ND_ONLY = frozenset({"CONV", "CONV_ADD"})


def run(graph: Graph, context: PassContext) -> Graph:
    return graph


def verify(graph: Graph, context: PassContext) -> None:
    check_structure(graph)
    for operation in graph.operations:
        require(operation.opcode not in _ND_ONLY, graph, "a convolution is without its format conversions", operation)
