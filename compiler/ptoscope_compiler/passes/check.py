"""What holds after every pass on a Tile Graph; verifiers add what their own pass promises."""

from __future__ import annotations

from ..ir.graph import Graph, Operation
from .manager import InvalidGraph
from .moves import ASSEMBLE_LIKE, VIEW_LIKE

_MOVES = VIEW_LIKE | ASSEMBLE_LIKE


def require(condition: bool, graph: Graph, what: str, operation: Operation | None = None) -> None:
    """InvalidGraph unless `condition` holds."""
    if not condition:
        place = f" at {operation.opcode} #{operation.id} ({operation.origin})" if operation else ""
        raise InvalidGraph(f"{graph.name}: {what}{place}")


def check_structure(graph: Graph) -> None:
    """Values are made before they are read, inputs are never written, every output is written, ids are unique."""
    made = {tensor.id for tensor in graph.inputs}
    waiting: dict[int, int] = {}
    """How many writers of a tensor are still to come."""
    for operation in graph.operations:
        for tensor in operation.outputs:
            waiting[tensor.id] = waiting.get(tensor.id, 0) + 1
    seen: set[int] = set()
    begun: set[int] = set()
    for operation in graph.operations:
        if operation.id in seen:
            require(False, graph, "an operation occurs twice", operation)
        seen.add(operation.id)
        for tensor in operation.inputs:
            id = tensor.id
            if id in made or (id in begun and (not waiting[id] or any(id == own.id for own in operation.outputs))):
                continue
            require(False, graph, f"tensor #{id} is read before it is written", operation)
        for tensor in operation.outputs:
            begun.add(tensor.id)
            waiting[tensor.id] -= 1
        if operation.opcode in _MOVES:
            _check_move(graph, operation)
    for tensor in graph.outputs:
        require(tensor.id in begun or tensor.id in made, graph, f"output #{tensor.id} is never written")


def _check_move(graph: Graph, operation: Operation) -> None:
    whole = (operation.inputs if operation.opcode in VIEW_LIKE else operation.outputs)[0]
    offset = operation.attribute("offset")
    if offset is None or len(offset) != whole.rank:
        require(False, graph, "a move has no offset per axis", operation)
