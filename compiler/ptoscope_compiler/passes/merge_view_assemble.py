"""Pass 06, MergeViewAssemble: chains of views, and chains of assembles, become one move each.

A SLICE is not merged into a SLICE, nor a CONTRACT into a CONTRACT. Source:
`framework/src/passes/pass_utils/merge_view_assemble_utils.cpp` of hicann/pypto.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..ir.graph import Graph, Operation
from .check import check_structure, require
from .edit import Edit
from .manager import PassContext
from .moves import first_user_origin, is_assemble, is_view, offset_of
from .windows import shifted

_INHERITED = ("op_attr_copy_in_mode", "op_attr_copy_in_l1_padding_mode", "op_attr_copy_in_l1_k_index")
Chain = tuple[Operation, ...]


def _has(chain: Chain, opcode: str) -> bool:
    return any(link.opcode == opcode for link in chain)


def _total_offset(chain: Chain) -> tuple[Any, ...]:
    total = offset_of(chain[0])
    for link in chain[1:]:
        total = shifted(total, offset_of(link))
    return total


@dataclass(frozen=True, slots=True)
class Readers:
    """The readers of one tensor; `others` says whether some are not assembles."""

    views: list[Operation]
    assembles: list[Operation]
    others: bool


class _Merger:
    """Finds the chains first, then writes the merged moves, as chains share links."""

    def __init__(self, edit: Edit) -> None:
        self.edit = edit
        self.seen: set[int] = set()
        self.views: list[Chain] = []
        self.assembles: list[Chain] = []
        self._readers: dict[int, Readers] = {}

    def run(self) -> None:
        for operation in self.edit:
            if operation.id in self.seen:
                continue
            if is_view(operation):
                self._follow_views((operation,))
            elif is_assemble(operation):
                self._follow_assembles((operation,))
        self._write()
        self._drop_unfed()

    def _follow_views(self, chain: Chain) -> None:
        """Extend `chain` by each view of its result; it ends here where the last of them cannot be merged."""
        last = chain[-1]
        self.seen.add(last.id)
        memory, ends = last.attribute("to"), True
        for reader in self._readers_of(last).views:
            same = memory is None or memory is reader.attribute("to")
            ends = not (same and not (_has(chain, "SLICE") and reader.opcode == "SLICE"))
            if not ends:
                self._follow_views((*chain, reader))
        if ends and len(chain) > 1:
            self.views.append(chain)

    def _follow_assembles(self, chain: Chain) -> None:
        last = chain[-1]
        self.seen.add(last.id)
        readers = self._readers_of(last)
        ends = readers.others or not readers.assembles
        for reader in readers.assembles:
            merged = (*chain, reader)
            if _has(chain, "CONTRACT") and reader.opcode == "CONTRACT":
                ends = True
            else:
                self._follow_assembles(merged)
        if ends and len(chain) > 1:
            self.assembles.append(chain)

    def _readers_of(self, operation: Operation) -> Readers:
        tensor = operation.outputs[0]
        if tensor.id not in self._readers:
            readers = self.edit.consumers(tensor)
            assembles = [reader for reader in readers if is_assemble(reader)]
            views = [reader for reader in readers if is_view(reader)]
            self._readers[tensor.id] = Readers(views, assembles, len(assembles) < len(readers))
        return self._readers[tensor.id]

    def _write(self) -> None:
        for chain in self.views:
            self._replace(chain, "SLICE" if _has(chain, "SLICE") else "VIEW", _view_details(chain))
        for chain in self.assembles:
            opcode = "CONTRACT" if _has(chain, "CONTRACT") else "ASSEMBLE"
            self._replace(chain, opcode, _assemble_details(chain))

    def _replace(self, chain: Chain, opcode: str, details: dict[str, Any]) -> None:
        end = chain[-1]
        like = first_user_origin(list(chain))
        self.edit.add(like, opcode, chain[0].inputs[:1], end.outputs[:1], details)
        if end in self.edit:
            self.edit.remove(end)

    def _drop_unfed(self) -> None:
        """An ASSEMBLE of a tensor that nothing writes any more is of no use."""
        for operation in self.edit:
            source = operation.inputs[0] if operation.opcode == "ASSEMBLE" else None
            if source is not None and not self.edit.writers(source) and not self.edit.is_input(source):
                self.edit.remove(operation)


def _view_details(chain: Chain) -> dict[str, Any]:
    last = chain[-1]
    details = {name: last.attributes[name] for name in (*_INHERITED, "to") if name in last.attributes}
    return {**details, "offset": _total_offset(chain)}


def _assemble_details(chain: Chain) -> dict[str, Any]:
    details: dict[str, Any] = {"offset": _total_offset(chain)}
    for flag in ("NeedCopy", "op_attr_atomic_add"):
        if any(link.attribute(flag) for link in chain):
            details[flag] = True
    return details


def merge_moves(edit: Edit) -> None:
    """Merge the chains of `edit` and drop what nothing needs any more."""
    _Merger(edit).run()
    edit.drop_dead()


def run(graph: Graph, context: PassContext) -> Graph:
    edit = Edit(graph, context.builder)
    merge_moves(edit)
    return edit.finish()


def _mergeable(first: Operation, readers: Sequence[Operation]) -> bool:
    """Whether `first` is a VIEW all of whose readers are VIEWs into the same memory."""
    return bool(readers) and all(
        reader.opcode == "VIEW" and first.attribute("to") in (None, reader.attribute("to")) for reader in readers
    )


def verify(graph: Graph, context: PassContext) -> None:
    """No VIEW is left whose only readers are VIEWs that it could have been merged into."""
    check_structure(graph)
    for operation in graph.operations:
        if operation.opcode == "VIEW":
            readers = graph.consumers(operation.outputs[0])
            require(not _mergeable(operation, readers), graph, "a chain of views was not merged", operation)
