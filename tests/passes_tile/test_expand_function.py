"""What one operation becomes: tiles, tails, scratch, the moves around them, and what cannot be expanded."""

from __future__ import annotations

from collections import Counter

import pytest
from ptoscope_compiler.dtype import FP16, FP32, DType
from ptoscope_compiler.hardware import MemorySpace
from ptoscope_compiler.ir.graph import CubeTile, Graph
from ptoscope_compiler.passes.manager import Rejected, run_passes
from ptoscope_compiler.scalar import Symbol, evaluate
from tensor_graphs import Script, context, passes


def expanded(script: Script, slices: bool = True) -> Graph:
    graph = passes(script, "ExpandFunction", slices)
    assert isinstance(graph, Graph)
    return graph


def shapes(graph: Graph, opcode: str) -> list[tuple[object, ...]]:
    return [operation.outputs[0].shape for operation in graph.operations if operation.opcode == opcode]


def test_tail_tiles_are_smaller_and_the_last_axis_is_fastest() -> None:
    script = Script((4, 8))
    script.output(script.op("EXP", script.input(6, 20)))
    assert shapes(expanded(script), "EXP") == [(4, 8), (4, 8), (4, 4), (2, 8), (2, 8), (2, 4)]


def test_moves_are_copies_where_slices_are_enabled_and_aliases_elsewhere() -> None:
    script = Script((4, 8))
    script.output(script.op("EXP", script.input(4, 16)))
    with_slices = Counter(operation.opcode for operation in expanded(script).operations)
    assert with_slices == {"VIEW": 1, "SLICE": 4, "EXP": 2, "CONTRACT": 4}
    without = Counter(operation.opcode for operation in expanded(script, slices=False).operations)
    assert without == {"VIEW": 3, "EXP": 2, "ASSEMBLE": 3}


def test_valid_shape_of_a_tile_is_what_the_tensor_still_has_there() -> None:
    script = Script((4, 8))
    rows = Symbol("rows")
    x = script.view(script.input(12, 8), (12, 8), (0, 0), valid=(rows, 8))
    script.output(script.op("EXP", x))
    tiles = [op.outputs[0] for op in expanded(script).operations if op.opcode == "EXP"]
    at_six = [[evaluate(extent, {"rows": 6}) for extent in tile.valid_shape] for tile in tiles]
    assert at_six == [[4, 8], [2, 8], [0, 8]]


def test_reduction_combines_tiles_in_pairs_and_then_one_tile_within_itself() -> None:
    script = Script((4, 8))
    script.output(script.reduce("SUM", script.input(4, 40), axis=1))
    graph = expanded(script)
    counts = Counter(operation.opcode for operation in graph.operations)
    assert counts["PAIRSUM"] == 4 and counts["ROWSUM_SINGLE"] == 1
    (last,) = [operation for operation in graph.operations if operation.opcode == "ROWSUM_SINGLE"]
    assert [tensor.shape for tensor in last.outputs] == [(4, 1), (1, 8)]


def test_reduction_over_another_axis_is_a_line_reduction() -> None:
    script = Script((8, 8))
    script.output(script.reduce("SUM", script.input(8, 16), axis=0))
    assert shapes(expanded(script), "ROWSUMLINE") == [(1, 8), (1, 8)]


def test_last_axis_broadcast_is_inline_or_expanded_by_option() -> None:
    script = Script((4, 8))
    x, row = script.input(4, 16), script.input(4, 1)
    script.output(script.op("ADD", x, row))
    inline = expanded(script)
    assert not shapes(inline, "EXPAND")
    additions = [operation for operation in inline.operations if operation.opcode == "ADD"]
    assert all(operation.attributes["op_attr_brc_operand"] == [0, 2] for operation in additions)
    settings = context(script, True)
    settings.options = {"enable_slice": True, "combine_axis": False}
    graph = run_passes(script.graph(), settings, "ExpandFunction", after="RemoveUndrivenView")
    assert isinstance(graph, Graph)
    assert shapes(graph, "EXPAND") == [(4, 8), (4, 8)]


def test_matmul_loads_l1_once_per_l1_tile_and_accumulates_along_k() -> None:
    script = Script(cube=CubeTile((16, 16), (16, 32, 64), (16, 16)))
    script.output(script.matmul(script.input(16, 64, dtype=FP16), script.input(64, 16, dtype=FP16)))
    graph = expanded(script)
    loads = Counter(op.attribute("to") for op in graph.operations if op.opcode == "SLICE")
    assert loads[MemorySpace.L1] == 2 + 1
    assert loads[MemorySpace.L0A] == loads[MemorySpace.L0B] == 4
    assert [op.opcode for op in graph.operations if op.opcode.startswith("A_MUL")] == ["A_MUL_B"] + ["A_MULACC_B"] * 3


def test_transposed_factor_is_turned_on_its_way_to_l0() -> None:
    script = Script(cube=CubeTile((16, 16), (16, 16, 16), (16, 16)))
    script.output(script.matmul(script.input(16, 16), script.input(32, 16), trans_b=True))
    turned = [op for op in expanded(script).operations if op.attribute("op_attr_l1_to_l0_transpose")]
    assert {op.attribute("to") for op in turned} == {MemorySpace.L0B} and len(turned) == 2


@pytest.mark.parametrize(("opcode", "scratch"), [("ERFC", (512,)), ("ROUND", (8,))])
def test_scratch_is_a_second_output(opcode: str, scratch: tuple[int, ...]) -> None:
    script = Script((4, 8))
    script.output(script.op(opcode, script.input(4, 8), op_attr_decimals=0))
    (made,) = [operation for operation in expanded(script).operations if operation.opcode == opcode]
    assert made.outputs[1].shape == scratch


def test_missing_tile_shape_is_reported_at_the_operation() -> None:
    script = Script()
    script.output(script.op("EXP", script.input(4, 8)))
    findings = []
    with pytest.raises(Rejected):
        run_passes(script.graph(), context(script, True, findings.append), "ExpandFunction", after="RemoveUndrivenView")
    assert [(finding.code, finding.span.line) for finding in findings] == [("PT361", 3)]


def test_operation_without_a_rule_is_reported_and_not_dropped_in_silence() -> None:
    script = Script((4, 8))
    script.output(script.op("FROBNICATE", script.input(4, 8), dtype=FP32))
    findings = []
    with pytest.raises(Rejected):
        run_passes(script.graph(), context(script, True, findings.append), "ExpandFunction", after="RemoveUndrivenView")
    assert [finding.code for finding in findings] == ["PT961"] and "FROBNICATE" in findings[0].message()


def test_every_tile_of_a_triangle_counts_the_diagonal_from_its_own_corner() -> None:
    script = Script((4, 8))
    script.output(script.op("TRIUL", script.input(8, 16), DYN_SCALAR=1, IS_UPPER=True))
    graph = expanded(script)
    diagonals = [op.attributes["DYN_SCALAR"] for op in graph.operations if op.opcode == "TRIUL"]
    assert diagonals == [1, -7, 5, -3]


@pytest.mark.parametrize(
    ("opcode", "dtype", "scratch"),
    [
        ("TANH", FP32, (4 * 16 * 4 * 2 + 4 * 32 + 32,)),
        ("SIGN", FP16, (2 * 4 * 16 + 16,)),
        ("LOG1P", FP32, (4 * 4 * 16,)),
    ],
)
def test_functions_without_an_instruction_get_scratch(opcode: str, dtype: DType, scratch: tuple[int, ...]) -> None:
    script = Script((4, 16))
    script.output(script.op(opcode, script.input(4, 16, dtype=dtype)))
    (operation,) = [op for op in expanded(script).operations if op.opcode == opcode]
    assert operation.outputs[1].shape == scratch
