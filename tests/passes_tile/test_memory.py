"""Where tensors are placed, and that no pass leaves what its verifier forbids."""

from __future__ import annotations

import pytest
from ptoscope_compiler.dtype import FP16
from ptoscope_compiler.hardware import MemorySpace
from ptoscope_compiler.ir.graph import CubeTile, Graph
from ptoscope_compiler.passes import duplicate_op, merge_view_assemble
from ptoscope_compiler.passes.manager import InvalidGraph
from tensor_graphs import Script, context, passes

CUBE = CubeTile((16, 16), (16, 16, 16), (16, 16))


def placed(script: Script, slices: bool = True, until: str = "AssignMemoryType") -> Graph:
    graph = passes(script, until, slices)
    assert isinstance(graph, Graph)
    return graph


def memories(graph: Graph, opcode: str) -> set[tuple[MemorySpace | None, ...]]:
    found = set()
    for operation in graph.operations:
        if operation.opcode == opcode:
            found.add(tuple(tensor.memory for tensor in (*operation.inputs, *operation.outputs)))
    return found


@pytest.mark.parametrize("slices", [False, True])
def test_vector_operations_work_in_ub_and_meet_the_caller_in_global_memory(slices: bool) -> None:
    script = Script((4, 8))
    script.output(script.op("ADD", script.input(4, 16), script.input(4, 16)))
    graph = placed(script, slices)
    assert memories(graph, "ADD") == {(MemorySpace.UB,) * 3}
    assert all(tensor.memory is MemorySpace.GM for tensor in (*graph.inputs, *graph.outputs))


@pytest.mark.parametrize("slices", [False, True])
def test_matmul_works_in_l0_and_hands_over_through_global_memory_on_a2a3(slices: bool) -> None:
    script = Script((16, 16), CUBE)
    product = script.matmul(script.input(16, 32, dtype=FP16), script.input(32, 16, dtype=FP16))
    script.output(script.op("EXP", product))
    graph = placed(script, slices)
    assert memories(graph, "A_MUL_B") == {(MemorySpace.L0A, MemorySpace.L0B, MemorySpace.L0C)}
    assert memories(graph, "EXP") == {(MemorySpace.UB, MemorySpace.UB)}
    read = [graph.producers(op.inputs[0])[0] for op in graph.operations if op.opcode == "EXP"]
    assert all(move.inputs[0].memory is MemorySpace.GM for move in read)


def test_chained_tiles_hand_over_in_ub_without_a_copy() -> None:
    script = Script((4, 8))
    script.output(script.op("EXP", script.op("ABS", script.input(8, 16))))
    graph = placed(script)
    for operation in graph.operations:
        if operation.opcode == "EXP":
            assert graph.producers(operation.inputs[0])[0].opcode == "ABS"


def test_copies_within_one_memory_are_dropped() -> None:
    script = Script((4, 8))
    script.output(script.op("REGISTER_COPY", script.op("ABS", script.input(4, 8))))
    graph = placed(script, until="RemoveRedundantOp")
    assert "REGISTER_COPY" not in {operation.opcode for operation in graph.operations}


def test_accumulation_becomes_an_attribute_of_the_writing_move() -> None:
    script = Script((4, 8))
    x = script.op("EXP", script.input(4, 8))
    into = script.builder.tensor(script.builder.raw((4, 8), x.dtype, "total", parameter=True))
    script.outputs.append(into)
    script._append("ATOMIC_RMW", (x,), into, {"offset": (0, 0), "op_attr_rmw_mode": 0})
    graph = placed(script, until="ProcessAtomic")
    (move,) = graph.producers(graph.outputs[0])
    assert move.attribute("op_attr_atomic_add") and "ATOMIC_RMW" not in {op.opcode for op in graph.operations}


def test_a_view_read_twice_is_repeated_for_each_reader() -> None:
    script = Script((4, 8))
    x = script.input(4, 8)
    script.output(script.op("ADD", x, x))
    graph = placed(script, until="DuplicateOp")
    assert all(len(graph.consumers(op.outputs[0])) == 1 for op in graph.operations if op.opcode == "SLICE")


def test_verifiers_reject_a_chain_of_views_and_a_shared_view() -> None:
    script = Script((4, 8))
    x = script.view(script.input(8, 8), (4, 8), (4, 0))
    script.output(script.op("ADD", script.op("EXP", x), script.op("ABS", x)))
    with pytest.raises(InvalidGraph, match="chain of views"):
        merge_view_assemble.verify(script.graph(), context(script, True))
    with pytest.raises(InvalidGraph, match="several readers"):
        duplicate_op.verify(script.graph(), context(script, True))


def test_verifier_rejects_a_read_before_the_write() -> None:
    script = Script((4, 8))
    script.output(script.op("ABS", script.input(4, 8)))
    backwards = Graph("kernel", reversed(script.operations), script.inputs, script.outputs)
    with pytest.raises(InvalidGraph, match="before it is written"):
        merge_view_assemble.verify(backwards, context(script, True))
