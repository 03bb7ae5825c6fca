"""Graphs as text that a person can read, and back.

    graph add_kernel stage=tile
      raw @1 DT_FP32 [64, 64] "x" parameter
      tensor %3 @1 [32, 32] offset [0, 32] valid [32, 32] UB address 4096
      input %2
      %5 = ADD %3, %4 {"op_attr_brc_operand": [0, 2]} !17 g0  // k.py:12:5
      output %6

Whatever a place has not, is left out: offset zero, a valid shape equal to the shape, an unset memory or address.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from ..dtype import BY_NAME
from ..hardware import MemorySpace
from ..origin import Origin, Span
from ..scalar import ScalarLike
from .encoding import decode, encode
from .graph import Graph, LogicalTensor, Operation, RawTensor
from .scalar_text import format_scalar, parse_scalar


class GraphSyntax(ValueError):
    """A text that is not a graph; the message names the line."""


def graph_to_text(graph: Graph) -> str:
    """A graph as text."""
    lines = [f"graph {graph.name} stage={graph.stage}"]
    tensors = graph.tensors()
    raws: dict[int, RawTensor] = {}
    for tensor in tensors:
        if tensor.raw.storage is not None:
            raws.setdefault(tensor.raw.storage.id, tensor.raw.storage)
        raws.setdefault(tensor.raw.id, tensor.raw)
    lines += [f"  {_raw(raw)}" for raw in raws.values()]
    lines += [f"  {_tensor(tensor)}" for tensor in tensors]
    lines += [f"  input %{tensor.id}" for tensor in graph.inputs]
    lines += [f"  {_operation(operation)}" for operation in graph.operations]
    lines += [f"  output %{tensor.id}" for tensor in graph.outputs]
    return "\n".join(lines) + "\n"


def _extents(values: Iterable[ScalarLike]) -> str:
    return f"[{', '.join(map(format_scalar, values))}]"


def _raw(raw: RawTensor) -> str:
    parts = [f"raw @{raw.id} {raw.dtype} {_extents(raw.shape)} {json.dumps(raw.name)}"]
    if raw.format != "ND":
        parts.append(f"format {raw.format}")
    if raw.parameter:
        parts.append("parameter")
    if raw.storage is not None:
        parts.append(f"over @{raw.storage.id} from [{format_scalar(raw.base)}]")
    if raw.strides is not None:
        parts.append(f"strides {_extents(raw.strides)}")
    return " ".join(parts)


def _tensor(tensor: LogicalTensor) -> str:
    parts = [f"tensor %{tensor.id} @{tensor.raw.id} {_extents(tensor.shape)}"]
    if any(start != 0 for start in tensor.offset):
        parts.append(f"offset {_extents(tensor.offset)}")
    if tensor.valid_shape != tensor.shape:
        parts.append(f"valid {_extents(tensor.valid_shape)}")
    if tensor.memory is not None:
        parts.append(tensor.memory.value)
    if tensor.address is not None:
        parts.append(f"address {tensor.address}")
    return " ".join(parts)


def _operation(operation: Operation) -> str:
    results = ", ".join(f"%{tensor.id}" for tensor in operation.outputs)
    operands = ", ".join(f"%{tensor.id}" for tensor in operation.inputs)
    text = f"{results} = {operation.opcode} {operands}".strip()
    if operation.attributes:
        text += f" {json.dumps({name: encode(value) for name, value in operation.attributes.items()})}"
    text += f" !{operation.id}"
    if operation.subgraph >= 0:
        text += f" g{operation.subgraph}"
    return f"{text}  // {operation.origin.span}"


_EXTENTS = r"\[([^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*)\]"
_HEADER = re.compile(r"graph (.*) stage=(\w+)$")
_RAW = re.compile(
    rf'raw @(-?\d+) (\w+) {_EXTENTS} ("(?:[^"\\]|\\.)*")(?: format (\w+))?( parameter)?'
    rf"(?: over @(-?\d+) from {_EXTENTS})?(?: strides {_EXTENTS})?$"
)
_TENSOR = re.compile(
    rf"tensor %(\d+) @(-?\d+) {_EXTENTS}(?: offset {_EXTENTS})?(?: valid {_EXTENTS})?"
    r"(?: ([A-Z]\w*))?(?: address (\d+))?$"
)
_OPERATION = re.compile(
    r"((?:%\d+(?:, )?)*) ?= (\S+)((?:,? %\d+)*)(?: (\{.*\}))? !(\d+)(?: g(\d+))?  // (.*):(\d+):(\d+)$"
)


def graph_from_text(text: str) -> Graph:
    """The graph that `graph_to_text` wrote, with the first place of each origin; GraphSyntax for any other text."""
    reader = _Reader()
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not reader.read(line.strip()):
            raise GraphSyntax(f"line {number} is not part of a graph: {line.strip()}")
    if reader.name is None:
        raise GraphSyntax("the text does not begin with a graph")
    return Graph(reader.name, reader.operations, reader.inputs, reader.outputs, reader.stage)


class _Reader:
    def __init__(self) -> None:
        self.name: str | None = None
        self.stage = "tensor"
        self.raws: dict[int, RawTensor] = {}
        self.tensors: dict[int, LogicalTensor] = {}
        self.inputs: list[LogicalTensor] = []
        self.outputs: list[LogicalTensor] = []
        self.operations: list[Operation] = []

    def read(self, line: str) -> bool:
        """Take in one line; False where it is none of a graph."""
        if match := _HEADER.match(line):
            self.name, self.stage = match.groups()
        elif match := _RAW.match(line):
            self._read_raw(*match.groups())
        elif match := _TENSOR.match(line):
            self._read_tensor(*match.groups())
        elif match := re.match(r"(input|output) %(\d+)$", line):
            side = self.inputs if match.group(1) == "input" else self.outputs
            side.append(self.tensors[int(match.group(2))])
        elif match := _OPERATION.match(line):
            self._read_operation(*match.groups())
        else:
            return False
        return True

    def _read_raw(
        self,
        number: str,
        dtype: str,
        shape: str,
        name: str,
        layout: str | None,
        parameter: str | None,
        storage: str | None,
        base: str | None,
        strides: str | None,
    ) -> None:
        self.raws[int(number)] = RawTensor(
            int(number),
            _split(shape),
            BY_NAME[dtype],
            json.loads(name),
            layout or "ND",
            parameter is not None,
            None if storage is None else self.raws[int(storage)],
            0 if base is None else parse_scalar(base),
            None if strides is None else _split(strides),
        )

    def _read_tensor(
        self,
        number: str,
        raw: str,
        shape: str,
        offset: str | None,
        valid: str | None,
        memory: str | None,
        address: str | None,
    ) -> None:
        extent = _split(shape)
        self.tensors[int(number)] = LogicalTensor(
            int(number),
            self.raws[int(raw)],
            extent,
            (0,) * len(extent) if offset is None else _split(offset),
            extent if valid is None else _split(valid),
            None if memory is None else MemorySpace(memory),
            None if address is None else int(address),
        )

    def _read_operation(
        self,
        results: str,
        opcode: str,
        operands: str,
        attributes: str | None,
        number: str,
        subgraph: str | None,
        file: str,
        line: str,
        column: str,
    ) -> None:
        span = Span(file, int(line), int(column) - 1, int(line), int(column) - 1)
        self.operations.append(
            Operation(
                int(number),
                opcode,
                self._tensors(operands),
                self._tensors(results),
                {name: decode(value) for name, value in json.loads(attributes or "{}").items()},
                Origin(span),
                subgraph=-1 if subgraph is None else int(subgraph),
            )
        )

    def _tensors(self, text: str) -> tuple[LogicalTensor, ...]:
        return tuple(self.tensors[int(number)] for number in re.findall(r"%(\d+)", text))


def _split(text: str) -> tuple[ScalarLike, ...]:
    """The scalars of a list: commas within brackets or backquotes do not separate."""
    parts: list[str] = [""]
    depth, quoted = 0, False
    for character in text:
        quoted ^= character == "`"
        depth += (character in "([") - (character in ")]") if not quoted else 0
        if character == "," and not depth and not quoted:
            parts.append("")
        else:
            parts[-1] += character
    return tuple(parse_scalar(part) for part in parts if part.strip())
