"""Graphs as JSON values, and back."""

from __future__ import annotations

from typing import Any

from ..dtype import BY_NAME
from ..hardware import MemorySpace
from .encoding import decode, decode_origin, decode_tiles, encode, encode_origin, encode_tiles
from .graph import Graph, LogicalTensor, Operation, RawTensor


def graph_to_json(graph: Graph) -> dict[str, Any]:
    """A graph as JSON: raw tensors, tensors and operations refer to each other by id."""
    tensors = graph.tensors()
    raws: dict[int, RawTensor] = {}
    for tensor in tensors:
        _collect(tensor.raw, raws)
    return {
        "name": graph.name,
        "stage": graph.stage,
        "raw_tensors": [_raw_to_json(raw) for raw in raws.values()],
        "tensors": [_tensor_to_json(tensor) for tensor in tensors],
        "operations": [_operation_to_json(operation) for operation in graph.operations],
        "inputs": [tensor.id for tensor in graph.inputs],
        "outputs": [tensor.id for tensor in graph.outputs],
    }


def _collect(raw: RawTensor, raws: dict[int, RawTensor]) -> None:
    if raw.storage is not None:
        _collect(raw.storage, raws)
    raws.setdefault(raw.id, raw)


def _raw_to_json(raw: RawTensor) -> dict[str, Any]:
    return {
        "id": raw.id,
        "shape": encode(list(raw.shape)),
        "dtype": raw.dtype.name,
        "name": raw.name,
        "format": raw.format,
        "parameter": raw.parameter,
        "storage": None if raw.storage is None else raw.storage.id,
        "base": encode(raw.base),
        "strides": None if raw.strides is None else encode(list(raw.strides)),
    }


def _tensor_to_json(tensor: LogicalTensor) -> dict[str, Any]:
    return {
        "id": tensor.id,
        "raw": tensor.raw.id,
        "shape": encode(list(tensor.shape)),
        "offset": encode(list(tensor.offset)),
        "valid_shape": encode(list(tensor.valid_shape)),
        "memory": None if tensor.memory is None else tensor.memory.value,
        "address": tensor.address,
    }


def _operation_to_json(operation: Operation) -> dict[str, Any]:
    return {
        "id": operation.id,
        "opcode": operation.opcode,
        "inputs": [tensor.id for tensor in operation.inputs],
        "outputs": [tensor.id for tensor in operation.outputs],
        "attributes": {name: encode(value) for name, value in operation.attributes.items()},
        "origin": encode_origin(operation.origin),
        "tiles": encode_tiles(operation.tiles),
        "label": operation.label,
        "subgraph": operation.subgraph,
    }


def graph_from_json(data: dict[str, Any]) -> Graph:
    """The inverse of `graph_to_json`; KeyError or ValueError for a value that is not a graph."""
    raws: dict[int, RawTensor] = {}
    for entry in data["raw_tensors"]:
        raws[entry["id"]] = _raw_from_json(entry, raws)
    tensors = {entry["id"]: _tensor_from_json(entry, raws) for entry in data["tensors"]}
    return Graph(
        data["name"],
        [_operation_from_json(entry, tensors) for entry in data["operations"]],
        [tensors[number] for number in data["inputs"]],
        [tensors[number] for number in data["outputs"]],
        data["stage"],
    )


def _raw_from_json(entry: dict[str, Any], raws: dict[int, RawTensor]) -> RawTensor:
    strides = entry["strides"]
    return RawTensor(
        entry["id"],
        tuple(decode(entry["shape"])),
        BY_NAME[entry["dtype"]],
        entry["name"],
        entry["format"],
        entry["parameter"],
        None if entry["storage"] is None else raws[entry["storage"]],
        decode(entry["base"]),
        None if strides is None else tuple(decode(strides)),
    )


def _tensor_from_json(entry: dict[str, Any], raws: dict[int, RawTensor]) -> LogicalTensor:
    return LogicalTensor(
        entry["id"],
        raws[entry["raw"]],
        tuple(decode(entry["shape"])),
        tuple(decode(entry["offset"])),
        tuple(decode(entry["valid_shape"])),
        None if entry["memory"] is None else MemorySpace(entry["memory"]),
        entry["address"],
    )


def _operation_from_json(entry: dict[str, Any], tensors: dict[int, LogicalTensor]) -> Operation:
    return Operation(
        entry["id"],
        entry["opcode"],
        tuple(tensors[number] for number in entry["inputs"]),
        tuple(tensors[number] for number in entry["outputs"]),
        {name: decode(value) for name, value in entry["attributes"].items()},
        decode_origin(entry["origin"]),
        decode_tiles(entry["tiles"]),
        entry["label"],
        entry["subgraph"],
    )
