"""What holds after every pass on a Tile Graph; verifiers add what their own pass promises."""

from __future__ import annotations

from ..ir.graph import Graph, Operation
from .manager import InvalidGraph


def require(condition: bool, graph: Graph, what: str, operation: Operation | None = None) -> None:
    """InvalidGraph unless `condition` holds."""
    if not condition:
        place = f" at {operation.opcode} #{operation.id} ({operation.origin})" if operation else ""
        raise InvalidGraph(f"{graph.name}: {what}{place}")


def check_structure(graph: Graph) -> None:
    """Values are made before they are read, inputs are never written, every output is written, ids are unique."""
    made = {tensor.id for tensor in graph.inputs}
    writers: dict[int, int] = {}
    for operation in graph.operations:
        for tensor in operation.outputs:
            writers[tensor.id] = writers.get(tensor.id, 0) + 1
    seen: set[int] = set()
    written: dict[int, int] = {}
    for operation in graph.operations:
        require(operation.id not in seen, graph, "an operation occurs twice", operation)
        seen.add(operation.id)
        for tensor in operation.inputs:
            whole = written.get(tensor.id, 0) == writers.get(tensor.id, 0)
            in_place = any(tensor.id == output.id for output in operation.outputs)
            ready = tensor.id in made or (tensor.id in written and (whole or in_place))
            require(ready, graph, f"tensor #{tensor.id} is read before it is written", operation)
        for tensor in operation.outputs:
            written[tensor.id] = written.get(tensor.id, 0) + 1
    for tensor in graph.outputs:
        require(tensor.id in written or tensor.id in made, graph, f"output #{tensor.id} is never written")
    for operation in graph.operations:
        if operation.opcode in ("VIEW", "SLICE", "ASSEMBLE", "CONTRACT"):
            rank = (operation.inputs if operation.opcode in ("VIEW", "SLICE") else operation.outputs)[0].rank
            offset = operation.attribute("offset")
            require(offset is not None and len(offset) == rank, graph, "a move has no offset per axis", operation)
